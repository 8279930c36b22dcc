// Merges as the linkage engines find them, and the order in which they are told.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

enum class LinkageRule : std::int32_t { single, complete, average, weighted, ward, centroid, median, average_merged, minimax };

// Merging two clusters never brings the result nearer to a third than the nearer of the two was: pairs that are each
// other's nearest may merge at any time, in any order.
constexpr bool is_reducible(LinkageRule rule) {
  return rule != LinkageRule::centroid && rule != LinkageRule::median && rule != LinkageRule::average_merged;
}

// The update formula is about squared distances; heights are their roots.
constexpr bool works_on_squares(LinkageRule rule) {
  return rule == LinkageRule::ward || rule == LinkageRule::centroid || rule == LinkageRule::median;
}

// A cluster lives in the slot of its lowest row: `second` goes into `first`, first < second.
struct SlotMerge {
  std::int32_t first, second;
  double height;
};

// Each cluster is at least as high as its parts: what the mathematics of reducible linkages says, rounding aside. The
// parts of a merge come before it.
void make_monotone(std::vector<SlotMerge>& merges, std::int64_t n);

// SciPy's matrix: n - 1 rows of (id, id, height, size). Of the merges whose parts exist, the one of the least (height,
// smaller id, larger id) comes next; ids count rows, then merges as they come.
void write_linkage(const std::vector<SlotMerge>& merges, std::int64_t n, double* out);

}  // namespace coterie
