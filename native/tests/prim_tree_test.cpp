// The spanning tree of mutual reachability as it grows from the first row, against Prim's algorithm spelled out over all pairs.
#include "density/prim_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.h"
#include "tests/point_sets.h"

namespace coterie {
namespace {

using testing::PointSet;
using testing::Square;

std::vector<double> core_distances(const Square& D, std::size_t min_samples) {
  std::vector<double> core;
  for (std::vector<double> row : D) {
    std::sort(row.begin(), row.end());
    core.push_back(row[min_samples - 1]);
  }
  return core;
}

// Every row outside, in turn: who reaches it lowest, the first to do so; then the lowest row of those reached lowest.
GrownTree by_definition(const Square& D, const std::vector<double>& core, double alpha) {
  const auto n = static_cast<std::int64_t>(D.size());
  std::vector<std::int64_t> inside{0};
  GrownTree tree;
  while (static_cast<std::int64_t>(inside.size()) < n) {
    double least = std::numeric_limits<double>::infinity();
    std::int64_t from = -1, to = -1;
    for (std::int64_t row = 0; row < n; ++row) {
      if (std::find(inside.begin(), inside.end(), row) != inside.end()) continue;
      for (const std::int64_t member : inside) {
        const double reach = std::max({core[member], core[row], D[member][row] / alpha});
        if (reach < least) least = reach, from = member, to = row;
      }
    }
    inside.push_back(to);
    tree.ends.insert(tree.ends.end(), {from, to});
    tree.distance.push_back(least);
  }
  return tree;
}

bool are_equal(const GrownTree& one, const GrownTree& other) { return one.ends == other.ends && one.distance == other.distance; }

struct Growth {
  Growth(const PointSet<double>& points, std::size_t min_samples, double alpha)
      : D(testing::square_of_distances(points)),
        core(core_distances(D, min_samples)),
        alpha(alpha),
        expected(by_definition(D, core, alpha)),
        tree(points.view(), TreeMetric::euclidean, 2, default_leaf_size, 1),
        by_lists(regrow_from_first_row(tree, {static_cast<std::int64_t>(min_samples), 1.0}, alpha, 2)) {}

  GrownTree by_rows() const {
    return grow_from_first_row(
        static_cast<std::int64_t>(D.size()), [this](std::int64_t i) { return D[i].data(); }, core.data(), alpha);
  }
  GrownTree by_walk() const { return grow_from_first_row(tree, core.data(), alpha, by_lists.grown.tree); }

  Square D;
  std::vector<double> core;
  double alpha;
  GrownTree expected;
  KDTree<double> tree;
  TreeReachability by_lists;
};

TEST(trees_grow_as_defined_from_rows_lists_and_walks) {
  for (const std::int64_t n : {2, 3, 40, 130})
    for (const std::int64_t dims : {1, 2, 5})
      for (const std::size_t min_samples : {1, 2, 5})
        for (const double alpha : {0.7, 1.0, 1.6}) {
          if (static_cast<std::int64_t>(min_samples) > n) continue;
          const Growth growth(testing::uniform_points<double>(n, dims), min_samples, alpha);
          CHECK(growth.by_lists.core == growth.core);
          CHECK(growth.by_lists.grown.is_certain);
          CHECK(are_equal(growth.by_rows(), growth.expected));
          CHECK(are_equal(growth.by_lists.grown.tree, growth.expected));
          CHECK(are_equal(growth.by_walk(), growth.expected));
        }
}

// Where distances tie, lists say that they cannot be certain, and the walk decides as the definition does.
TEST(trees_with_ties_are_uncertain_and_walked) {
  for (const PointSet<double>& points : testing::point_sets<double>(90, 2)) {
    if (points.name != "grid" && points.name != "few distinct" && points.name != "all equal") continue;
    for (const std::size_t min_samples : {1, 3, 8}) {
      const Growth growth(points, min_samples, 1.0);
      CHECK(!growth.by_lists.grown.is_certain);
      CHECK(are_equal(growth.by_rows(), growth.expected));
      CHECK(are_equal(growth.by_walk(), growth.expected));
      std::vector<double> lengths = growth.by_lists.grown.tree.distance, least = growth.expected.distance;
      std::sort(lengths.begin(), lengths.end());
      std::sort(least.begin(), least.end());
      CHECK(lengths == least);  // a tree of the least distances all the same
    }
  }
}

}  // namespace
}  // namespace coterie
