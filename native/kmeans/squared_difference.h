// Sums over the features of two rows, whole vectors first. Vectors count as 32 bytes at most: wider ones would add in another
// order.
#pragma once

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr int short_vector_bytes = vector_bytes < 32 ? vector_bytes : 32;

template <class T>
struct ShortVector {
  static constexpr int lanes = short_vector_bytes / static_cast<int>(sizeof(T));
  typedef T value __attribute__((vector_size(short_vector_bytes)));
  typedef T unaligned __attribute__((vector_size(short_vector_bytes), aligned(sizeof(T)), may_alias));

  static COTERIE_INLINE value load(const T* from) { return *reinterpret_cast<const unaligned*>(from); }

  // Sum of the lanes, halves first.
  static COTERIE_INLINE T add_lanes(value values) {
    return reduce_lanes<lanes>(values, [](value x, value y) __attribute__((always_inline)) { return x + y; });
  }
};

// Sum of term(a, b) over whole short vectors, by turns in two; `t` is where they end.
template <class T, class Term>
COTERIE_INLINE T sum_of_vectors(const T* a, const T* b, std::int64_t cols, const Term& term, std::int64_t& t) {
  using Short = ShortVector<T>;
  if constexpr (lanes<T> == 2 * Short::lanes) {  // the two are the halves of one vector
    Vec<T> both{};
    for (; t + lanes<T> <= cols; t += lanes<T>) both += term(load(a + t), load(b + t));
    if (t + Short::lanes <= cols) {
      Vec<T> x{}, y{};
      __builtin_memcpy(&x, a + t, short_vector_bytes);
      __builtin_memcpy(&y, b + t, short_vector_bytes);
      both += term(x, y);
      t += Short::lanes;
    }
    return sum_of_lanes<T>(both);
  } else {
    typename Short::value even{}, odd{};
    for (; t + 2 * Short::lanes <= cols; t += 2 * Short::lanes) {
      even += term(Short::load(a + t), Short::load(b + t));
      odd += term(Short::load(a + t + Short::lanes), Short::load(b + t + Short::lanes));
    }
    if (t + Short::lanes <= cols) {
      even += term(Short::load(a + t), Short::load(b + t));
      t += Short::lanes;
    }
    return Short::add_lanes(even + odd);
  }
}

// Sum of term(a, b) over the features; term works on vectors and on numbers, and is 0 of zeros.
template <class T, class Term>
COTERIE_INLINE T sum_of_terms(const T* a, const T* b, std::int64_t cols, const Term& term) {
  std::int64_t t = 0;
  const T whole = cols < ShortVector<T>::lanes ? T(0) : sum_of_vectors(a, b, cols, term, t);
  T rest = 0;
  for (; t < cols; ++t) {
    rest += term(a[t], b[t]);
    keep_fused(rest);
  }
  return whole + rest;
}

// Not inline: the barrier of a sum among the accumulators of a tile costs a fifth of a seeding (AVX-512).
template <class T>
__attribute__((noinline)) T squared_difference(const T* a, const T* b, std::int64_t cols) {
  return sum_of_terms(a, b, cols, [](auto x, auto y) __attribute__((always_inline)) { return (x - y) * (x - y); });
}

template <class T>
__attribute__((noinline)) T squared_norm(const T* a, std::int64_t cols) {
  return sum_of_terms(a, a, cols, [](auto x, auto) __attribute__((always_inline)) { return x * x; });
}

}  // namespace coterie::COTERIE_ISA
