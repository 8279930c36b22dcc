// The order of the leaves that puts neighbours next to each other: least sum of distances of adjacent leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "dendrogram/tree_view.h"

namespace coterie {

// out[i][j] = min(out[i][j], left[i][k] + right[k][j]) over k; strides in numbers.
struct MinPlus {
  double* out;
  const double* left;
  const double* right;
  std::int64_t rows, middle, cols;
  std::int64_t out_stride, left_stride, right_stride;
};

struct OrderingKernels {
  void (*min_plus)(const MinPlus& product);
};

// Bar-Joseph's dynamic programme on a binary tree. `distances` is n x n, symmetric, rows and columns in the order of the
// leaves from left to right (`order`); `work` has room for n x n numbers. Returns the places in that order, best first.
std::vector<std::int64_t> order_optimally(const TreeView& tree, const double* distances, double* work, int threads);

}  // namespace coterie
