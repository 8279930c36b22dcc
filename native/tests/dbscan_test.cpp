#include <vector>

#include "density/dbscan.h"
#include "density/hierarchy.h"
#include "tests/check.h"
#include "tests/point_sets.h"
#include "trees/union_find.h"

namespace coterie {
namespace {

using testing::MetricCase;
using testing::PointSet;

struct Answer {
  std::vector<std::uint8_t> is_core;
  std::vector<std::int64_t> labels;
  bool operator==(const Answer&) const = default;
};

// Counts all pairs, unites core points, numbers components by their lowest row.
template <class T>
Answer obvious_dbscan(const MetricCase& metric, const PointSet<T>& points, const DbscanQuestion& question) {
  const PointSet<double> wide{points.name, points.n, points.dims, {points.numbers.begin(), points.numbers.end()}};
  const double reduced = metric.metric == TreeMetric::euclidean ? question.radius * question.radius : question.radius;
  const auto is_near = [&](std::int64_t i, std::int64_t j) {
    return testing::reduced_distance(metric, wide.row(i), wide.row(j), wide.dims) <= reduced;
  };
  const auto n = static_cast<std::size_t>(points.n);
  Answer answer{std::vector<std::uint8_t>(n), std::vector<std::int64_t>(n, -1)};
  for (std::int64_t i = 0; i < points.n; ++i) {
    double weight = 0;
    for (std::int64_t j = 0; j < points.n; ++j)
      if (is_near(i, j)) weight += question.weight == nullptr ? 1 : question.weight[j];
    answer.is_core[i] = weight >= question.least_weight;
  }
  UnionFind sets(points.n);
  for (std::int32_t i = 0; i < points.n; ++i)
    for (std::int32_t j = 0; j < i; ++j)
      if (answer.is_core[i] && answer.is_core[j] && is_near(i, j)) sets.unite(i, j);
  std::int64_t n_clusters = 0;
  for (std::int32_t i = 0; i < points.n; ++i)
    if (answer.is_core[i]) answer.labels[i] = sets.find(i) == i ? n_clusters++ : answer.labels[sets.find(i)];
  for (std::int64_t i = 0; i < points.n; ++i)
    for (std::int64_t j = 0; j < points.n && !answer.is_core[i]; ++j)
      if (answer.is_core[j] && is_near(i, j) && (answer.labels[i] < 0 || answer.labels[j] < answer.labels[i]))
        answer.labels[i] = answer.labels[j];
  return answer;
}

template <class T>
void check_points(const MetricCase& metric, const PointSet<T>& points) {
  const KDTree<T> tree(points.view(), metric.metric, metric.p, default_leaf_size, 1);
  std::vector<double> weight;
  for (std::int64_t i = 0; i < points.n; ++i) weight.push_back(static_cast<double>(i % 4) - 1);
  for (const double radius : {0.05, 0.2, 1.0, 3.0})
    for (const double least : {1.0, 4.0, 20.0})
      for (const double* weights : {static_cast<const double*>(nullptr), static_cast<const double*>(weight.data())}) {
        const DbscanQuestion question{radius, least, weights};
        const Answer expected = obvious_dbscan(metric, points, question);
        for (const int threads : {1, 3}) {
          Answer found = expected;
          dbscan(tree, question, found.is_core.data(), found.labels.data(), threads);
          CHECK(found == expected);
        }
      }
}

TEST(dbscan_equals_the_definition) {
  for (const std::int64_t n : {1, 31, 33, 200})
    for (const std::int64_t dims : {1, 2, 6}) {
      for (const PointSet<double>& points : testing::point_sets<double>(n, dims)) check_points({TreeMetric::euclidean, 2}, points);
      for (const PointSet<float>& points : testing::point_sets<float>(n, dims))
        if (points.name != "tiny" && points.name != "huge") check_points({TreeMetric::euclidean, 2}, points);
    }
  for (const PointSet<double>& points : testing::point_sets<double>(150, 2)) check_points({TreeMetric::manhattan, 1}, points);
}

TEST(share_of_leaves_grows_with_the_radius) {
  const PointSet<double> points = testing::uniform_points<double>(5000, 2);
  const KDTree<double> tree(points.view(), TreeMetric::euclidean, 2, default_leaf_size, 1);
  CHECK(share_within(tree, 0.01) < share_within(tree, 0.3));
  CHECK(share_within(tree, 2.0) == 1.0);
}

// Rows 0 1 2 | 3 4 5 on a line, both groups tight, far apart.
TEST(condensing_keeps_clusters_of_the_least_size) {
  const std::vector<std::int64_t> ends{0, 1, 1, 2, 3, 4, 4, 5, 2, 3};
  const std::vector<double> distance{1, 1, 1, 1, 10};
  const auto tree = merge_components<std::int64_t>(ends.data(), 5);
  CHECK(tree.size == std::vector<std::int64_t>{2, 3, 2, 3, 6});
  const auto rows = condense<std::int64_t>({tree.left.data(), tree.right.data(), distance.data(), tree.size.data(), 5}, 3);
  CHECK(rows.parent == std::vector<std::int64_t>{6, 6, 7, 7, 7, 8, 8, 8});
  CHECK(rows.size == std::vector<std::int64_t>{3, 3, 1, 1, 1, 1, 1, 1});
  CHECK(rows.density[0] == 0.1 && rows.density[2] == 1.0);
  const std::vector<std::int64_t> labels = cut_below(tree.left.data(), tree.right.data(), distance.data(), 5, 5.0, 2);
  CHECK(labels == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1});
}

// Row 0 weighs three and is a cluster until its copies part; rows 1 and 2 weigh four together and part where they merge.
TEST(a_heavy_row_is_a_cluster_by_itself) {
  const std::vector<std::int64_t> ends{1, 2, 0, 1};
  const std::vector<double> distance{2, 10}, weight{3, 3, 1}, core{0.5, 2, 2};
  const auto tree = merge_components<double>(ends.data(), 2, weight.data());
  CHECK(tree.size == std::vector<double>{4, 7});
  const auto rows =
      condense<double>({tree.left.data(), tree.right.data(), distance.data(), tree.size.data(), 2}, 3, {weight.data(), core.data()});
  CHECK(rows.parent == std::vector<std::int64_t>{3, 3, 4, 5, 5});
  CHECK(rows.child == std::vector<std::int64_t>{4, 5, 0, 1, 2});
  CHECK(rows.size == std::vector<double>{3, 4, 3, 3, 1});
  CHECK(rows.density == std::vector<double>{0.1, 0.1, 2, 0.5, 0.5});
}

}  // namespace
}  // namespace coterie
