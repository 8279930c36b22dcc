// Sums over the features of two rows, whole vectors first. Vectors of 32 bytes at most: the widest ones would add in another order,
// and rows are short.
#pragma once

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr int short_vector_bytes = vector_bytes < 32 ? vector_bytes : 32;

template <class T>
struct ShortVector {
  static constexpr int lanes = short_vector_bytes / static_cast<int>(sizeof(T));
  typedef T value __attribute__((vector_size(short_vector_bytes)));
  typedef T unaligned __attribute__((vector_size(short_vector_bytes), aligned(sizeof(T)), may_alias));
  typedef LaneIndex<T> mask __attribute__((vector_size(short_vector_bytes)));

  static COTERIE_INLINE value load(const T* from) { return *reinterpret_cast<const unaligned*>(from); }

  // Sum of the lanes, halves first.
  static COTERIE_INLINE T add_lanes(value values) {
    mask numbers;
    for (int lane = 0; lane < lanes; ++lane) numbers[lane] = lane;
    for (int distance = lanes / 2; distance > 0; distance /= 2) values += __builtin_shuffle(values, numbers ^ (distance - mask{}));
    return values[0];
  }
};

// Sum of term(a, b) over the features; term works on vectors and on numbers.
template <class T, class Term>
COTERIE_INLINE T sum_of_terms(const T* a, const T* b, std::int64_t cols, const Term& term) {
  using Short = ShortVector<T>;
  typename Short::value even{}, odd{};
  std::int64_t t = 0;
  for (; t + 2 * Short::lanes <= cols; t += 2 * Short::lanes) {
    even += term(Short::load(a + t), Short::load(b + t));
    odd += term(Short::load(a + t + Short::lanes), Short::load(b + t + Short::lanes));
  }
  if (t + Short::lanes <= cols) {
    even += term(Short::load(a + t), Short::load(b + t));
    t += Short::lanes;
  }
  T rest = 0;
  for (; t < cols; ++t) {
    rest += term(a[t], b[t]);
    keep_fused(rest);
  }
  return cols < Short::lanes ? rest : Short::add_lanes(even + odd) + rest;
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
