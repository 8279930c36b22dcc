// One step of Prim's algorithm over rows.
#include <limits>

#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int parts = static_cast<int>(prim_panel) / lanes<double>;

COTERIE_INLINE void squared_distances(const double* panel, std::int64_t dims, const double* added, Vec<double>* total) {
  for (int part = 0; part < parts; ++part) total[part] = Vec<double>{};
  for (std::int64_t t = 0; t < dims; ++t) {
    const Vec<double> value = broadcast(added[t]);
    for (int part = 0; part < parts; ++part) {
      const Vec<double> difference = load(panel + t * prim_panel + part * lanes<double>) - value;
      total[part] += difference * difference;
    }
  }
}

PrimStep relax(const PrimPoints& points, std::int64_t first, std::int64_t last, const double* added, std::int64_t row) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec<double> best = broadcast(infinity);
  Mask<double> at{};
  const Mask<double> end = broadcast_index<double>(points.count);
  for (std::int64_t panel = first; panel < last; ++panel) {
    Vec<double> total[parts];
    squared_distances(points.panels + panel * points.dims * prim_panel, points.dims, added, total);
    for (int part = 0; part < parts; ++part) {
      const std::int64_t place = panel * prim_panel + part * lanes<double>;
      const Vec<double> before = load(points.nearest + place);
      const Mask<double> is_nearer = total[part] < before;
      const Vec<double> now = select<double>(is_nearer, total[part], before);
      store(points.nearest + place, now);
      if (lane_bits<double>(is_nearer) != 0)
        for (int lane = 0; lane < lanes<double>; ++lane)
          if (is_nearer[lane]) points.from[place + lane] = row;
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
