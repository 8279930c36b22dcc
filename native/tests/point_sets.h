// Point sets that are hard on trees, and the slow, obvious answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/matrix_view.h"
#include "support/random.h"
#include "trees/kdtree_view.h"

namespace coterie::testing {

template <class T>
struct PointSet {
  std::string name;
  std::int64_t n;
  std::int64_t dims;
  std::vector<T> numbers;

  MatrixView<T> view() const { return {numbers.data(), n, dims, dims}; }
  const T* row(std::int64_t i) const { return numbers.data() + i * dims; }
};

// value(i, j, random number in [0, 1))
template <class T, class Value>
PointSet<T> make_points(const std::string& name, std::int64_t n, std::int64_t dims, Value value) {
  PointSet<T> points{name, n, dims, std::vector<T>(static_cast<std::size_t>(n * dims))};
  const CounterRandom random(static_cast<std::uint64_t>(n * 100 + dims));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < dims; ++j)
      points.numbers[static_cast<std::size_t>(i * dims + j)] =
          static_cast<T>(value(i, j, random.uniform(static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(i))));
  return points;
}

template <class T>
PointSet<T> uniform_points(std::int64_t n, std::int64_t dims) {
  return make_points<T>("uniform", n, dims, [](std::int64_t, std::int64_t, double u) { return u - 0.5; });
}

template <class T>
std::vector<PointSet<T>> point_sets(std::int64_t n, std::int64_t dims) {
  using Int = std::int64_t;
  const auto make = [&](const char* name, auto value) { return make_points<T>(name, n, dims, value); };
  const auto largest = static_cast<double>(std::numeric_limits<T>::max());
  const auto smallest = static_cast<double>(std::numeric_limits<T>::min());
  return {
      uniform_points<T>(n, dims),
      make("clustered", [](Int i, Int, double u) { return static_cast<double>(i % 3) * 100 + u * u; }),
      make("few distinct", [](Int, Int, double u) { return std::floor(u * 3); }),
      make("all equal", [](Int, Int, double) { return 2.5; }),
      make("collinear", [](Int i, Int j, double) { return static_cast<double>((i * 7919 % 1000) * (j + 1)); }),
      make("grid", [](Int i, Int j, double) { return static_cast<double>(j < 31 ? (i >> (2 * j)) & 3 : 0); }),
      make("huge", [=](Int, Int, double u) { return (u - 0.5) * largest; }),
      make("tiny", [=](Int, Int, double u) { return u * smallest; }),
  };
}

struct MetricCase {
  TreeMetric metric;
  double p;
};

inline std::vector<MetricCase> metric_cases() {
  return {{TreeMetric::euclidean, 2}, {TreeMetric::sqeuclidean, 2},
          {TreeMetric::manhattan, 2}, {TreeMetric::chebyshev, 2},
          {TreeMetric::minkowski, 3}, {TreeMetric::minkowski, 1.5},
          {TreeMetric::minkowski, 2}, {TreeMetric::minkowski, std::numeric_limits<double>::infinity()}};
}

// The distance without its final root, one coordinate after the other, in the precision of T.
template <class T>
T reduced_distance(const MetricCase& metric, const T* a, const T* b, std::int64_t dims) {
  T total = 0;
  for (std::int64_t j = 0; j < dims; ++j) {
    const T size = std::abs(a[j] - b[j]);
    if (metric.metric == TreeMetric::manhattan)
      total += size;
    else if (metric.metric == TreeMetric::chebyshev || metric.p > 1e300)
      total = std::max(total, size);
    else if (metric.metric != TreeMetric::minkowski || metric.p == 2)
      total += size * size;
    else if (metric.p == 3)
      total += size * size * size;
    else
      total += static_cast<T>(std::pow(static_cast<double>(size), metric.p));
  }
  return total;
}

template <class T>
T finished_distance(const MetricCase& metric, T reduced) {
  if (metric.metric == TreeMetric::euclidean) return std::sqrt(reduced);
  if (metric.metric != TreeMetric::minkowski || metric.p > 1e300) return reduced;
  return metric.p == 2 ? std::sqrt(reduced) : static_cast<T>(std::pow(static_cast<double>(reduced), 1 / metric.p));
}

template <class T>
using Neighbours = std::vector<std::pair<T, std::int64_t>>;  // (reduced distance, row)

// Every point but `left_out`, nearest first.
template <class T>
Neighbours<T> sorted_neighbours(const MetricCase& metric, const PointSet<T>& points, const T* query, std::int64_t left_out = -1) {
  Neighbours<T> found;
  for (std::int64_t i = 0; i < points.n; ++i)
    if (i != left_out) found.emplace_back(reduced_distance(metric, query, points.row(i), points.dims), i);
  std::sort(found.begin(), found.end());
  return found;
}

using Square = std::vector<std::vector<double>>;

// Euclidean, of all rows to all rows.
inline Square square_of_distances(const PointSet<double>& points) {
  Square D(points.n, std::vector<double>(points.n));
  for (std::int64_t i = 0; i < points.n; ++i)
    for (std::int64_t j = 0; j < points.n; ++j)
      D[i][j] = std::sqrt(reduced_distance({TreeMetric::euclidean, 2}, points.row(i), points.row(j), points.dims));
  return D;
}

}  // namespace coterie::testing
