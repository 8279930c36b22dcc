#include <limits>
#include <vector>

#include "tests/check.h"
#include "tests/instruction_sets.h"
#include "tests/point_sets.h"
#include "trees/kdtree.h"

namespace coterie {
namespace {

using testing::MetricCase;
using testing::point_sets;
using testing::PointSet;

template <class T>
struct Found {
  std::vector<std::int64_t> indices;
  std::vector<T> distances;
  bool operator==(const Found&) const = default;
};

constexpr MetricCase euclidean{TreeMetric::euclidean, 2};

struct Ask {
  std::int64_t k;
  bool exclude_self = false;
  int threads = 1;
};

template <class T>
Found<T> nearest(const KDTree<T>& tree, const TreeQueries<T>& queries, const Ask& ask, const T* upper_bounds = nullptr) {
  const auto size = static_cast<std::size_t>(queries.n_rows() * ask.k);
  Found<T> found{std::vector<std::int64_t>(size), std::vector<T>(size)};
  find_nearest(tree, queries, ask.k, ask.exclude_self, upper_bounds, found.indices.data(), found.distances.data(), ask.threads);
  return found;
}

template <class T>
Found<T> obvious_nearest(const MetricCase& metric, const PointSet<T>& points, const PointSet<T>& queries, const Ask& ask) {
  Found<T> found;
  for (std::int64_t i = 0; i < queries.n; ++i) {
    const auto sorted = testing::sorted_neighbours(metric, points, queries.row(i), ask.exclude_self ? i : -1);
    for (std::int64_t m = 0; m < ask.k; ++m) {
      const bool exists = m < static_cast<std::int64_t>(sorted.size());
      found.indices.push_back(exists ? sorted[static_cast<std::size_t>(m)].second : -1);
      found.distances.push_back(exists ? testing::finished_distance(metric, sorted[static_cast<std::size_t>(m)].first)
                                       : std::numeric_limits<T>::infinity());
    }
  }
  return found;
}

template <class T>
void check_points(const MetricCase& metric, const PointSet<T>& points, std::int64_t k) {
  const KDTree<T> tree(points.view(), metric.metric, metric.p, default_leaf_size, 1);
  const bool exclude_self = k < points.n;
  const Ask ask{k, exclude_self};
  const Found<T> expected = obvious_nearest(metric, points, points, ask);
  CHECK(nearest(tree, TreeQueries<T>(tree), ask) == expected);
  CHECK(nearest(tree, TreeQueries<T>(tree, points.view(), 1), ask) == expected);
  const PointSet<T> others = testing::uniform_points<T>(70, points.dims);
  CHECK(nearest(tree, TreeQueries<T>(tree, others.view(), 1), {k}) == obvious_nearest(metric, points, others, {k}));
}

TEST(nearest_equals_brute_force_in_every_dimension) {
  for (std::int64_t dims = 1; dims <= 8; ++dims)
    for (const std::int64_t n : {1, 5, 33, 300}) {
      const std::int64_t k = std::min<std::int64_t>(n, 5);
      for (const PointSet<double>& points : point_sets<double>(n, dims)) check_points(euclidean, points, k);
      for (const PointSet<float>& points : point_sets<float>(n, dims)) check_points(euclidean, points, k);
    }
}

TEST(nearest_equals_brute_force_in_every_metric) {
  for (const MetricCase& metric : testing::metric_cases()) {
    for (const PointSet<double>& points : point_sets<double>(150, 3)) check_points(metric, points, 4);
    for (const PointSet<float>& points : point_sets<float>(150, 3)) check_points(metric, points, 4);
  }
}

TEST(nearest_equals_brute_force_for_every_k) {
  for (const std::int64_t k : {1, 2, 4, 8, 9, 16, 17, 33, 100, 200}) {
    for (const PointSet<double>& points : point_sets<double>(200, 2)) check_points(euclidean, points, k);
    for (const PointSet<float>& points : point_sets<float>(200, 2)) check_points(euclidean, points, k);
  }
}

TEST(missing_neighbours_are_minus_one) {
  const PointSet<float> points = testing::uniform_points<float>(3, 2);
  const KDTree<float> tree(points.view(), TreeMetric::euclidean, 2, 32, 1);
  CHECK(nearest(tree, TreeQueries<float>(tree), {5}) == obvious_nearest(euclidean, points, points, {5}));
}

// A bound that is a distance of the tree lets exactly the points up to that distance through.
template <class T>
void check_upper_bounds(const MetricCase& metric) {
  const PointSet<T> points = testing::uniform_points<T>(400, 3);
  const KDTree<T> tree(points.view(), metric.metric, metric.p, 32, 1);
  const Ask ask{10};
  Found<T> expected = nearest(tree, TreeQueries<T>(tree), ask);
  std::vector<T> bounds;
  for (std::int64_t i = 0; i < points.n; ++i) bounds.push_back(expected.distances[static_cast<std::size_t>(i * 10 + i % 10)]);
  for (std::size_t i = 0; i < expected.distances.size(); ++i)
    if (expected.distances[i] > bounds[i / 10]) {
      expected.distances[i] = std::numeric_limits<T>::infinity();
      expected.indices[i] = -1;
    }
  CHECK(nearest(tree, TreeQueries<T>(tree), ask, bounds.data()) == expected);
}

TEST(upper_bounds_are_inclusive) {
  for (const MetricCase& metric : testing::metric_cases()) {
    check_upper_bounds<float>(metric);
    check_upper_bounds<double>(metric);
  }
}

TEST(nearest_does_not_depend_on_threads_leaves_or_instruction_set) {
  const PointSet<double> points = testing::uniform_points<double>(5000, 3);
  const PointSet<double> others = testing::uniform_points<double>(3000, 3);
  const KDTree<double> tree(points.view(), TreeMetric::euclidean, 2, 32, 1);
  const KDTree<double> coarse(points.view(), TreeMetric::euclidean, 2, 100, 2);
  const Found<double> expected = nearest(tree, TreeQueries<double>(tree, others.view(), 1), {7});
  testing::on_every_instruction_set([&] {
    for (const int threads : {1, 2, 7}) {
      CHECK(nearest(tree, TreeQueries<double>(tree, others.view(), threads), {7, false, threads}) == expected);
      CHECK(nearest(coarse, TreeQueries<double>(coarse, others.view(), threads), {7, false, threads}) == expected);
    }
  });
}

// A query that is not a number has no neighbours; one at infinity has all of them at infinity.
TEST(queries_that_are_not_finite_do_no_harm) {
  const PointSet<double> points = testing::uniform_points<double>(200, 2);
  const KDTree<double> tree(points.view(), TreeMetric::euclidean, 2, 32, 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const PointSet<double> odd{"odd", 2, 2, {std::nan(""), 0, infinity, 0}};
  const Found<double> found = nearest(tree, TreeQueries<double>(tree, odd.view(), 1), {2});
  CHECK(found.indices == std::vector<std::int64_t>{-1, -1, 0, 1});
  CHECK(found.distances == std::vector<double>(4, infinity));
}

}  // namespace
}  // namespace coterie
