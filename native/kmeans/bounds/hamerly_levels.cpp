// Before a Hamerly pass: how many of the fastest centres a row meets, by what its bounds leave it and what that costs.
#include "kmeans/bounds/hamerly_levels.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kmeans/fast_centres.h"
#include "support/number_order.h"

namespace coterie {
namespace {

constexpr double part_of_full = 0.5;  // timed on the row many of benchmarks/rows/kmeans.py: movements shrink, the slack lasts longer

// Of a pass, in panels: what the level costs now, and its part of the full meeting that it brings nearer. A full meeting is shared by
// the passes that it spares the row.
double price(const HamerlyLevels& plan, int at, double slack, double overhead, double passes_spared) {
  const HamerlyLevel& level = plan.levels[at];
  const auto panels = static_cast<double>(level.panels), all_panels = static_cast<double>(plan.levels[plan.all()].panels);
  const double around = level.panels > 0 ? overhead * (pass_cost::own_distance + pass_cost::gathering_in_order) : 0;
  if (at == plan.all()) return (around + panels) / passes_spared;
  return around + panels + part_of_full * (all_panels - panels) * static_cast<double>(level.missed) / slack;
}

std::uint8_t cheapest_level(const HamerlyLevels& plan, float slack, double overhead, double passes_spared) {
  int best = plan.all();
  for (int level = 0; level < plan.all(); ++level) {
    if (!(plan.levels[level].missed < slack)) continue;
    if (price(plan, level, slack, overhead, passes_spared) < price(plan, best, slack, overhead, passes_spared)) best = level;
  }
  return static_cast<std::uint8_t>(best);
}

}  // namespace

HamerlyLevels plan_hamerly_levels(const float* moved, std::int64_t n_centres, std::int64_t panel_width, std::int64_t cols,
                                  float new_slack) {
  HamerlyLevels plan{};
  const std::int64_t all_panels = (n_centres + panel_width - 1) / panel_width;
  // 0, 1, 2, 3, 4, 6, 8, 12, 16 ...: half a doubling apart
  for (std::int64_t panels = 0, step = 1; panels < all_panels && plan.count < HamerlyLevels::capacity - 1; panels += step) {
    if (panels >= 4 && std::has_single_bit(static_cast<std::uint64_t>(panels))) step = panels / 2;
    plan.levels[plan.count++] = {panels, moved[panels * panel_width]};
  }
  plan.levels[plan.count++] = {all_panels, 0.0f};
  const float largest = std::max(moved[0], std::numeric_limits<float>::min());
  constexpr std::int32_t above = 64;  // slacks of up to 256 times the largest movement have buckets of their own
  plan.first_bucket = std::max<std::int32_t>(1, HamerlyLevels::bucket(largest) + above - HamerlyLevels::buckets);
  const double passes_spared = std::max(1.0, static_cast<double>(new_slack) / static_cast<double>(largest));
  for (std::int32_t at = 0; at < HamerlyLevels::buckets; ++at) {
    const auto edge = std::bit_cast<float>((plan.first_bucket + at) << HamerlyLevels::bits_per_bucket);
    plan.of_bucket[at] = cheapest_level(plan, edge, pass_cost::overhead(cols), passes_spared);
  }
  return plan;
}

float lesser_slack(const RowBounds& bounds, std::int64_t n_rows) {
  const std::int64_t step = std::max<std::int64_t>(1, n_rows / sample_size);
  std::vector<float> slacks;
  for (std::int64_t i = 0; i < n_rows; i += step) slacks.push_back(std::max(bounds.lower[i] - bounds.upper[i], 0.0f));
  const auto small = slacks.begin() + static_cast<std::ptrdiff_t>(slacks.size() / 4);
  std::nth_element(slacks.begin(), small, slacks.end(), [](float a, float b) { return stands_before(a, b); });
  return *small;
}

double cost_of_hamerly_pass(const HamerlyLevels& levels, const ClusterDrift* drift, const RowBounds& bounds, std::int64_t n_rows,
                            std::int64_t cols) {
  const std::int64_t step = std::max<std::int64_t>(1, n_rows / sample_size);
  const double overhead = pass_cost::overhead(cols);
  double cost = 0;
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i < n_rows; i += step, ++rows) {
    const ClusterDrift& moves = drift[bounds.label[i]];
    const float own = bounds.upper[i], now = own + moves.moved;
    const float lower = std::min(bounds.lower[i] - moves.others, moves.beyond - now);
    cost += overhead * pass_cost::bounds;
    if (now <= std::max(lower, moves.gap)) continue;
    cost += overhead * pass_cost::own_distance;
    if (own <= moves.gap) continue;
    const HamerlyLevel& level = levels.levels[levels.choose(bounds.lower[i] - own)];
    if (level.panels > 0) cost += overhead * pass_cost::gathering_in_order + static_cast<double>(level.panels);
  }
  return cost / static_cast<double>(rows);
}

}  // namespace coterie
