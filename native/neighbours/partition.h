// Rows in small groups of near ones: cells of random pivots, split until they are small.
#pragma once

#include <cstdint>
#include <vector>

#include "neighbours/descent_jobs.h"
#include "support/parallel.h"

namespace coterie {

struct Partition {
  std::vector<std::int32_t> order;  // rows, leaf by leaf
  std::vector<Range> leaves;        // places in the order
};

// The same for any number of threads.
Partition partition_rows(const CodedRows& rows, std::int64_t leaf_size, std::uint64_t seed, int threads);

// One row of zeros per thread, for sparse rows.
class Workspaces {
 public:
  Workspaces(const CodedRows& rows, int threads);
  std::int32_t* of(int thread);

 private:
  std::int64_t cols_;
  std::vector<std::int32_t> zeros_;
};

// A number of 64 bits that is a function of its counters (splitmix64).
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace coterie
