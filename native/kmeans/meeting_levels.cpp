#include "kmeans/meeting_levels.h"

#include <algorithm>
#include <limits>

#include "kmeans/fast_centres.h"

namespace coterie {
namespace {

constexpr std::int64_t sample_size = 2048;
constexpr double part_of_full = 0.5;  // timed on the row many of benchmarks/rows/kmeans.py: movements shrink, the slack lasts longer

// In panels of this pass and of the full meeting that it brings nearer.
double price(const MeetingLevel& level, double all_panels, double slack, double overhead) {
  const auto panels = static_cast<double>(level.panels);
  const double gathering = level.panels > 0 ? overhead * pass_cost::gathering_in_order : 0;
  return gathering + panels + part_of_full * (all_panels - panels) * static_cast<double>(level.missed) / slack;
}

std::uint8_t cheapest_level(const MeetingLevels& plan, float slack, double overhead) {
  const auto all_panels = static_cast<double>(plan.levels[plan.all()].panels);
  int best = plan.all();
  for (int level = 0; level < plan.all(); ++level) {
    if (!(plan.levels[level].missed < slack)) continue;
    if (price(plan.levels[level], all_panels, slack, overhead) < price(plan.levels[best], all_panels, slack, overhead)) best = level;
  }
  return static_cast<std::uint8_t>(best);
}

}  // namespace

MeetingLevels plan_meetings(const float* moved, std::int64_t n_centres, std::int64_t panel_width, std::int64_t cols) {
  MeetingLevels plan{};
  const std::int64_t all_panels = (n_centres + panel_width - 1) / panel_width;
  // 0, 1, 2, 3, 4, 6, 8, 12, 16 ...: half a doubling apart
  for (std::int64_t panels = 0, step = 1; panels < all_panels && plan.count < MeetingLevels::capacity - 1; panels += step) {
    if (panels >= 4 && std::has_single_bit(static_cast<std::uint64_t>(panels))) step = panels / 2;
    plan.levels[plan.count++] = {panels, moved[panels * panel_width]};
  }
  plan.levels[plan.count++] = {all_panels, 0.0f};
  const float largest = std::max(moved[0], std::numeric_limits<float>::min());
  constexpr std::int32_t above = 64;  // slacks of up to 256 times the largest movement have buckets of their own
  plan.first_bucket = std::max<std::int32_t>(1, MeetingLevels::bucket(largest) + above - MeetingLevels::buckets);
  for (std::int32_t at = 0; at < MeetingLevels::buckets; ++at) {
    const auto edge = std::bit_cast<float>((plan.first_bucket + at) << MeetingLevels::bits_per_bucket);
    plan.of_bucket[at] = cheapest_level(plan, edge, pass_cost::overhead(cols));
  }
  return plan;
}

double cost_of_following(const MeetingLevels& levels, const ClusterDrift* drift, const RowBounds& bounds, std::int64_t n_rows,
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
    const MeetingLevel& level = levels.levels[levels.choose(bounds.lower[i] - own)];
    if (level.panels > 0) cost += overhead * pass_cost::gathering_in_order + static_cast<double>(level.panels);
  }
  return cost / static_cast<double>(rows);
}

}  // namespace coterie
