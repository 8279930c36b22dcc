// The nearest clusters of clusters by products in float32: who may be near, and how far away all others are at least.
#pragma once

#include <cstdint>

#include "linkage/centroid_search.h"
#include "tiles/kernel_table.h"

namespace coterie {

// A column, and a distance that it does not go below.
struct CloseColumn {
  float bound;
  std::int32_t column;
};

// Centroids are centred and scaled such that none is longer than 1. A dead column starts from +inf.
struct ProductQueries {
  TileProblem<float> tiles;  // who asks against all columns
  const float* weights;      // per packed column: 1 / size for Ward, the spread for the average
  const float* own_weights;  // per row, the same
  const std::int32_t* own;   // per row: its own column, which it does not find
  float slack;               // a squared distance by products is at most this much too large
  std::int64_t k;
  CloseColumn* found;  // rows x k by (bound, column); column -1 where there are fewer. Others have no lower bound.
};

struct ProductKernels {
  void (*nearest)(const ProductQueries& queries, CentroidRule rule);
};

}  // namespace coterie
