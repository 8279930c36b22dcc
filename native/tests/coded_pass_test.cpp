// Passes by codes: the labels and sums of plain passes, and bounds that hold, whatever the step.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kmeans/column_moments.h"
#include "kmeans/exact_sums.h"
#include "kmeans/kmeans_loop.h"
#include "support/cpu_dispatch.h"
#include "tests/check.h"
#include "tests/point_sets.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

using testing::PointSet;

// Rows, and the middle of them that passes take them relative to.
template <class T>
struct Problem {
  PointSet<T> points;
  std::vector<T> centres;
  std::vector<double> weights;
  ColumnMoments columns;
  std::vector<T> shift;

  Problem(PointSet<T> rows, std::int64_t k, std::vector<double> given)
      : points(std::move(rows)), weights(std::move(given)), columns(column_moments(points.view(), weight_data(), 1)) {
    shift = middle_of<T>(columns, false);
    for (std::int64_t c = 0; c < k; ++c)
      for (std::int64_t j = 0; j < points.dims; ++j) {
        const T value = (points.row(c * 13 % points.n)[j] + points.row(c * 7 % points.n)[j]) / 2;
        centres.push_back(value - shift[static_cast<std::size_t>(j)]);
      }
  }

  const double* weight_data() const { return weights.empty() ? nullptr : weights.data(); }
  std::int64_t n_clusters() const { return static_cast<std::int64_t>(centres.size()) / points.dims; }
  MatrixView<T> centre_rows() const { return {centres.data(), n_clusters(), points.dims, points.dims}; }
  KMeansData<T> data(int threads) const { return {points.view(), shift.data(), weight_data(), threads}; }
  ExactSums<T> new_sums(int threads) const {
    return {points.n, n_clusters(), columns, shift, largest_weight(weight_data(), points.n), threads};
  }
};

struct Found {
  std::vector<std::int32_t> labels;
  std::vector<double> sums;
  std::vector<float> upper, lower;
};

template <class T>
std::vector<double> all_sums(const Problem<T>& problem, const ExactSums<T>& sums) {
  std::vector<double> all;
  for (std::int64_t c = 0; c < problem.n_clusters(); ++c) {
    all.push_back(sums.weight(c));
    for (std::int64_t j = 0; j < problem.points.dims; ++j) all.push_back(sums.sum(c, j));
  }
  return all;
}

template <class T>
Found by_plain_pass(const Problem<T>& problem) {
  const ColumnPack<T> pack(problem.centre_rows(), nullptr, squared_metric, 1);
  ExactSums<T> sums = problem.new_sums(1);
  Found found{std::vector<std::int32_t>(static_cast<std::size_t>(problem.points.n), -1), {}, {}, {}};
  engine().of<T>().kmeans.assign(problem.data(1), pack.columns(), sums.units(), found.labels.data(), sums.deltas());
  sums.absorb_deltas();
  found.sums = all_sums(problem, sums);
  return found;
}

template <class T>
Found by_codes(const Problem<T>& problem, double step, int threads, bool with_bounds) {
  const auto n = static_cast<std::size_t>(problem.points.n);
  const std::int64_t n_groups = block_count(problem.points.dims, codes_per_group);
  std::vector<std::int32_t> groups(static_cast<std::size_t>(block_count(problem.points.n, coded_block) * coded_block * n_groups));
  std::vector<float> rest(n), term(n);
  const KMeansData<T> data = problem.data(threads);
  engine().coded<T>().code_rows(data, step, groups.data(), rest.data(), term.data());
  const ColumnPack<T> pack(problem.centre_rows(), nullptr, squared_metric, 1);
  ExactSums<T> sums = problem.new_sums(threads);
  Found found{std::vector<std::int32_t>(n, -1), {}, std::vector<float>(n), std::vector<float>(n)};
  const RowBounds bounds{found.labels.data(), with_bounds ? found.upper.data() : nullptr, with_bounds ? found.lower.data() : nullptr};
  const KMeansCodes rows{groups.data(), rest.data(), term.data(), n_groups, static_cast<double>(static_cast<T>(step))};
  const CodedOutcome outcome = engine().coded<T>().assign(data, rows, pack.columns(), sums.units(), bounds, sums.deltas());
  CHECK(outcome.uncertain >= 0 && outcome.uncertain <= problem.points.n);
  CHECK(outcome.changed == problem.points.n);
  sums.absorb_deltas();
  found.sums = all_sums(problem, sums);
  return found;
}

template <class T>
void check_bounds(const Problem<T>& problem, const Found& found) {
  for (std::int64_t i = 0; i < problem.points.n; ++i) {
    const std::int32_t label = found.labels[static_cast<std::size_t>(i)];
    for (std::int32_t c = 0; c < problem.n_clusters(); ++c) {
      double squared = 0;
      for (std::int64_t j = 0; j < problem.points.dims; ++j) {
        const T value = problem.points.row(i)[j] - problem.shift[static_cast<std::size_t>(j)];
        const double difference = static_cast<double>(value) - static_cast<double>(problem.centre_rows().row(c)[j]);
        squared += difference * difference;
      }
      const double distance = std::sqrt(squared);
      if (c == label) CHECK(distance <= static_cast<double>(found.upper[static_cast<std::size_t>(i)]));
      if (c != label) CHECK(distance >= static_cast<double>(found.lower[static_cast<std::size_t>(i)]));
    }
  }
}

// Whether this processor has such passes; both functions or none.
template <class T>
bool has_codes() {
  CHECK((engine().coded<T>().assign == nullptr) == (engine().coded<T>().code_rows == nullptr));
  return engine().coded<T>().assign != nullptr;
}

template <class T>
void check_problem(const Problem<T>& problem) {
  double extent = 1e-3;
  for (std::size_t t = 0; t < problem.columns.mean.size(); ++t)
    extent = std::max(extent, problem.columns.high[t] - problem.columns.low[t]);
  const Found plain = by_plain_pass(problem);
  for (const double share : {1.0, 0.5, 0.05})  // the last cuts most numbers off
    for (const int threads : {1, 3})
      for (const bool with_bounds : {false, true}) {
        const Found found = by_codes(problem, extent * share / 127, threads, with_bounds);
        CHECK(found.labels == plain.labels);
        CHECK(found.sums == plain.sums);
        if (with_bounds) check_bounds(problem, found);
      }
}

template <class T>
void check_shapes(const char* name, double (*value)(std::int64_t, std::int64_t, double)) {
  for (const std::int64_t dims : {1, 4, 7, 16, 37})
    for (const std::int64_t k : {2, 16, 17, 70})
      for (const std::int64_t n : {1, 31, 333}) {
        const PointSet<T> points = testing::make_points<T>(name, n, dims, value);
        std::vector<double> weights;
        for (std::int64_t i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 5) / 4 + 0.25);
        check_problem(Problem<T>(points, k, {}));
        check_problem(Problem<T>(points, k, weights));
      }
}

template <class T>
void check_kinds() {
  if (!has_codes<T>()) return;
  check_shapes<T>("clouds", [](std::int64_t i, std::int64_t, double u) { return 100 + u * 16 + (i % 3 == 0 ? 24 : 0); });
  check_shapes<T>("ties", [](std::int64_t, std::int64_t, double u) { return std::floor(u * 3); });
  check_shapes<T>("one far away", [](std::int64_t i, std::int64_t, double u) { return i == 7 ? 1e4 : u; });
}

}  // namespace

TEST(passes_by_codes_give_the_labels_and_sums_of_plain_passes_float32) { check_kinds<float>(); }
TEST(passes_by_codes_give_the_labels_and_sums_of_plain_passes_float64) { check_kinds<double>(); }

// Numbers that codes cannot hold: nothing is done.
TEST(passes_by_codes_refuse_centres_far_beyond_the_rows) {
  if (!has_codes<float>()) return;
  Problem<float> problem(testing::make_points<float>("near", 40, 4, [](std::int64_t, std::int64_t, double u) { return u; }), 16, {});
  problem.centres[0] = 1e9f;
  std::vector<std::int32_t> groups(2 * coded_block), labels(40, -1);
  std::vector<float> rest(40), term(40);
  engine().coded<float>().code_rows(problem.data(1), 1e-2, groups.data(), rest.data(), term.data());
  const ColumnPack<float> pack(problem.centre_rows(), nullptr, squared_metric, 1);
  ExactSums<float> sums = problem.new_sums(1);
  const CodedOutcome outcome =
      engine().coded<float>().assign(problem.data(1), {groups.data(), rest.data(), term.data(), 1, 1e-2}, pack.columns(), sums.units(),
                                     {labels.data(), nullptr, nullptr}, sums.deltas());
  CHECK(outcome.uncertain == -1);
  CHECK(labels == std::vector<std::int32_t>(40, -1));
}

}  // namespace coterie
