// Great-circle distances on the unit sphere from squared chords: 2 asin(sqrt(squared) / 2).
//
// Chords order pairs as arcs do, so that engines compare chords and turn only what they keep into arcs. asin(x) is
// x + x s P(s) with s = x^2 up to 1/2, and pi/2 - 2 asin(sqrt((1 - x) / 2)) above. P interpolates at Chebyshev nodes in exact
// fractions; its error is 4e-18.
#pragma once

#include <limits>

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

COTERIE_INLINE double root_of(double x) { return __builtin_sqrt(x); }
COTERIE_INLINE Vec<double> root_of(Vec<double> x) { return square_root<double>(x); }

// Of one number or a vector, to the same bits. What is not a squared chord (padding: infinity, NaN) stays as it is.
template <class Value>
COTERIE_INLINE Value arc_of(Value squared) {
  Value s = squared * 0.25;
  s = s > 1.0 ? Value{} + 1.0 : s;  // antipodes, rounded
  const Value x = root_of(s);
  const auto is_far = s > 0.25;
  const Value t = is_far ? (1.0 - x) * 0.5 : s;
  const Value y = is_far ? root_of(t) : x;
  Value series = t * 0.02875785136741935 - 0.014851887071246024;
  series = series * t + 0.017400879442694764;
  series = series * t + 0.005457506718639446;
  series = series * t + 0.010322814350186171;
  series = series * t + 0.01147917741518481;
  series = series * t + 0.013971212973552949;
  series = series * t + 0.017352392720869973;
  series = series * t + 0.02237217294214989;
  series = series * t + 0.030381944138531247;
  series = series * t + 0.04464285714635543;
  series = series * t + 0.07499999999998433;
  series = series * t + 0.16666666666666669;
  const Value half = y + y * (t * series);
  constexpr double right_angle = 1.5707963267948966, right_angle_low = 6.123233995736766e-17;
  const Value result = 2.0 * (is_far ? (right_angle - 2.0 * half) + right_angle_low : half);
  return squared < 8.0 ? result : squared;
}

COTERIE_INLINE float arc_of(float squared) { return static_cast<float>(arc_of(static_cast<double>(squared))); }

// The squared chord within which all pairs lie that arc_of finds at most `arc` apart: rounded up by a few units in the last place.
COTERIE_INLINE double squared_chord_of(double arc) {
  if (!(arc < 3.141592653589793)) return std::numeric_limits<double>::infinity();
  const double half = __builtin_sin(arc * 0.5);
  return 4 * half * half * (1 + 1e-15);
}

}  // namespace coterie::COTERIE_ISA
