// Medoids: the swaps of an obvious search, on every instruction set, from a matrix and without one.
#include "medoids/medoids.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/cpu_dispatch.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"
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

// No swap is left that improves by more than rounding, and the loss is the one it says it is.
template <class T>
void check_settled(const std::vector<T>& D, std::int64_t n, const SwapOutcome& outcome, const double* weights,
                   MedoidObjective objective) {
  CHECK(outcome.is_settled);
  CHECK(is_close(outcome.loss, loss_of(D, n, outcome.medoids, weights, objective)));
  for (std::size_t slot = 0; slot < outcome.medoids.size(); ++slot) {
    Ids others = outcome.medoids;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(slot));
    double without = 0;  // the loss if the medoid were lost; that of ratios is at most the sum of the weights
    for (std::int64_t o = 0; o < n; ++o) without += weights == nullptr ? 1.0 : weights[o];
    if (objective == MedoidObjective::distance) without = loss_of(D, n, others, weights, objective);
    const double rounding = equal_share<T>(n) * (outcome.loss + without);
    for (std::int64_t row = 0; row < n; ++row) {
      Ids trial = outcome.medoids;
      if (std::find(trial.begin(), trial.end(), row) != trial.end()) continue;
      trial[slot] = row;
      CHECK(loss_of(D, n, trial, weights, objective) >= outcome.loss * (1 - 1e-9) - rounding - 1e-12);
    }
  }
}

void check_same(const SwapOutcome& a, const SwapOutcome& b) {
  CHECK(a.medoids == b.medoids && a.loss == b.loss && a.n_swaps == b.n_swaps && a.n_passes == b.n_passes);
}

// A matrix that is taken for one which will not stay: nothing is known of its rows but when they are fetched, no bounds either.
template <class T>
class MovingRows : public GivenRows<T> {
 public:
  using GivenRows<T>::GivenRows;
  bool is_lasting() const override { return false; }
};

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
    const SwapOutcome by_matrix = swap_medoids<T>(given, everything, own, {start}, {objective, rule, 100, 1}, {})[0];
    check_settled(D, points.n, by_matrix, own, objective);
    MovingRows<T> moving({D.data(), points.n, points.n, points.n});
    check_same(by_matrix, swap_medoids<T>(moving, everything, own, {start}, {objective, rule, 100, 2}, {})[0]);
    const SwapOutcome by_rows = swap_medoids<T>(computed, everything, own, {start}, {objective, rule, 100, 3}, {})[0];
    CHECK(by_rows.is_settled && std::abs(by_rows.loss - by_matrix.loss) <= 0.05 * (1e-6 + by_matrix.loss));
    check_same(by_rows, swap_medoids<T>(computed, everything, own, {start}, {objective, rule, 100, 1}, {})[0]);
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
  testing::on_every_instruction_set([&] {
    check_all_sets<float>();
    check_all_sets<double>();
  });
}

TEST(medoids_of_more_rows_than_a_panel) {
  const auto points = testing::uniform_points<double>(700, 2);
  Ids everything(700), start(40);
  std::iota(everything.begin(), everything.end(), 0);
  std::iota(start.begin(), start.end(), 0);
  ComputedRows<double> computed(points.view(), points.view(), euclidean, 2);
  std::int64_t n_heard = 0;
  const SwapOutcome outcome =
      swap_medoids<double>(computed, everything, nullptr, {start}, {MedoidObjective::distance, SwapRule::first, 50, 2},
                           [&](std::int64_t, double) { ++n_heard; })[0];
  CHECK(outcome.is_settled && outcome.n_passes == n_heard);
  CHECK(is_close(outcome.loss, loss_of(all_distances(points), 700, outcome.medoids, nullptr, MedoidObjective::distance)));
}

Ids sorted(Ids ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(starts_side_by_side_end_as_each_alone) {
  const auto points = testing::uniform_points<double>(700, 3);
  const std::vector<double> D = all_distances(points);
  Ids everything(700);
  std::iota(everything.begin(), everything.end(), 0);
  std::vector<Ids> starts;
  for (std::int64_t s = 0; s < 5; ++s) {
    starts.emplace_back(20);
    std::iota(starts.back().begin(), starts.back().end(), 100 * s);
  }
  starts.emplace_back(starts[1].rbegin(), starts[1].rend());
  GivenRows<double> given({D.data(), 700, 700, 700});
  ComputedRows<double> computed(points.view(), points.view(), euclidean, 2);
  for (DistanceRows<double>* rows : {static_cast<DistanceRows<double>*>(&given), static_cast<DistanceRows<double>*>(&computed)})
    for (const SwapRule rule : {SwapRule::first, SwapRule::best})
      for (const int threads : {1, 2, 7}) {
        const SwapOptions options{MedoidObjective::distance, rule, 40, threads};
        const std::vector<SwapOutcome> together = swap_medoids<double>(*rows, everything, nullptr, starts, options, {});
        CHECK(together.size() == starts.size());
        for (std::size_t s = 0; s < starts.size(); ++s) {
          const SwapOutcome alone = swap_medoids<double>(*rows, everything, nullptr, {starts[s]}, options, {})[0];
          CHECK(sorted(together[s].medoids) == sorted(alone.medoids) && together[s].loss == alone.loss);
        }
        check_same(together[1], together[5]);  // the same rows in another order
      }
}

// Bounds are made of floats, and hold where these have no digits left or are infinite.
TEST(swaps_do_not_depend_on_the_scale_of_distances_and_weights) {
  const auto points = testing::uniform_points<double>(150, 3);
  const std::vector<double> plain = all_distances(points);
  Ids everything(150), start(6);
  std::iota(everything.begin(), everything.end(), 0);
  std::iota(start.begin(), start.end(), 0);
  for (const double scale : {1e-250, 1e-89, 1e-44, 1e-38, 1e-20, 1e20, 1e36, 1e39, 1e200})
    for (const double weight : {0.0, 1e-80, 1e-30, 1e30, 1e80}) {
      std::vector<double> D = plain, weights(150);
      for (double& distance : D) distance *= scale;
      for (std::size_t o = 0; o < weights.size(); ++o) weights[o] = weight * static_cast<double>(o % 3);
      const double* own = weight == 0 ? nullptr : weights.data();
      GivenRows<double> given({D.data(), 150, 150, 150});
      MovingRows<double> moving({D.data(), 150, 150, 150});
      for (const SwapRule rule : {SwapRule::first, SwapRule::best}) {
        const SwapOptions options{MedoidObjective::distance, rule, 60, 1};
        const SwapOutcome coded = swap_medoids<double>(given, everything, own, {start}, options, {})[0];
        CHECK(coded.n_swaps > 0 || (weight > 0 && scale * weight < 1e-300));  // sums that vanish
        check_same(coded, swap_medoids<double>(moving, everything, own, {start}, options, {})[0]);
      }
    }
}

// Distances of every size, in and beyond the range of floats.
std::vector<double> odd_distances() {
  std::vector<double> values{0.0, -0.0, 1e-320, 1e-45, 1e-38, 1e-30, 3.4028234e38, 3.5e38, 1e300, INFINITY};
  for (double value = 1e-5; value < 1e6; value *= 1.0007) values.push_back(value);
  return values;
}

TEST(codes_of_distances_keep_their_order_and_are_never_above_them) {
  std::vector<double> values = odd_distances();
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(static_cast<double>(distance_of(code_of(values[i]))) <= values[i]);
    if (i > 0) CHECK(code_of(values[i - 1]) <= code_of(values[i]));
    if (values[i] > 1e-30 && values[i] < 1e30)
      CHECK(static_cast<double>(distance_of(code_of(values[i]))) > values[i] * (1 - 0x1.0p-7));
  }
}

TEST(bounds_of_swaps_are_below_what_they_bound_on_any_instruction_set) {
  testing::on_every_instruction_set([&] {
    const auto points = testing::uniform_points<double>(333, 4);
    const std::vector<double> D = all_distances(points);
    std::vector<double> nearest, second;
    std::vector<std::int32_t> slots;
    std::vector<CodedPoint> coded;
    std::vector<DistanceCode> limits, codes(333);
    for (std::size_t o = 0; o < 333; ++o) {  // medoids: rows 0 and 1
      const double a = D[o], b = D[333 + o];
      nearest.push_back(std::min(a, b));
      second.push_back(std::max(a, b));
      slots.push_back(a <= b ? 0 : 1);
      coded.push_back({static_cast<float>(nearest[o]), static_cast<float>(second[o]), slots[o], 1.0f});
      limits.push_back(static_cast<DistanceCode>(code_of(second[o]) + 1));
    }
    const MedoidPoints<double> exact{333, nullptr, {nearest.data(), second.data(), nullptr}, {slots.data(), nullptr, nullptr}};
    const MedoidKernels<double>& kernels = engine().of<double>().medoids;
    for (std::size_t row = 2; row < 333; ++row) {
      double change[2] = {7, 9}, bound[4] = {7, 9, 0, 0};
      engine().distance_codes.encode(D.data() + row * 333, 333, codes.data());
      for (std::size_t o = 0; o < 333; ++o) CHECK(codes[o] == code_of(D[row * 333 + o]));
      const double all = kernels.distance_change(D.data() + row * 333, exact, change);
      const double all_bound = engine().distance_codes.change_bound(codes.data(), {333, 2, coded.data(), limits.data()}, bound);
      for (int slot = 0; slot < 2; ++slot) {
        CHECK(bound[slot] + all_bound <= change[slot] + all + 1e-4);
        CHECK(bound[slot] + all_bound >= change[slot] + all - 0.01 * 333);
      }
    }
  });
}

}  // namespace
}  // namespace coterie
