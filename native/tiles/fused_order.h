// The nearest column as a processor with fused multiplication finds it.
//
// Without one a product is rounded before it is added. Two columns within that rounding of each other may then change places, and a
// row would get another label than on every other processor. Columns in doubt are few: they are computed again by fused steps, which
// the C library has for every processor. Where the kernels fuse there is nothing to do, and nothing of this is called.
#pragma once

#include <cstdint>
#include <limits>

#include "tiles/finish.h"

namespace coterie::COTERIE_ISA {

#if defined(COTERIE_FAST_FMA)
inline constexpr bool kernels_fuse = true;
#else
inline constexpr bool kernels_fuse = false;
#endif

// sum + x * y, rounded once.
template <class T>
COTERIE_INLINE T fused_step(T sum, T x, T y) {
  if constexpr (sizeof(T) == 4)
    return __builtin_fmaf(x, y, sum);
  else
    return __builtin_fma(x, y, sum);
}

// sum_of_squares as kernels that fuse have it.
template <class T, class Number>
COTERIE_INLINE T fused_sum_of_squares(std::int64_t cols, const Number& number) {
  return sum_over<T>(
      cols, [&](T sum, std::int64_t t) __attribute__((always_inline)) { return fused_step<T>(sum, number(t), number(t)); });
}

// What dot_block starts from for a column of squared length `squared`.
template <class T>
COTERIE_INLINE T start_for(const Metric& metric, T squared) {
  return start_of(metric.finish) == Start::half_squared_norm ? squared / 2 : T(1);
}

// The value that dot_block gives a pair, as kernels that fuse have it; the column's features are `stride` apart.
template <class T>
T fused_value(const Metric& metric, const T* row, const T* column, std::int64_t stride, std::int64_t cols) {
  T value = start_for(metric, fused_sum_of_squares<T>(cols, [=](std::int64_t t) { return column[t * stride]; }));
  for (std::int64_t t = 0; t < cols; ++t) value = fused_step<T>(value, -row[t], column[t * stride]);
  return value;
}

// The least of the values that are offered; of equal ones that with the lowest index.
template <class T>
struct FusedWinner {
  std::int64_t index;  // at first: what to answer if nothing is offered
  T value = std::numeric_limits<T>::infinity();
  bool is_offered = false;

  void offer(T other, std::int64_t other_index) {
    if (is_offered && !(other < value || (other == value && other_index < index))) return;
    value = other;
    index = other_index;
    is_offered = true;
  }
};

// Whether rounding may have decided between the two least values of a row. `error` is that of one value, without fused steps or with:
// the four of two columns add up.
template <class T>
COTERIE_INLINE bool is_in_doubt(T least, T second, T error) {
  return second - least <= 4 * error;
}

// The nearest of the packed columns, of which `first` is the nearest by the values of this processor.
template <class T>
__attribute__((noinline)) std::int64_t fused_nearest(const Metric& metric, const PackedColumns<T>& Y, const T* row, std::int64_t first,
                                                     T least, T error) {
  FusedWinner<T> winner{first};
  const Vec<T> limit = broadcast(least + 4 * error);
  for (std::int64_t column = 0; column < Y.n_columns; column += lanes<T>) {
    const T* packed = packed_column(Y, column);
    Vec<T> value = load(Y.start + column);
    for (std::int64_t t = 0; t < Y.cols; ++t) value -= broadcast(row[t]) * load(packed + t * panel_width<T>);
    for (std::uint32_t near = lane_bits<T>(value <= limit); near != 0; near &= near - 1) {
      const int lane = __builtin_ctz(near);
      if (column + lane < Y.n_columns) winner.offer(fused_value(metric, row, packed + lane, panel_width<T>, Y.cols), column + lane);
    }
  }
  return winner.index;
}

// The index to take for a row: `first`, unless the second least value leaves it in doubt.
template <class T>
COTERIE_INLINE std::int64_t settled(const Metric& metric, const PackedColumns<T>& Y, const T* row, std::int64_t first, T least,
                                    T second, T error) {
  if constexpr (kernels_fuse) return first;
  return is_in_doubt(least, second, error) ? fused_nearest(metric, Y, row, first, least, error) : first;
}

}  // namespace coterie::COTERIE_ISA
