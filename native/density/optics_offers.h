// What the walks of OPTICS share: how an offer is rounded, and who is still to be visited.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "density/optics.h"

namespace coterie {

inline constexpr double out_of_reach = std::numeric_limits<double>::infinity();

inline double rounded_offer(double core, double distance) {
  constexpr double last_decimal = 1e15;
  return std::nearbyint(std::max(core, distance) * last_decimal) / last_decimal;
}

inline void reach_nothing(std::int64_t n, const OpticsOutput& out) {
  std::fill_n(out.reachability, n, out_of_reach);
  std::fill_n(out.predecessor, n, -1);
}

}  // namespace coterie
