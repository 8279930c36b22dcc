// A kd-tree as kernels and other algorithms see it: plain memory, an implicit shape, no allocation.
//
// Points are stored in tree order and cut into leaves of `leaf_capacity`; only the last leaf may hold fewer. So the
// shape follows from the number of points alone: a node is a run of leaves, its left child the first half of the run
// (the larger one when odd). Nodes are numbered in preorder: children come after their parent, which makes a loop over
// the numbers from high to low a bottom-up pass.
#pragma once

#include <cstdint>

namespace coterie {

enum class TreeMetric { euclidean, sqeuclidean, manhattan, chebyshev, minkowski, great_circle };

#define COTERIE_VIEW_INLINE __attribute__((always_inline))

// A run of leaves. The root is {0, 0, n_leaves}.
struct TreeNode {
  std::int32_t id;
  std::int32_t first_leaf;
  std::int32_t n_leaves;

  COTERIE_VIEW_INLINE bool is_leaf() const { return n_leaves == 1; }
  COTERIE_VIEW_INLINE bool has_leaf(std::int32_t leaf) const { return leaf >= first_leaf && leaf < first_leaf + n_leaves; }
  COTERIE_VIEW_INLINE std::int32_t left_leaves() const { return (n_leaves + 1) / 2; }
  COTERIE_VIEW_INLINE TreeNode left() const { return {id + 1, first_leaf, left_leaves()}; }
  COTERIE_VIEW_INLINE TreeNode right() const { return {id + 2 * left_leaves(), first_leaf + left_leaves(), n_leaves - left_leaves()}; }
};

// Where a node cut its points: the left child holds those with coordinate `dimension` at most `value`.
template <class T>
struct TreeSplit {
  T value;
  std::int32_t dimension;
};

template <class T>
struct KDTreeView {
  const T* points;              // n_leaves blocks of dims x leaf_capacity, one row per dimension; see coordinate()
  const std::int32_t* original; // tree position -> row of the data; padded to a whole leaf with its last entry
  const T* boxes;               // per node: dims lower ends, then dims upper ends; as tight as the points
  const TreeSplit<T>* splits;   // per node; meaningless for leaves
  std::int64_t n_points;
  std::int64_t dims;
  std::int64_t leaf_capacity;   // a multiple of 32, so that a row of a leaf is whole vectors
  std::int32_t n_leaves;
  TreeMetric metric;
  double p;                     // of minkowski; of great_circle the radius of the sphere, whose points are unit vectors

  COTERIE_VIEW_INLINE std::int32_t n_nodes() const { return 2 * n_leaves - 1; }
  COTERIE_VIEW_INLINE TreeNode root() const { return {0, 0, n_leaves}; }

  COTERIE_VIEW_INLINE const T* box_low(std::int32_t node) const { return boxes + 2 * dims * node; }
  COTERIE_VIEW_INLINE const T* box_high(std::int32_t node) const { return boxes + 2 * dims * node + dims; }

  // Tree positions of a node's points are [begin, end).
  COTERIE_VIEW_INLINE std::int64_t begin(TreeNode node) const { return node.first_leaf * leaf_capacity; }
  COTERIE_VIEW_INLINE std::int64_t end(TreeNode node) const {
    const std::int64_t full = (static_cast<std::int64_t>(node.first_leaf) + node.n_leaves) * leaf_capacity;
    return full < n_points ? full : n_points;
  }
  COTERIE_VIEW_INLINE std::int64_t size(TreeNode node) const { return end(node) - begin(node); }

  // Row j of the block is coordinate j of the leaf's points; unused places repeat the last point.
  COTERIE_VIEW_INLINE const T* leaf_points(std::int64_t leaf) const { return points + leaf * leaf_capacity * dims; }
  COTERIE_VIEW_INLINE T coordinate(std::int64_t position, std::int64_t dimension) const {
    const std::int64_t leaf = position / leaf_capacity;
    return leaf_points(leaf)[dimension * leaf_capacity + position - leaf * leaf_capacity];
  }
};

}  // namespace coterie
