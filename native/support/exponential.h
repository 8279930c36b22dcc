// exp of whole vectors.
#pragma once

#include "support/vector_math.h"

namespace coterie::COTERIE_ISA {

// To one or two units in the last place; 0 below -708, where results leave the normal numbers. For x <= 709.
COTERIE_INLINE Doubles exponential(Doubles x) {
  constexpr double log2_e = 1.4426950408889634, log2_e_low = 2.0355273740931033e-17;
  constexpr double shifter = 0x1.8p52;  // adding it rounds to whole numbers
  const Doubles shifted = x * log2_e + shifter;
  const Doubles r = fused(x, Doubles{} + log2_e, shifter - shifted) + x * log2_e_low;
  return x > -708 ? two_to(shifted, r) : Doubles{};
}

// The same for floats: 0 below -87. For x <= 88.
COTERIE_INLINE Vec<float> exponential(Vec<float> x) {
  constexpr float log2_e = 1.44269502f, log2_e_low = 1.92596303e-8f;
  constexpr float shifter = 0x1.8p23f;
  const Vec<float> shifted = x * log2_e + shifter;
  const Vec<float> r = fused_if_fast(x, log2_e, shifter - shifted) + x * log2_e_low;
  Vec<float> series = r * 1.5403530e-4f + 1.3333558e-3f;
  series = series * r + 9.6181291e-3f;
  series = series * r + 5.5504109e-2f;
  series = series * r + 2.4022651e-1f;
  series = series * r + 6.9314718e-1f;
  const Vec<float> fraction = 1 + r * series;
  const UnsignedFloatLanes scaled =
      reinterpret_cast<UnsignedFloatLanes>(fraction) + (reinterpret_cast<UnsignedFloatLanes>(shifted) << 23);
  return x > -87 ? reinterpret_cast<Vec<float>>(scaled) : Vec<float>{};
}

}  // namespace coterie::COTERIE_ISA
