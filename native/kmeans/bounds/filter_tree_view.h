// The tree that k-means filters with, as plain data.
#pragma once

#include <cstdint>

namespace coterie {

inline constexpr std::int64_t filter_leaf_rows = 64;
inline constexpr std::int64_t filter_max_cols = 3;

// Leaf l holds rows [l * 64, ...): 64 numbers per column, then 64 row numbers. Nodes are numbered as in a heap.
template <class T>
struct FilterTreeView {
  const char* leaves;
  std::int64_t leaf_bytes;
  const T* boxes;              // node x 2 cols: low, high
  const std::int64_t* coarse;  // node x (cols + 1)
  const std::int64_t* fine;    // the same; null for float32
  std::int64_t n_rows, n_leaves, cols;
};

// A node of the tree: the leaves below it.
struct FilterNode {
  std::int64_t id;  // heap number: children 2 id + 1, 2 id + 2
  std::int64_t first_leaf, n_leaves;

  __attribute__((always_inline)) bool is_leaf() const { return n_leaves == 1; }
  __attribute__((always_inline)) FilterNode left() const { return {2 * id + 1, first_leaf, n_leaves / 2}; }
  __attribute__((always_inline)) FilterNode right() const { return {2 * id + 2, first_leaf + n_leaves / 2, n_leaves - n_leaves / 2}; }
};

}  // namespace coterie
