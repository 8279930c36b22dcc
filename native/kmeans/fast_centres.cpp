// Before an Exponion pass: which few centres moved so far that rows had better meet them one by one.
#include "kmeans/fast_centres.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/number_order.h"

namespace coterie {
namespace {

// What the sampled rows would do.
struct Expectation {
  std::int64_t rows = 0, failing = 0, full = 0;
};

struct Scenario {
  std::int64_t n_fast;
  float slow;                              // how far the fastest of the other centres went
  const std::vector<float>& nearest_fast;  // per centre: distance of the nearest fast one
};

Expectation expect(const CentreMoves& moves, const RowBounds& bounds, std::int64_t n_rows, const Scenario& scenario) {
  const std::int64_t step = std::max<std::int64_t>(1, n_rows / sample_size);
  Expectation expected;
  for (std::int64_t i = 0; i < n_rows; i += step) {
    const auto label = static_cast<std::size_t>(bounds.label[i]);
    const ClusterDrift& drift = moves.drift[label];
    const float upper = bounds.upper[i] + drift.moved;
    const float lower = std::min(bounds.lower[i] - std::min(scenario.slow, drift.others), drift.beyond - upper);
    const float own = drift.moved > scenario.slow ? bounds.upper[i] : upper;  // a fast centre may have come nearer as well
    ++expected.rows;
    if (upper <= std::max(drift.gap, std::min(lower, scenario.nearest_fast[label] - upper))) continue;
    ++expected.failing;
    expected.full += own > lower;
  }
  return expected;
}

double panels_of(std::int64_t n_centres, const CentreMoves& moves) {
  return static_cast<double>((n_centres + moves.panel_width - 1) / moves.panel_width);
}

FastChoice price(const CentreMoves& moves, const Expectation& expected, std::int64_t n_fast) {
  const auto share = [&](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(expected.rows); };
  const double fast_panels = panels_of(n_fast, moves), panels = panels_of(moves.n_centres, moves);
  const double overhead = pass_cost::overhead(moves.cols), gathering = overhead * pass_cost::gathering;
  const double to_fast = gathering + fast_panels * pass_cost::panel;
  const double full = gathering + panels * pass_cost::panel;
  const double failing = share(expected.failing) * overhead * pass_cost::own_distance;
  return {{},
          overhead * pass_cost::bounds + failing + share(expected.failing - expected.full) * to_fast + share(expected.full) * full,
          expected.failing == 0 ? 1.0 : static_cast<double>(expected.full) / static_cast<double>(expected.failing)};
}

}  // namespace

FastChoice choose_fast_centres(const CentreMoves& moves, const RowBounds& bounds, std::int64_t n_rows) {
  const auto k = static_cast<std::size_t>(moves.n_centres);
  std::vector<std::int32_t> order(k);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return stands_before(-moves.moved[a], a, -moves.moved[b], b); });
  std::vector<float> nearest_fast(k, std::numeric_limits<float>::infinity());
  FastChoice best = price(moves, expect(moves, bounds, n_rows, {0, moves.moved[order[0]], nearest_fast}), 0);
  std::size_t n_listed = 0;
  for (std::int64_t n = moves.panel_width; n <= moves.n_centres / 2; n *= 2) {
    for (; n_listed < static_cast<std::size_t>(n); ++n_listed)
      for (std::size_t a = 0; a < k; ++a) {
        const auto fast = static_cast<std::size_t>(order[n_listed]);
        const float distance = moves.between == nullptr ? 0.0f : moves.between[fast * k + a];
        if (a != fast) nearest_fast[a] = std::min(nearest_fast[a], distance);
      }
    FastChoice choice = price(moves, expect(moves, bounds, n_rows, {n, moves.moved[order[n_listed]], nearest_fast}), n);
    if (choice.cost >= best.cost) continue;
    best = std::move(choice);
    best.ids.assign(order.begin(), order.begin() + n);
  }
  return best;
}

}  // namespace coterie
