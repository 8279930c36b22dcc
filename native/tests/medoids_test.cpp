// Medoids: the swaps of an obvious search, on every instruction set, from a matrix and without one.
#include "medoids/medoids.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "support/cpu_dispatch.h"
#include "tests/check.h"
#include "tests/point_sets.h"

namespace coterie {
namespace {

using testing::PointSet;
using Ids = std::vector<std::int64_t>;

constexpr Metric euclidean = {Kernel::dot, Finish::norm, 2};

template <class T>
std::vector<T> all_distances(const PointSet<T>& points) {
  std::vector<T> D(static_cast<std::size_t>(points.n * points.n));
  store_self<T>(points.view(), euclidean, 1, {D.data(), points.n, false});
  return D;
}

template <class T>
double loss_of(const std::vector<T>& D, std::int64_t n, const Ids& medoids, const double* weights, MedoidObjective objective) {
  double total = 0;
  for (std::int64_t o = 0; o < n; ++o) {
    std::vector<T> near;
    for (const std::int64_t medoid : medoids) near.push_back(D[static_cast<std::size_t>(medoid * n + o)]);
    std::sort(near.begin(), near.end());
    const double loss = objective == MedoidObjective::distance ? static_cast<double>(near[0]) : medoid_ratio(near[0], near[1]);
    total += (weights == nullptr ? 1.0 : weights[o]) * loss;
  }
  return total;
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

// No swap is left that improves, and the loss is the one it says it is.
template <class T>
void check_settled(const std::vector<T>& D, std::int64_t n, const SwapOutcome& outcome, const double* weights,
                   MedoidObjective objective) {
  CHECK(outcome.is_settled);
  CHECK(is_close(outcome.loss, loss_of(D, n, outcome.medoids, weights, objective)));
  for (std::size_t slot = 0; slot < outcome.medoids.size(); ++slot)
    for (std::int64_t row = 0; row < n; ++row) {
      Ids trial = outcome.medoids;
      if (std::find(trial.begin(), trial.end(), row) != trial.end()) continue;
      trial[slot] = row;
      CHECK(loss_of(D, n, trial, weights, objective) >= outcome.loss * (1 - 1e-9) - 1e-12);
    }
}

template <class T>
void check_swaps(const PointSet<T>& points, MedoidObjective objective, SwapRule rule, std::int64_t k) {
  const std::vector<T> D = all_distances(points);
  Ids everything(static_cast<std::size_t>(points.n)), start(static_cast<std::size_t>(k));
  std::iota(everything.begin(), everything.end(), 0);
  std::iota(start.begin(), start.end(), 3);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < points.n; ++i) weights.push_back(1 + static_cast<double>(i % 3));
  for (const double* own : {static_cast<const double*>(nullptr), static_cast<const double*>(weights.data())}) {
    GivenRows<T> given({D.data(), points.n, points.n, points.n});
    ComputedRows<T> computed(points.view(), points.view(), euclidean, 3);
    const SwapOutcome by_matrix = swap_medoids<T>(given, everything, own, start, {objective, rule, 100, 1}, {});
    check_settled(D, points.n, by_matrix, own, objective);
    const SwapOutcome by_rows = swap_medoids<T>(computed, everything, own, start, {objective, rule, 100, 3}, {});
    CHECK(by_rows.is_settled && std::abs(by_rows.loss - by_matrix.loss) <= 0.05 * (1e-6 + by_matrix.loss));
    const SwapOutcome again = swap_medoids<T>(computed, everything, own, start, {objective, rule, 100, 1}, {});
    CHECK(again.medoids == by_rows.medoids && again.loss == by_rows.loss && again.n_swaps == by_rows.n_swaps);
  }
}

template <class T>
void check_build(const PointSet<T>& points) {
  const std::vector<T> D = all_distances(points);
  Ids everything(static_cast<std::size_t>(points.n)), expected;
  std::iota(everything.begin(), everything.end(), 0);
  GivenRows<T> given({D.data(), points.n, points.n, points.n});
  const Ids built = build_medoids<T>(given, everything, nullptr, 5, 2);
  for (std::size_t count = 1; count <= built.size(); ++count) {
    const double taken = loss_of(D, points.n, Ids(built.begin(), built.begin() + static_cast<std::ptrdiff_t>(count)), nullptr,
                                 MedoidObjective::distance);
    for (const std::int64_t row : everything) {
      Ids trial(built.begin(), built.begin() + static_cast<std::ptrdiff_t>(count) - 1);
      trial.push_back(row);
      CHECK(loss_of(D, points.n, trial, nullptr, MedoidObjective::distance) >= taken * (1 - 1e-9) - 1e-12);
    }
  }
}

template <class T>
void check_all_sets() {
  for (const PointSet<T>& points : testing::point_sets<T>(67, 3)) {
    if (points.name == "huge" || points.name == "tiny") continue;  // squares overflow or vanish
    check_build(points);
    for (const MedoidObjective objective : {MedoidObjective::distance, MedoidObjective::silhouette})
      for (const std::int64_t k : {2, 4}) check_swaps(points, objective, SwapRule::first, k);
    check_swaps(points, MedoidObjective::distance, SwapRule::best, 3);
  }
}

TEST(medoids_cannot_be_improved_on_any_instruction_set) {
  const std::string before = engine().name;
  std::istringstream names(available_instruction_sets());
  for (std::string name; names >> name;) {
    use_instruction_set(name);
    check_all_sets<float>();
    check_all_sets<double>();
  }
  use_instruction_set(before);
}

TEST(medoids_of_more_rows_than_a_panel) {
  const auto points = testing::uniform_points<double>(700, 2);
  Ids everything(700), start(40);
  std::iota(everything.begin(), everything.end(), 0);
  std::iota(start.begin(), start.end(), 0);
  ComputedRows<double> computed(points.view(), points.view(), euclidean, 2);
  std::int64_t n_heard = 0;
  const SwapOutcome outcome =
      swap_medoids<double>(computed, everything, nullptr, start, {MedoidObjective::distance, SwapRule::first, 50, 2},
                           [&](std::int64_t, double) { ++n_heard; });
  CHECK(outcome.is_settled && outcome.n_passes == n_heard);
  CHECK(is_close(outcome.loss, loss_of(all_distances(points), 700, outcome.medoids, nullptr, MedoidObjective::distance)));
}

}  // namespace
}  // namespace coterie
