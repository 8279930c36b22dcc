// The walks of OPTICS against its definition, spelled out with a list of all rows.
#include "density/optics.h"

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

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Answer {
  explicit Answer(std::int64_t n) : ordering(n, -1), reachability(n, infinity), predecessor(n, -1) {}
  OpticsOutput out() { return {ordering.data(), reachability.data(), predecessor.data()}; }
  bool operator==(const Answer&) const = default;

  std::vector<std::int64_t> ordering;
  std::vector<double> reachability;
  std::vector<std::int64_t> predecessor;
};

// The distance to the min_samples-th row, itself included; infinite beyond the radius.
std::vector<double> core_distances(const Square& D, std::size_t min_samples, double radius) {
  std::vector<double> core;
  for (std::vector<double> row : D) {
    std::sort(row.begin(), row.end());
    const bool is_core = min_samples <= row.size() && row[min_samples - 1] <= radius;
    core.push_back(is_core ? row[min_samples - 1] : infinity);
  }
  return core;
}

double rounded(double value) { return std::nearbyint(value * 1e15) / 1e15; }

Answer by_definition(const Square& D, const OpticsQuestion& question) {
  const auto n = static_cast<std::int64_t>(D.size());
  Answer answer(n);
  std::vector<bool> is_visited(n, false);
  for (std::int64_t visit = 0; visit < n; ++visit) {
    std::int64_t row = -1;
    for (std::int64_t i = 0; i < n; ++i)
      if (!is_visited[i] && (row < 0 || answer.reachability[i] < answer.reachability[row])) row = i;
    is_visited[row] = true;
    answer.ordering[visit] = row;
    if (question.core[row] == infinity) continue;
    for (std::int64_t i = 0; i < n; ++i) {
      if (is_visited[i] || D[row][i] > question.radius) continue;
      const double offer = rounded(std::max(question.core[row], D[row][i]));
      if (offer >= answer.reachability[i]) continue;
      answer.reachability[i] = offer;
      answer.predecessor[i] = row;
    }
  }
  return answer;
}

Answer by_graph(const Square& D, const OpticsQuestion& question) {
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  for (std::size_t i = 0; i < D.size(); ++i) {
    for (std::size_t j = 0; j < D.size(); ++j)
      if (D[i][j] <= question.radius) {
        values.push_back(D[i][j]);
        columns.push_back(static_cast<std::int32_t>(j));
      }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  const auto n = static_cast<std::int64_t>(D.size());
  Answer answer(n);
  optics_of_graph({values.data(), columns.data(), starts.data(), n, n}, question, answer.out());
  return answer;
}

void check_walks(const PointSet<double>& points) {
  const Square D = testing::square_of_distances(points);
  const KDTree<double> tree(points.view(), TreeMetric::euclidean, 2, default_leaf_size, 1);
  for (const double radius : {0.1, 0.5, infinity})
    for (const std::size_t min_samples : {2, 5}) {
      const std::vector<double> core = core_distances(D, min_samples, radius);
      const OpticsQuestion question{core.data(), radius};
      const Answer expected = by_definition(D, question);
      Answer by_rows(points.n), by_tree(points.n);
      optics_of_rows(points.n, [&](std::int64_t i) { return D[i].data(); }, question, by_rows.out());
      optics_of_tree(tree, 1.0, question, by_tree.out());
      CHECK(by_rows == expected);
      CHECK(by_graph(D, question) == expected);
      CHECK(by_tree == expected);
    }
}

TEST(optics_walks_as_defined) {
  for (const std::int64_t n : {1, 2, 40, 150})
    for (const std::int64_t dims : {1, 2, 5}) check_walks(testing::uniform_points<double>(n, dims));
}

// Whole numbers: many distances are equal, and the lowest row comes first.
TEST(optics_settles_ties_by_the_lowest_row) {
  for (const PointSet<double>& points : testing::point_sets<double>(100, 2))
    if (points.name == "grid" || points.name == "few distinct" || points.name == "all equal") check_walks(points);
}

}  // namespace
}  // namespace coterie
