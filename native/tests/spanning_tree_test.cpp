#include <vector>

#include "tests/check.h"
#include "tests/point_sets.h"
#include "trees/sort_edges.h"
#include "trees/spanning_lists.h"
#include "trees/union_find.h"

namespace coterie {
namespace {

using testing::MetricCase;
using testing::PointSet;

template <class T>
std::vector<T> all_distances(const MetricCase& metric, const PointSet<T>& points) {
  std::vector<T> distances;
  for (std::int64_t i = 0; i < points.n; ++i)
    for (std::int64_t j = 0; j < points.n; ++j)
      distances.push_back(
          testing::finished_distance(metric, testing::reduced_distance(metric, points.row(i), points.row(j), points.dims)));
  return distances;
}

// Kruskal: all edges in their order, each kept that closes no circle.
template <class T>
SpanningEdges<T> obvious_tree(const std::vector<T>& distances, std::int64_t n, const Reachability<T>& reach) {
  SpanningEdges<T> all, kept;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = i + 1; j < n; ++j) {
      T distance = distances[static_cast<std::size_t>(i * n + j)];
      if (reach.alpha != 1) distance = static_cast<T>(static_cast<double>(distance) / reach.alpha);
      if (reach.core != nullptr) distance = std::max(std::max(reach.core[i], reach.core[j]), distance);
      all.push_back({distance, i, j});
    }
  std::sort(all.begin(), all.end());
  UnionFind sets(n);
  for (const SpanningEdge<T>& edge : all)
    if (sets.unite(edge.lower, edge.higher)) kept.push_back(edge);
  return kept;
}

template <class T>
bool are_equal(const SpanningEdges<T>& a, const SpanningEdges<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] < b[i] || b[i] < a[i]) return false;
  return true;
}

template <class T>
void check_points(const MetricCase& metric, const PointSet<T>& points) {
  const KDTree<T> tree(points.view(), metric.metric, metric.p, default_leaf_size, 1);
  const std::vector<T> distances = all_distances(metric, points);
  const MatrixView<T> matrix{distances.data(), points.n, points.n, points.n};
  const std::int64_t k = std::min<std::int64_t>(points.n, 6);
  std::vector<std::int64_t> index(static_cast<std::size_t>(points.n * k));
  std::vector<T> near(index.size()), core;
  find_nearest<T>(tree, TreeQueries<T>(tree), k, false, nullptr, index.data(), near.data(), 1);
  for (std::int64_t i = 0; i < points.n; ++i) core.push_back(near[static_cast<std::size_t>(i * k + k / 2)]);
  for (const Reachability<T>& reach : {Reachability<T>{}, Reachability<T>{core.data(), 1.0}, Reachability<T>{core.data(), 1.25}}) {
    const SpanningEdges<T> expected = obvious_tree(distances, points.n, reach);
    CHECK(are_equal(spanning_tree(tree, reach, 1), expected));
    CHECK(are_equal(spanning_tree(tree, reach, 3), expected));
    CHECK(are_equal(spanning_tree(tree, reach, nearest_positions(tree, k - 1, 2), 2), expected));
    CHECK(are_equal(spanning_tree(matrix, reach), expected));
  }
}

TEST(spanning_trees_equal_kruskals) {
  for (const std::int64_t n : {1, 2, 40, 150})
    for (const std::int64_t dims : {1, 2, 5}) {
      for (const PointSet<double>& points : testing::point_sets<double>(n, dims)) check_points({TreeMetric::euclidean, 2}, points);
      for (const PointSet<float>& points : testing::point_sets<float>(n, dims)) check_points({TreeMetric::euclidean, 2}, points);
    }
}

TEST(spanning_trees_know_every_metric_of_the_tree) {
  for (const MetricCase& metric : testing::metric_cases())
    for (const PointSet<double>& points : testing::point_sets<double>(90, 3))
      if (points.name != "huge") check_points(metric, points);
}

// Whole nodes of the tree are in one component long before all are: bounds rule them out, and must not rule out too much.
TEST(spanning_trees_join_groups_that_are_far_apart) {
  using Int = std::int64_t;
  for (const std::int64_t n : {333, 800}) {
    const auto groups = testing::make_points<double>(
        "groups", n, 2, [](Int i, Int j, double u) { return static_cast<double>((i % 5) * (j == 0 ? 7 : i % 2 * 9)) + 2 * u * u; });
    const auto lattices = testing::make_points<float>(
        "lattices", n, 2, [](Int i, Int j, double) { return static_cast<double>(i % 4 * 20 + (j == 0 ? i / 4 % 13 : i / 52)); });
    check_points({TreeMetric::euclidean, 2}, groups);
    check_points({TreeMetric::chebyshev, 2}, groups);
    check_points({TreeMetric::euclidean, 2}, lattices);
  }
}

template <class T>
void check_sorting(std::int32_t n) {
  const CounterRandom random(3);
  SpanningEdges<T> edges;
  for (std::int32_t i = 0; i < n; ++i) {
    const double u = random.uniform(0, static_cast<std::uint64_t>(i)) - 0.3;
    const T values[] = {static_cast<T>(u), T(0), T(-0.0), static_cast<T>(u * 1e30), std::numeric_limits<T>::infinity(), T(7)};
    edges.push_back({values[i % 6], (i * 7919) % 100, n + i});
  }
  SpanningEdges<T> expected = edges;
  std::sort(expected.begin(), expected.end());
  sort_edges(edges);
  CHECK(are_equal(edges, expected));
}

TEST(edges_are_sorted_by_bits_as_by_comparisons) {
  for (const std::int32_t n : {1, 100, 5000}) {
    check_sorting<float>(n);
    check_sorting<double>(n);
  }
}

// Differences are exact for whole numbers: tiles find the very same tree.
TEST(spanning_trees_by_tiles_equal_kruskals) {
  const Metric manhattan{Kernel::manhattan, Finish::identity, 1}, euclidean{Kernel::dot, Finish::squared_norm, 2};
  for (const PointSet<double>& points : testing::point_sets<double>(150, 4)) {
    if (points.name != "few distinct" && points.name != "all equal" && points.name != "grid" && points.name != "collinear") continue;
    std::vector<double> core;
    for (std::int64_t i = 0; i < points.n; ++i) core.push_back(static_cast<double>(i % 3));
    for (const Reachability<double>& reach : {Reachability<double>{}, Reachability<double>{core.data(), 1.0}}) {
      const std::vector<double> city = all_distances({TreeMetric::manhattan, 1}, points);
      CHECK(are_equal(spanning_tree(points.view(), manhattan, reach, 2), obvious_tree(city, points.n, reach)));
      const std::vector<double> squares = all_distances({TreeMetric::sqeuclidean, 2}, points);
      CHECK(are_equal(spanning_tree(points.view(), euclidean, reach, 2), obvious_tree(squares, points.n, reach)));
    }
  }
}

}  // namespace
}  // namespace coterie
