// Orders of floating-point numbers that hold for any bits: sorting and selecting by `<` alone is undefined where a NaN is among them; and
// what counts as equal where an order must not depend on rounding.
#pragma once

namespace coterie {

// Whether `a` stands before `b`: NaN stand last, all in one place.
template <class T>
inline __attribute__((always_inline)) bool stands_before(T a, T b) {
  return a < b || (a == a && b != b);
}

// The same, where `tie` decides between equal numbers.
template <class T, class Tie>
inline __attribute__((always_inline)) bool stands_before(T a, Tie tie_a, T b, Tie tie_b) {
  if (a < b) return true;
  if (b < a) return false;
  const bool a_is_number = a == a, b_is_number = b == b;
  return a_is_number == b_is_number ? tie_a < tie_b : a_is_number;
}

// Numbers that differ by less than this share of themselves are equal but for rounding, which depends on the processor.
template <class T>
inline constexpr double rounding_share = sizeof(T) == 4 ? 1e-5 : 1e-12;

}  // namespace coterie
