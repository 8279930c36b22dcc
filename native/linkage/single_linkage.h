// Single linkage: the edges of a spanning tree, shortest first.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/merges.h"

namespace coterie {

struct TreeEdge {
  double distance;
  std::int32_t lower, higher;  // rows
};

// Merges along n - 1 (or fewer, for a forest) edges, taken by (distance, lower, higher).
std::vector<SlotMerge> merges_along(std::vector<TreeEdge> edges, std::int64_t n);

}  // namespace coterie
