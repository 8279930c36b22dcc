// One step of Prim's algorithm over rows.
#include <limits>

#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int parts = static_cast<int>(prim_panel) / lanes<double>;

COTERIE_INLINE void add_squares(const double* panel, std::int64_t from, std::int64_t to, const double* added, Vec<double>* total) {
  for (std::int64_t t = from; t < to; ++t) {
    const Vec<double> value = broadcast(added[t]);
    for (int part = 0; part < parts; ++part) {
      const Vec<double> difference = load(panel + t * prim_panel + part * lanes<double>) - value;
      total[part] += difference * difference;
    }
  }
}

COTERIE_INLINE bool may_be_nearer(const Vec<double>* total, const double* nearest) {
  Mask<double> any{};
  for (int part = 0; part < parts; ++part) any |= total[part] < load(nearest + part * lanes<double>);
  return lane_bits<double>(any) != 0;
}

// Half of the coordinates often show that no point of a panel has come nearer; distances in the other half only add.
COTERIE_INLINE bool squared_distances(const PrimPoints& points, std::int64_t panel, const double* added, Vec<double>* total) {
  const double* numbers = points.panels + panel * points.dims * prim_panel;
  const double* nearest = points.nearest + panel * prim_panel;
  for (int part = 0; part < parts; ++part) total[part] = Vec<double>{};
  add_squares(numbers, 0, points.dims / 2, added, total);
  if (!may_be_nearer(total, nearest)) return false;
  add_squares(numbers, points.dims / 2, points.dims, added, total);
  return may_be_nearer(total, nearest);
}

COTERIE_INLINE void take_nearer(const PrimPoints& points, std::int64_t panel, const Vec<double>* total, std::int64_t row) {
  for (int part = 0; part < parts; ++part) {
    const std::int64_t place = panel * prim_panel + part * lanes<double>;
    const Vec<double> before = load(points.nearest + place);
    const Mask<double> is_nearer = total[part] < before;
    store(points.nearest + place, select<double>(is_nearer, total[part], before));
    for (int lane = 0; lane < lanes<double>; ++lane)
      if (is_nearer[lane]) points.from[place + lane] = row;
  }
}

PrimStep relax(const PrimPoints& points, std::int64_t first, std::int64_t last, const double* added, std::int64_t row) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec<double> best = broadcast(infinity);
  Mask<double> at{};
  const Mask<double> end = broadcast_index<double>(points.count);
  for (std::int64_t panel = first; panel < last; ++panel) {
    Vec<double> total[parts];
    if (squared_distances(points, panel, added, total)) take_nearer(points, panel, total, row);
    for (int part = 0; part < parts; ++part) {
      const std::int64_t place = panel * prim_panel + part * lanes<double>;
      const Vec<double> now = load(points.nearest + place);
      const Mask<double> places = broadcast_index<double>(place) + lane_numbers<double>();
      const Mask<double> is_best = (now < best) & (places < end);
      best = select<double>(is_best, now, best);
      at = select_index<double>(is_best, places, at);
    }
  }
  PrimStep step{infinity, std::numeric_limits<std::int64_t>::max()};
  for (int lane = 0; lane < lanes<double>; ++lane)
    if (best[lane] < step.squared || (best[lane] == step.squared && best[lane] < infinity && at[lane] < step.position))
      step = {best[lane], at[lane]};
  return step;
}

}  // namespace

void install_prim(Engine& engine) { engine.prim.relax = relax; }

}  // namespace coterie::COTERIE_ISA
