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

constexpr MetricCase euclidean{TreeMetric::euclidean, 2};

template <class T>
struct Lists {
  std::vector<std::int64_t> starts, indices;
  std::vector<T> distances;
  bool operator==(const Lists&) const = default;
};

template <class T>
Lists<T> within(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, HitOrder sort, int threads = 1) {
  Lists<T> lists;
  lists.starts.assign(static_cast<std::size_t>(queries.n_rows()) + 1, 0);
  count_within(tree, queries, radius, lists.starts.data() + 1, threads);
  for (std::size_t i = 1; i < lists.starts.size(); ++i) lists.starts[i] += lists.starts[i - 1];
  lists.indices.assign(static_cast<std::size_t>(lists.starts.back()), -1);
  lists.distances.resize(lists.indices.size());
  list_within(tree, queries, radius, sort, lists.starts.data(), lists.indices.data(), lists.distances.data(), threads);
  return lists;
}

// Who is within is decided in double precision, for floats too.
template <class T>
Lists<T> obvious_within(const MetricCase& metric, const PointSet<T>& points, double radius, HitOrder sort) {
  const double origin = 0;
  const bool is_reduced = metric.metric == TreeMetric::sqeuclidean;
  const double limit = is_reduced ? radius : testing::reduced_distance(metric, &origin, &radius, 1);
  const PointSet<double> exact{"", points.n, points.dims, {points.numbers.begin(), points.numbers.end()}};
  Lists<T> lists{{0}, {}, {}};
  for (std::int64_t q = 0; q < points.n; ++q) {
    auto found = testing::sorted_neighbours(metric, points, points.row(q));
    if (sort == HitOrder::index)
      std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [reduced, i] : found)
      if (testing::reduced_distance(metric, exact.row(q), exact.row(i), points.dims) <= limit) {
        lists.indices.push_back(i);
        lists.distances.push_back(testing::finished_distance(metric, reduced));
      }
    lists.starts.push_back(static_cast<std::int64_t>(lists.indices.size()));
  }
  return lists;
}

template <class T>
void check_points(const MetricCase& metric, const PointSet<T>& points, double radius) {
  const KDTree<T> tree(points.view(), metric.metric, metric.p, default_leaf_size, 1);
  for (const HitOrder sort : {HitOrder::index, HitOrder::distance}) {
    const Lists<T> expected = obvious_within(metric, points, radius, sort);
    CHECK(within(tree, TreeQueries<T>(tree), radius, sort) == expected);
    CHECK(within(tree, TreeQueries<T>(tree, points.view(), 1), radius, sort) == expected);
  }
  const Lists<T> by_index = obvious_within(metric, points, radius, HitOrder::index);
  CHECK(within(tree, TreeQueries<T>(tree), radius, HitOrder::none).starts == by_index.starts);
}

// Radii at which points of the sets lie exactly, and radii that take everything or nothing.
TEST(radius_equals_brute_force_on_every_set) {
  for (const std::int64_t dims : {1, 2, 3, 8})
    for (const double radius : {0.0, 0.25, 1.0, 2.0, 1e-40, 1e20, 1e300}) {
      for (const PointSet<double>& points : point_sets<double>(80, dims)) check_points(euclidean, points, radius);
      for (const PointSet<float>& points : point_sets<float>(80, dims)) check_points(euclidean, points, radius);
    }
}

TEST(radius_equals_brute_force_in_every_metric) {
  for (const MetricCase& metric : testing::metric_cases())
    for (const double radius : {0.3, 1.0, 3.0}) {
      for (const PointSet<double>& points : point_sets<double>(80, 3)) check_points(metric, points, radius);
      for (const PointSet<float>& points : point_sets<float>(80, 3)) check_points(metric, points, radius);
    }
}

// Multiples of 0.1 as floats: their differences are 0.1 only up to rounding, which the double precision sees.
TEST(pairs_at_the_radius_are_decided_in_double_precision) {
  const PointSet<float> points = testing::make_points<float>(
      "tenths", 400, 2, [](std::int64_t i, std::int64_t j, double) { return 0.1 * static_cast<double>(j == 0 ? i % 20 : i / 20); });
  check_points(euclidean, points, 0.1);
  check_points<float>({TreeMetric::manhattan, 2}, points, 0.2);
  check_points<float>({TreeMetric::minkowski, 3}, points, 0.1);
}

TEST(radius_does_not_depend_on_threads_or_instruction_set) {
  const PointSet<float> points = testing::uniform_points<float>(5000, 2);
  const KDTree<float> tree(points.view(), TreeMetric::euclidean, 2, 32, 1);
  const Lists<float> expected = within(tree, TreeQueries<float>(tree), 0.05, HitOrder::index);
  CHECK(expected.indices.size() > 50000);
  testing::on_every_instruction_set([&] {
    for (const int threads : {1, 2, 7}) CHECK(within(tree, TreeQueries<float>(tree), 0.05, HitOrder::index, threads) == expected);
  });
}

}  // namespace
}  // namespace coterie
