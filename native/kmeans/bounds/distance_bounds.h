// Upper and lower bounds from distances with their rounding error: bounds that may prune must never claim more than is true.
#pragma once

#include <cmath>
#include <limits>

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr float round_up = 1 + 0x1.0p-21f, round_down = 1 - 0x1.0p-21f;

// Error of |x|^2 + 2h as computed, given |x|^2 and the largest |c|^2.
template <class T>
COTERIE_INLINE double squared_error(std::int64_t cols, double row_term, double largest_term) {
  return static_cast<double>(cols + 8) * std::numeric_limits<T>::epsilon() * (row_term + largest_term);
}

COTERIE_INLINE float upper_distance(double squared, double error) {
  return static_cast<float>(std::sqrt((squared > 0 ? squared : 0) + error)) * round_up;
}

COTERIE_INLINE float lower_distance(double squared, double error) {
  return squared > error ? static_cast<float>(std::sqrt(squared - error)) * round_down : 0.0f;
}

}  // namespace coterie::COTERIE_ISA
