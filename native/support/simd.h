// Portable vectors: the vector extensions that GCC (11 or later) and Clang share, as wide as the instruction set that this file is compiled for.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "support/isa.h"

namespace coterie::COTERIE_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T>
struct VectorTypes;

template <>
struct VectorTypes<float> {
  typedef float value __attribute__((vector_size(vector_bytes)));
  typedef float unaligned __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
  typedef std::int32_t mask __attribute__((vector_size(vector_bytes)));
  using index = std::int32_t;
};

template <>
struct VectorTypes<double> {
  typedef double value __attribute__((vector_size(vector_bytes)));
  typedef double unaligned __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
  typedef std::int64_t mask __attribute__((vector_size(vector_bytes)));
  using index = std::int64_t;
};

// Vec<T>: the numbers; Mask<T>: what comparing two of them gives, and integers of the same width (indices).
template <class T>
using Vec = typename VectorTypes<T>::value;
template <class T>
using Mask = typename VectorTypes<T>::mask;
template <class T>
using LaneIndex = typename VectorTypes<T>::index;

template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

#define COTERIE_INLINE inline __attribute__((always_inline))

template <class T>
COTERIE_INLINE Vec<T> load(const T* from) {
  return *reinterpret_cast<const typename VectorTypes<T>::unaligned*>(from);
}

template <class T>
COTERIE_INLINE void store(T* to, Vec<T> value) {
  *reinterpret_cast<typename VectorTypes<T>::unaligned*>(to) = value;
}

// Writes to memory past the caches, where the processor can: for numbers that nobody reads soon. `to` is aligned to whole vectors; a
// thread calls finish_streams before others may read.
template <class T>
COTERIE_INLINE void stream(T* to, Vec<T> value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, reinterpret_cast<Vec<T>*>(to));
#elif defined(__AVX512F__)
  __builtin_ia32_movntpd512(reinterpret_cast<double*>(to), reinterpret_cast<Vec<double>>(value));
#elif defined(__AVX2__)
  __builtin_ia32_movntpd256(reinterpret_cast<double*>(to), reinterpret_cast<Vec<double>>(value));
#elif defined(__SSE2__)
  __builtin_ia32_movntpd(reinterpret_cast<double*>(to), reinterpret_cast<Vec<double>>(value));
#else
  store(to, value);
#endif
}

COTERIE_INLINE void finish_streams() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

template <class T>
COTERIE_INLINE Vec<T> broadcast(T value) {
  return value - Vec<T>{};  // folds to one broadcast; x - 0 is x for every x
}

template <class T>
COTERIE_INLINE Mask<T> broadcast_index(LaneIndex<T> value) {
  return value - Mask<T>{};
}

// 0, 1, 2, ...
template <class T>
COTERIE_INLINE Mask<T> lane_numbers() {
  Mask<T> result;
  for (int lane = 0; lane < lanes<T>; ++lane) result[lane] = lane;
  return result;
}

template <class T>
COTERIE_INLINE Vec<T> select(Mask<T> mask, Vec<T> if_true, Vec<T> if_false) {
  return mask ? if_true : if_false;
}

// sum + term where the mask is set, for sums that are not -0. One masked addition where the processor has such.
template <class T>
COTERIE_INLINE Vec<T> add_where(Mask<T> mask, Vec<T> sum, Vec<T> term) {
  if constexpr (vector_bytes == 64)
    return mask ? sum + term : sum;
  else
    return sum + (mask ? term : Vec<T>{});
}

template <class T>
COTERIE_INLINE Mask<T> select_index(Mask<T> mask, Mask<T> if_true, Mask<T> if_false) {
  return mask ? if_true : if_false;
}

template <class T>
COTERIE_INLINE Vec<T> minimum(Vec<T> a, Vec<T> b) {
  return a < b ? a : b;
}

template <class T>
COTERIE_INLINE Vec<T> maximum(Vec<T> a, Vec<T> b) {
  return a > b ? a : b;
}

// Clears the sign bit: exact for every number, infinities included.
template <class T>
COTERIE_INLINE Vec<T> absolute(Vec<T> a) {
  constexpr LaneIndex<T> all_but_sign =
      std::is_same_v<T, float> ? static_cast<LaneIndex<T>>(0x7fffffff) : static_cast<LaneIndex<T>>(0x7fffffffffffffffLL);
  return reinterpret_cast<Vec<T>>(reinterpret_cast<Mask<T>>(a) & broadcast_index<T>(all_but_sign));
}

template <class T>
COTERIE_INLINE Vec<T> square_root(Vec<T> a) {
  Vec<T> result;
  for (int lane = 0; lane < lanes<T>; ++lane) result[lane] = std::sqrt(a[lane]);
  return result;
}

// One bit per lane whose mask is set.
template <class T>
COTERIE_INLINE std::uint32_t lane_bits(Mask<T> mask) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint16_t>(__builtin_ia32_cvtd2mask512(reinterpret_cast<__attribute__((vector_size(64))) int>(mask)));
  else
    return static_cast<std::uint8_t>(__builtin_ia32_cvtq2mask512(reinterpret_cast<__attribute__((vector_size(64))) long long>(mask)));
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<Vec<float>>(mask)));
  else
    return static_cast<std::uint32_t>(__builtin_ia32_movmskpd256(reinterpret_cast<Vec<double>>(mask)));
#elif defined(__SSE2__)
  if constexpr (sizeof(T) == 4)
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps(reinterpret_cast<Vec<float>>(mask)));
  else
    return static_cast<std::uint32_t>(__builtin_ia32_movmskpd(reinterpret_cast<Vec<double>>(mask)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < lanes<T>; ++lane) bits |= static_cast<std::uint32_t>(mask[lane] & 1) << lane;
  return bits;
#endif
}

#if defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__aarch64__)  // Clang does not tell by the first
#define COTERIE_FAST_FMA
#endif

// sum + x * x, fused where the processor does so. Explicit for numbers: in a loop the compiler may make the products in vectors and then
// add them one by one, which rounds twice where a fused step rounds once, and how many of them it takes together depends on the width.
template <class Value>
COTERIE_INLINE Value add_square(Value sum, Value x) {
#if defined(COTERIE_FAST_FMA)
  if constexpr (std::is_same_v<Value, float>) return __builtin_fmaf(x, x, sum);
  if constexpr (std::is_same_v<Value, double>) return __builtin_fma(x, x, sum);
#endif
  return sum + x * x;
}

// Keeps such a sum one in a loop of one sum, where the compiler is left to fuse.
template <class T>
COTERIE_INLINE void keep_fused(T& sum) {
#if defined(__x86_64__)
  if constexpr (std::is_arithmetic_v<T>) asm("" : "+v"(sum));
#elif defined(__aarch64__)
  if constexpr (std::is_arithmetic_v<T>) asm("" : "+w"(sum));
#endif
}

// A sum in as many lanes as the widest vector has, held in as many vectors as that takes: the same bits on every width.
template <class T>
struct WideSum {
  static constexpr int vectors = 64 / vector_bytes;
  static constexpr std::int64_t width = vectors * lanes<T>;
  Vec<T> part[vectors];

  // Where the vector of numbers [index * lanes, ...) belongs.
  COTERIE_INLINE Vec<T>& vector(std::int64_t index) { return part[index & (vectors - 1)]; }

  // One lane after the other, in float64.
  COTERIE_INLINE double total() const {
    double total = 0;
    for (int i = 0; i < vectors; ++i)
      for (int lane = 0; lane < lanes<T>; ++lane) total += static_cast<double>(part[i][lane]);
    return total;
  }
};

// Lane i of the result is lane index(i) of `a` and, behind them, of `b`; index is a lambda that the compiler can evaluate.
template <class V, class Index, int... lane>
COTERIE_INLINE V shuffle_lanes(V a, V b, Index index, std::integer_sequence<int, lane...>) {
#if defined(__clang__) || __GNUC__ >= 12
  return __builtin_shufflevector(a, b, index(lane)...);
#else
  return __builtin_shuffle(a, b, decltype(a < b){index(lane)...});
#endif
}

template <class V, class Index>
COTERIE_INLINE V shuffle_lanes(V a, V b, Index index) {
  return shuffle_lanes(a, b, index, std::make_integer_sequence<int, sizeof(V) / sizeof(a[0])>{});
}

// Combines the lanes to one number: those half a vector apart, then a quarter apart, and so on.
template <int count, class V, class Combine>
COTERIE_INLINE auto reduce_lanes(V a, const Combine& combine) {
  if constexpr (count == 1) {
    return a[0];
  } else {
    const V others = shuffle_lanes(a, a, [](int lane) { return lane ^ (count / 2); });
    return reduce_lanes<count / 2>(combine(a, others), combine);
  }
}

// Pairwise, in the type of the lanes.
template <class T>
COTERIE_INLINE T sum_of_lanes(Vec<T> a) {
  return reduce_lanes<lanes<T>>(a, [](Vec<T> x, Vec<T> y) __attribute__((always_inline)) { return x + y; });
}

}  // namespace coterie::COTERIE_ISA
