// Products of CSR rows with dense points.
#pragma once

#include <cmath>
#include <limits>

#include "tiles/fused_order.h"

namespace coterie::COTERIE_ISA {

// One row of a CSR matrix.
template <class T>
struct SparseRow {
  const T* values;
  const std::int32_t* columns;
  std::int64_t count;
};

template <class T>
COTERIE_INLINE SparseRow<T> row_of(const SparseView<T>& X, std::int64_t i) {
  const std::int64_t start = X.row_starts[i];
  return {X.values + start, X.columns + start, X.row_starts[i + 1] - start};
}

// start - x.y for the points in `vectors` vectors; `panel` is [feature][lane].
template <class T, int vectors>
COTERIE_INLINE void meet_points(const SparseRow<T>& row, const T* panel, const T* start, Vec<T>* out) {
  constexpr std::int64_t width = vectors * lanes<T>, ahead = 8, cache_line = 64 / sizeof(T);
  constexpr int chains = 2;  // a sum that waits for itself is slow; never another number: bits must not depend on the panel
  Vec<T> sums[chains][vectors] = {};
  for (int v = 0; v < vectors; ++v) sums[0][v] = load(start + v * lanes<T>);
  const auto step = [&](std::int64_t p, Vec<T> * sum) __attribute__((always_inline)) {
    if (p + ahead < row.count)
      for (std::int64_t at = 0; at < width; at += cache_line) __builtin_prefetch(panel + row.columns[p + ahead] * width + at);
    const Vec<T> x = broadcast(row.values[p]);
    const T* points = panel + row.columns[p] * width;
    for (int v = 0; v < vectors; ++v) sum[v] -= x * load(points + v * lanes<T>);
  };
  std::int64_t p = 0;
  for (; p + chains <= row.count; p += chains)
    for (int chain = 0; chain < chains; ++chain) step(p + chain, sums[chain]);
  for (; p < row.count; ++p) step(p, sums[0]);
  for (int v = 0; v < vectors; ++v) out[v] = sums[0][v] + sums[1][v];
}

// What meet_points gives one point as kernels that fuse have it; the point's features are `stride` apart.
template <class T>
T fused_product(const SparseRow<T>& row, const T* point, std::int64_t stride, T start) {
  constexpr std::int64_t chains = 2;
  T sums[chains] = {start, 0};
  const std::int64_t paired = row.count / chains * chains;
  for (std::int64_t p = 0; p < row.count; ++p) {
    T& sum = sums[p < paired ? p % chains : 0];
    sum = fused_step<T>(sum, -row.values[p], point[row.columns[p] * stride]);
  }
  return sums[0] + sums[1];
}

// |y|^2 in float64 as kernels that fuse have it.
template <class T>
COTERIE_INLINE double fused_length(const T* point, std::int64_t cols) {
  const auto number = [point](std::int64_t t) __attribute__((always_inline)) { return static_cast<double>(point[t]); };
  if constexpr (kernels_fuse) return sum_of_squares<double>(cols, number);
  return sum_over<double>(
      cols, [&](double sum, std::int64_t t)
                __attribute__((always_inline)) { return point[t] == 0 ? sum : fused_step<double>(sum, number(t), number(t)); });
}

// |x - y|^2 in float64, y given by its entries y[column * stride] and its squared length. What is left of equal rows by
// rounding counts as nothing.
template <class T>
COTERIE_INLINE double squared_distance(const SparseRow<T>& row, const T* y, std::int64_t stride, double length) {
  double squared = length, size = length;
  for (std::int64_t p = 0; p < row.count; ++p) {
    const double value = static_cast<double>(row.values[p]);
    squared += value * (value - 2 * static_cast<double>(y[row.columns[p] * stride]));
    size += value * value;
    keep_fused(squared);
    keep_fused(size);
  }
  const double rounding = static_cast<double>(row.count + 4) * std::numeric_limits<double>::epsilon() * size;
  return squared > rounding ? squared : 0.0;
}

}  // namespace coterie::COTERIE_ISA
