// Rows as whole numbers of eight bits: a first look at all centres by them settles most rows.
#pragma once

#include <cstdint>

namespace coterie {

constexpr std::int64_t coded_block = 32;          // rows that stand side by side
constexpr std::int64_t codes_per_group = 4;       // columns whose products one instruction adds up
constexpr std::int64_t chunk_centres = 16;        // a row in doubt meets whole chunks
constexpr std::int64_t most_coded_columns = 4096;  // sums of products stay below 2^28

// Column t of a row is step * code, and something is left over.
struct KMeansCodes {
  const std::int32_t* groups;  // blocks x groups of columns x rows of a block: four codes each, moved up by 128
  const float* rest;           // per row: length of what is left over, rounded up
  const float* term;           // per row: squared length of the row
  std::int64_t n_groups;       // of columns
  double step;
};

struct CodedOutcome {
  std::int64_t changed;    // labels
  std::int64_t uncertain;  // rows that had to meet centres as they are; -1: the numbers do not fit, and nothing was done
  std::int64_t met;        // chunks of centres that these met, all together
};

}  // namespace coterie
