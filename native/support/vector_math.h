// Powers of whole vectors.
//
// x^p = 2^(p log2 x), with the logarithm in two doubles: its error is multiplied by p and becomes the relative error of
// the result. The polynomials interpolate at Chebyshev nodes (computed with 60 digits).
#pragma once

#include <limits>

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

typedef std::uint64_t UnsignedLanes __attribute__((vector_size(vector_bytes)));  // sums of them wrap around
typedef std::uint32_t UnsignedFloatLanes __attribute__((vector_size(vector_bytes)));
typedef float HalfOfFloats __attribute__((vector_size(vector_bytes / 2)));
using Doubles = Vec<double>;

// a * b + c, fused where the processor does so. Explicit, because compilers differ where the product stands in two sums.
COTERIE_INLINE Vec<float> fused_if_fast(Vec<float> a, float b, Vec<float> c) {
#if defined(COTERIE_FAST_FMA)
  Vec<float> result;
  for (int lane = 0; lane < lanes<float>; ++lane) result[lane] = __builtin_fmaf(a[lane], b, c[lane]);
  return result;
#else
  return a * b + c;
#endif
}

// a * b + c with one rounding, or nearly so, where the product and c nearly cancel. Explicit, because the compiler may
// or may not fuse what is written as a * b + c: nothing below depends on that.
COTERIE_INLINE Doubles fused(Doubles a, Doubles b, Doubles c) {
  Doubles result;
#if defined(COTERIE_FAST_FMA)
  for (int lane = 0; lane < lanes<double>; ++lane) result[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
#else
  constexpr double splitter = 134217729;  // 2^27 + 1: halves of 26 bits, whose products are exact
  const Doubles a_high = splitter * a - (splitter * a - a), a_low = a - a_high;
  const Doubles b_high = splitter * b - (splitter * b - b), b_low = b - b_high;
  const Doubles product = a * b;
  result = (product + c) + (((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low);
#endif
  return result;
}

// A number as the unevaluated sum of two.
struct TwoDoubles {
  Doubles high, low;
};

// log2 of finite normal x > 0, to 2^-58 or so.
COTERIE_INLINE TwoDoubles log2_of(Doubles x) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000, bias = 1024;
  const auto bits = reinterpret_cast<UnsignedLanes>(x);
  const UnsignedLanes exponent = (bits - root_half + (bias << 52)) >> 52;
  const Doubles whole = reinterpret_cast<Doubles>(exponent | two_52) - (0x1p52 + bias);
  const Doubles mantissa = reinterpret_cast<Doubles>(bits - ((exponent - bias) << 52));  // in [sqrt(1/2), sqrt(2))
  // log2(m) = 2/ln2 artanh s, s = (m - 1) / (m + 1)
  const Doubles above = mantissa - 1, sum = mantissa + 1, inverse = 1 / sum;
  const Doubles s = above * inverse;
  const Doubles rest = fused(-s, sum, above) - s * (above - (sum - 2));
  constexpr double scale = 2.8853900817779268, scale_low = 4.0710547481862066e-17;  // 2/ln2
  const Doubles z = s * s;
  const Doubles zz = z * z;
  Doubles series = zz * 0.21087079476015172 + (z * 0.221189987214124 + 0.2623236397004895);
  series = series * zz + (z * 0.32059873801756367 + 0.412198583898078);
  series = series * zz + (z * 0.5770780163541355 + 0.961796693925976);
  const Doubles rough = whole + s * scale;
  const Doubles low = fused(s, Doubles{} + scale, whole - rough) + s * scale_low + (rest * inverse) * scale + (z * s) * series;
  const Doubles high = rough + low;
  return {high, low - (high - rough)};
}

// 2^(n + r) for r in [-1/2, 1/2], and a whole n in the low bits of `shifted`.
COTERIE_INLINE Doubles two_to(Doubles shifted, Doubles r) {
  const Doubles rr = r * r;
  Doubles series = rr * 4.4549605981865186e-10 + (r * 7.072585949269223e-09 + 1.0178062445845774e-07);
  series = series * rr + (r * 1.321544258792169e-06 + 1.525273382983612e-05);
  series = series * rr + (r * 0.0001540353044173605 + 0.0013333558146416936);
  series = series * rr + (r * 0.009618129107606888 + 0.0555041086648216);
  series = series * rr + (r * 0.24022650695910097 + 0.6931471805599453);
  const Doubles fraction = 1 + r * series;
  return reinterpret_cast<Doubles>(reinterpret_cast<UnsignedLanes>(fraction) + (reinterpret_cast<UnsignedLanes>(shifted) << 52));
}

// x^p for x >= 0 and p > 0, to one or two units in the last place. Beyond the largest number: infinity; below the
// least normal one: zero.
COTERIE_INLINE Doubles power_of(Doubles x, double p) {
  const TwoDoubles logarithm = log2_of(x);
  const Doubles high = logarithm.high * p;
  constexpr double shifter = 0x1.8p52;  // adding it rounds to whole numbers
  const Doubles shifted = high + shifter;
  const Doubles r = fused(logarithm.high, Doubles{} + p, shifter - shifted) + logarithm.low * p;
  const Doubles infinite = Doubles{} + std::numeric_limits<double>::infinity();
  Doubles result = two_to(shifted, r);
  result = high < 1024 ? result : infinite;
  result = ((high > -1021.5) & (x >= std::numeric_limits<double>::min())) ? result : Doubles{};
  return x < infinite ? result : x;
}

COTERIE_INLINE Vec<float> power_of(Vec<float> x, double p) {
  HalfOfFloats half[2];
  __builtin_memcpy(half, &x, sizeof(x));
  for (HalfOfFloats& part : half) part = __builtin_convertvector(power_of(__builtin_convertvector(part, Doubles), p), HalfOfFloats);
  __builtin_memcpy(&x, half, sizeof(x));
  return x;
}

}  // namespace coterie::COTERIE_ISA
