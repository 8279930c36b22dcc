#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/check.h"
#include "tests/point_sets.h"
#include "trees/kdtree.h"

namespace coterie {
namespace {

using testing::point_sets;
using testing::PointSet;

template <class T>
KDTree<T> make_tree(const PointSet<T>& points, std::int64_t leaf_size = default_leaf_size, int threads = 1) {
  return KDTree<T>(points.view(), TreeMetric::euclidean, 2, leaf_size, threads);
}

// Every node: its range, its box, its split.
template <class T>
void check_node(const KDTreeView<T>& tree, TreeNode node) {
  CHECK(tree.size(node) > 0);
  CHECK(node.id >= 0 && node.id < tree.n_nodes());
  for (std::int64_t j = 0; j < tree.dims; ++j) {
    T low = tree.coordinate(tree.begin(node), j), high = low;
    for (std::int64_t i = tree.begin(node); i < tree.end(node); ++i) {
      low = std::min(low, tree.coordinate(i, j));
      high = std::max(high, tree.coordinate(i, j));
    }
    CHECK(tree.box_low(node.id)[j] == low && tree.box_high(node.id)[j] == high);
  }
  if (node.is_leaf()) return;
  const TreeNode left = node.left(), right = node.right();
  CHECK(tree.begin(left) == tree.begin(node) && tree.end(left) == tree.begin(right) && tree.end(right) == tree.end(node));
  CHECK(left.n_leaves - right.n_leaves == 0 || left.n_leaves - right.n_leaves == 1);
  const TreeSplit<T>& split = tree.splits[node.id];
  CHECK(tree.box_high(left.id)[split.dimension] == split.value && tree.box_low(right.id)[split.dimension] >= split.value);
  check_node(tree, left);
  check_node(tree, right);
}

template <class T>
void check_shape(const PointSet<T>& points) {
  const KDTree<T> tree = make_tree(points);
  const KDTreeView<T>& view = tree.view();
  check_node(view, view.root());
  std::vector<int> seen(static_cast<std::size_t>(points.n), 0);
  for (std::int64_t i = 0; i < points.n; ++i) {
    ++seen[static_cast<std::size_t>(view.original[i])];
    for (std::int64_t j = 0; j < points.dims; ++j) CHECK(view.coordinate(i, j) == points.row(view.original[i])[j]);
    const bool starts_leaf = i % view.leaf_capacity == 0;
    CHECK(starts_leaf || view.original[i] > view.original[i - 1]);
  }
  for (const int count : seen) CHECK(count == 1);
}

TEST(nodes_have_tight_boxes_and_halve_their_points) {
  for (const std::int64_t n : {1, 2, 31, 32, 33, 64, 65, 500, 3000})
    for (const std::int64_t dims : {1, 2, 3, 5, 8, 11}) {
      for (const PointSet<double>& points : point_sets<double>(n, dims)) check_shape(points);
      check_shape(testing::uniform_points<float>(n, dims));
    }
}

// Large enough that the upper levels are split in parallel blocks.
TEST(the_tree_does_not_depend_on_the_threads) {
  for (const PointSet<float>& points : point_sets<float>(40000, 2)) {
    const KDTree<float> expected = make_tree(points);
    const KDTreeView<float>& one = expected.view();
    check_node(one, one.root());
    for (const int threads : {2, 7}) {
      const KDTree<float> tree = make_tree(points, default_leaf_size, threads);
      CHECK(std::equal(one.original, one.original + one.n_points, tree.view().original));
      CHECK(std::equal(one.boxes, one.boxes + one.n_nodes() * 2 * one.dims, tree.view().boxes));
    }
  }
}

TEST(leaf_sizes_are_rounded_up_to_whole_vectors) {
  const PointSet<double> points = testing::uniform_points<double>(1000, 2);
  CHECK(make_tree(points, 1).view().leaf_capacity == 32);
  CHECK(make_tree(points, 33).view().leaf_capacity == 64);
  CHECK(make_tree(points, 5000).view().n_leaves == 1);
}

TEST(bad_input_is_refused_with_a_reason) {
  PointSet<double> points = testing::uniform_points<double>(100, 2);
  CHECK_THROWS(std::invalid_argument, "leaf_size of KDTree must be at least 1, got 0", make_tree(points, 0));
  CHECK_THROWS(std::invalid_argument, "p of KDTree must be at least 1, got 0.5",
               KDTree<double>(points.view(), TreeMetric::minkowski, 0.5, 32, 1));
  CHECK_THROWS(std::invalid_argument, "got shape (0, 2)", make_tree(PointSet<double>{"no rows", 0, 2, {}}));
  CHECK_THROWS(std::invalid_argument, "got shape (3, 0)", make_tree(PointSet<double>{"no columns", 3, 0, {}}));
  points.numbers[7] = std::nan("");
  CHECK_THROWS(std::invalid_argument, "got nan in row 3, column 1", make_tree(points));
  points.numbers[7] = std::numeric_limits<double>::infinity();
  CHECK_THROWS(std::invalid_argument, "got inf in row 3, column 1", make_tree(points, 32, 2));
}

}  // namespace
}  // namespace coterie
