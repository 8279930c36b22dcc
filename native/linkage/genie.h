// Genie: single linkage that keeps the sizes of clusters from growing too unequal.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

struct GenieMerge {
  std::int64_t first, second;  // nodes: rows below n, then merges as they came; first < second
  std::int64_t edge;           // along which edge of the spanning tree
};

// Merges along the n - 1 edges of a spanning tree, (lower row, higher row) each, shortest first. The shortest edge that is left joins two
// clusters next; while the Gini index of the sizes is above `gini_threshold`, the shortest one that touches a smallest cluster. Where
// `counts` is given, a row with 0 counts for no size; it must be a leaf of the tree, and is merged before all others.
// Throws std::invalid_argument when the edges are not a tree of the rows.
std::vector<GenieMerge> genie_merges(const std::int64_t* ends, std::int64_t n_rows, double gini_threshold, const std::uint8_t* counts);

}  // namespace coterie
