#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "density/mean_shift.h"
#include "graph/affinity_propagation.h"
#include "tests/check.h"
#include "tests/point_sets.h"

namespace coterie {
namespace {

using testing::PointSet;

// The messages as the formulas say, in full matrices.
struct ObviousMessages {
  std::vector<double> s, a, r;
  std::int64_t n;
  double damping;

  void step() {
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<double> fresh(n);
      for (std::int64_t k = 0; k < n; ++k) {
        double best = -std::numeric_limits<double>::infinity();
        for (std::int64_t j = 0; j < n; ++j)
          if (j != k) best = std::max(best, a[i * n + j] + s[i * n + j]);
        fresh[k] = s[i * n + k] - best;
      }
      for (std::int64_t k = 0; k < n; ++k) r[i * n + k] = damping * r[i * n + k] + (1 - damping) * fresh[k];
    }
    for (std::int64_t k = 0; k < n; ++k) {
      double wanted = 0;
      for (std::int64_t j = 0; j < n; ++j) wanted += j == k ? 0 : std::max(r[j * n + k], 0.0);
      for (std::int64_t i = 0; i < n; ++i) {
        const double other = r[k * n + k] + wanted - std::max(r[i * n + k], 0.0);
        a[i * n + k] = damping * a[i * n + k] + (1 - damping) * (i == k ? wanted : std::min(0.0, other));
      }
    }
  }
  double evidence(std::int64_t k) const { return a[k * n + k] + r[k * n + k]; }
};

template <class T>
void check_messages(std::int64_t n, double damping) {
  const PointSet<T> points = testing::uniform_points<T>(n, 3);
  std::vector<T> similarities(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      T total = i == k ? T{0.2} : T{0};
      for (std::int64_t j = 0; j < 3; ++j) total += (points.row(i)[j] - points.row(k)[j]) * (points.row(i)[j] - points.row(k)[j]);
      similarities[i * n + k] = -total;
    }
  const auto size = static_cast<std::size_t>(n * n);
  ObviousMessages obvious{
      {similarities.begin(), similarities.end()}, std::vector<double>(size, 0.0), std::vector<double>(size, 0.0), n, damping};
  Messages<T> one(similarities.data(), n, damping), three(similarities.data(), n, damping);
  std::vector<std::uint8_t> exemplars(n), others(n);
  for (int step = 0; step < 30; ++step) {
    obvious.step();
    one.step(exemplars.data(), 1);
    three.step(others.data(), 3);
    CHECK(exemplars == others);
    for (std::int64_t k = 0; k < n; ++k)
      CHECK(std::abs(obvious.evidence(k)) < 1e-9 || (exemplars[k] != 0) == (obvious.evidence(k) > 0));
  }
}

TEST(messages_are_those_of_the_formulas) {
  for (const std::int64_t n : {2, 3, 17, 70})
    for (const double damping : {0.5, 0.9}) {
      check_messages<double>(n, damping);
      check_messages<float>(n, damping);
    }
}

TEST(seeds_move_to_means) {
  for (const std::int64_t n : {1, 31, 33, 500})
    for (const std::int64_t dims : {1, 2, 7}) {
      const PointSet<double> points = testing::uniform_points<double>(n, dims);
      const KDTree<double> tree(points.view(), TreeMetric::euclidean, 2, default_leaf_size, 1);
      const double radius = 0.4;
      MovingSeeds seeds(tree, points.view(), radius, false, 2);
      seeds.step(true, 2);
      std::vector<double> places(static_cast<std::size_t>(n * dims));
      std::vector<std::int64_t> counts(n), steps(n);
      seeds.read(places.data(), counts.data(), steps.data());
      for (std::int64_t i = 0; i < n; ++i) {
        std::vector<double> sums(dims, 0.0);
        std::int64_t count = 0;
        for (std::int64_t other = 0; other < n; ++other) {
          double reduced = 0;
          for (std::int64_t j = 0; j < dims; ++j)
            reduced += (points.row(other)[j] - points.row(i)[j]) * (points.row(other)[j] - points.row(i)[j]);
          if (reduced > radius * radius) continue;
          ++count;
          for (std::int64_t j = 0; j < dims; ++j) sums[j] += points.row(other)[j];
        }
        CHECK(counts[i] == count && steps[i] == 0);
        for (std::int64_t j = 0; j < dims; ++j) CHECK(std::abs(places[i * dims + j] - sums[j] / count) < 1e-13);
      }
    }
}

// Whatever their digits, equal rows have themselves as their mean, and seeds that meet stay together.
TEST(equal_rows_do_not_move) {
  const std::int64_t n = 77;
  std::vector<double> rows;
  for (std::int64_t i = 0; i < n; ++i) rows.insert(rows.end(), {0.1 + static_cast<double>(i % 3) / 7, 1e-9 / 3});
  const MatrixView<double> view{rows.data(), n, 2, 2};
  const KDTree<double> tree(view, TreeMetric::euclidean, 2, default_leaf_size, 1);
  MovingSeeds seeds(tree, view, 0.0, false, 1);
  CHECK(seeds.step(false, 1) == 0);
  std::vector<double> places(rows.size());
  std::vector<std::int64_t> counts(n), steps(n);
  seeds.read(places.data(), counts.data(), steps.data());
  CHECK(places == rows);
  CHECK(counts[0] == 26 && counts[2] == 25);
}

}  // namespace
}  // namespace coterie
