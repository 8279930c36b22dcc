// Sums over the features of two rows, whole vectors first.
#pragma once

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

// Sum of the lanes, halves first.
template <class T>
COTERIE_INLINE T add_lanes(Vec<T> values) {
  for (int distance = lanes<T> / 2; distance > 0; distance /= 2)
    values += __builtin_shuffle(values, lane_numbers<T>() ^ broadcast_index<T>(distance));
  return values[0];
}

// Sum of term(a, b) over the features; term works on vectors and on numbers.
template <class T, class Term>
COTERIE_INLINE T sum_of_terms(const T* a, const T* b, std::int64_t cols, const Term& term) {
  Vec<T> even{}, odd{};
  std::int64_t t = 0;
  for (; t + 2 * lanes<T> <= cols; t += 2 * lanes<T>) {
    even += term(load(a + t), load(b + t));
    odd += term(load(a + t + lanes<T>), load(b + t + lanes<T>));
  }
  if (t + lanes<T> <= cols) {
    even += term(load(a + t), load(b + t));
    t += lanes<T>;
  }
  T rest = 0;
  for (; t < cols; ++t) rest += term(a[t], b[t]);
  return cols < lanes<T> ? rest : add_lanes<T>(even + odd) + rest;
}

template <class T>
COTERIE_INLINE T squared_difference(const T* a, const T* b, std::int64_t cols) {
  return sum_of_terms(a, b, cols, [](auto x, auto y) __attribute__((always_inline)) { return (x - y) * (x - y); });
}

template <class T>
COTERIE_INLINE T squared_norm(const T* a, std::int64_t cols) {
  return sum_of_terms(a, a, cols, [](auto x, auto) __attribute__((always_inline)) { return x * x; });
}

}  // namespace coterie::COTERIE_ISA
