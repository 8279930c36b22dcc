// The loops of neighbour joining and of distances between sequences, one function per instruction set.
#pragma once

#include <cstdint>

namespace coterie {

// The least of a row, and its lowest column (-1: there is none below infinity).
struct LeastPair {
  double value;
  std::int64_t at;
};

// Of two sequences: sites that both know, those at which they differ, and those that differ in the last plane.
struct SiteCounts {
  std::int64_t compared, differing, in_last_plane;
};

struct PhylogenyKernels {
  // The least of scale * row[j] - (own + sums[j]) over j < n; sums of columns that are gone are -inf.
  void (*least_pair)(const double* row, const double* sums, double own, double scale, std::int64_t n, LeastPair& out);
  // Sequences are bits: a word of known sites, then a word per plane, for every 64 sites.
  void (*count_sites)(const std::uint64_t* first, const std::uint64_t* second, std::int64_t words, int planes, SiteCounts& out);
};

}  // namespace coterie
