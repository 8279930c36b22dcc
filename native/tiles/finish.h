// What is done with the sum of a pair: applied to a strip of values while it is in the first-level cache.
#pragma once

#include <cmath>
#include <limits>

#include "support/arc.h"
#include "tiles/kernel_table.h"
#include "tiles/micro.h"

namespace coterie::COTERIE_ISA {

// Below this share of |x|^2 + |y|^2 the subtraction has lost too many digits: the pair is computed again by difference.
template <class T>
inline constexpr T cancellation_share = sizeof(T) == 8 ? T(1e-3) : T(1e-2);

// The sum over the features that `add(sum, t)` makes, several at a time; for numbers and for vectors in the same order.
template <class Value, class Add>
COTERIE_INLINE Value sum_over(std::int64_t cols, const Add& add) {
  constexpr int width = 8;  // independent sums: one addition need not wait for the one before
  Value partial[width] = {};
  std::int64_t t = 0;
  for (; t + width <= cols; t += width)
    for (int i = 0; i < width; ++i) partial[i] = add(partial[i], t + i);
  Value first = partial[0];
  for (; t < cols; ++t) first = add(first, t);
  return ((first + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

// The sum of the squares of number(t).
template <class Value, class Number>
COTERIE_INLINE Value sum_of_squares(std::int64_t cols, const Number& number) {
  return sum_over<Value>(
      cols, [&](Value sum, std::int64_t t) __attribute__((always_inline)) { return add_square<Value>(sum, number(t)); });
}

template <class T>
COTERIE_INLINE T squared_distance_to_packed(const T* row, const T* panel_column, std::int64_t cols) {
  return sum_of_squares<T>(
      cols, [=](std::int64_t t) __attribute__((always_inline)) { return row[t] - panel_column[t * panel_width<T>]; });
}

// The same, to the bit, for the columns of one vector.
template <class T>
COTERIE_INLINE Vec<T> squared_distances_to_packed(const T* row, const T* panel_vector, std::int64_t cols) {
  return sum_of_squares<Vec<T>>(
      cols, [=](std::int64_t t)
                __attribute__((always_inline)) { return broadcast(row[t]) - load(panel_vector + t * panel_width<T>); });
}

// The packed column `column` as a vector of stride panel_width.
template <class T>
COTERIE_INLINE const T* packed_column(const PackedColumns<T>& Y, std::int64_t column) {
  const std::int64_t panel = column / panel_width<T>;
  return Y.panels + panel * Y.cols * panel_width<T> + column % panel_width<T>;
}

template <class T>
COTERIE_INLINE T squared_length(const T* row, std::int64_t cols) {
  return sum_of_squares<T>(cols, [row](std::int64_t t) __attribute__((always_inline)) { return row[t]; });
}

// |x|^2 or the size of the set that a loaded row is, if the finish needs it; of the gower kernel how many cells are missing.
template <class T>
COTERIE_INLINE T row_term(const Metric& metric, const T* row, std::int64_t cols) {
  if (is_of_set_codes(metric))
    return sum_over<T>(
        cols, [row](T sum, std::int64_t t) __attribute__((always_inline)) { return sum + (row[t] == row[t] ? T(1) : T(0)); });
  if (metric.kernel == Kernel::gower)
    return sum_over<T>(
        cols, [row](T sum, std::int64_t t) __attribute__((always_inline)) { return sum + (row[t] == row[t] ? T(0) : T(1)); });
  if (metric.kernel != Kernel::dot || metric.finish == Finish::cosine || metric.finish == Finish::identity) return T(0);
  if (start_of(metric.finish) == Start::half_squared_norm) return squared_length(row, cols);
  return sum_over<T>(cols, [row](T sum, std::int64_t t) __attribute__((always_inline)) { return sum + row[t]; });
}

// What the raw value of two sets must be lowered by to be minus the number of what both have: the hamming kernel counts what differs.
template <class T>
COTERIE_INLINE T set_shift(const Metric& metric, std::int64_t cols) {
  return is_of_set_codes(metric) ? static_cast<T>(cols) : T(0);
}

template <class T>
COTERIE_INLINE T jaccard_of(T value, T row_ones, T column_ones) {
  const T either = row_ones + column_ones + value;
  return either > 0 ? (either + value) / either : T(0);  // whole numbers, rounded once
}

template <class T>
COTERIE_INLINE T dice_of(T value, T row_ones, T column_ones) {
  const T total = row_ones + column_ones;
  return total > 0 ? (total + 2 * value) / total : value;  // two empty rows: 0; padding: +inf
}

// Scalar form, for the few values that an ending keeps. `row` is the row as loaded, `term` its row_term.
template <class T>
COTERIE_INLINE T finish_one(const Metric& metric, const PackedColumns<T>& Y, T value, const T* row, T term, std::int64_t column) {
  switch (metric.finish) {
    case Finish::identity:
      return value;
    case Finish::squared_norm:
      return squared_distance_to_packed(row, packed_column(Y, column), Y.cols);
    case Finish::norm:
      return std::sqrt(squared_distance_to_packed(row, packed_column(Y, column), Y.cols));
    case Finish::cosine:
      return squared_distance_to_packed(row, packed_column(Y, column), Y.cols) / 2;
    case Finish::root:
      return std::sqrt(value);
    case Finish::half:
      return value / 2;
    case Finish::power_root:
      return static_cast<T>(std::pow(static_cast<double>(value), 1 / metric.p));
    case Finish::arc:
      return static_cast<T>(arc_of(static_cast<double>(value)) * metric.p);
    case Finish::mean:
      return value / static_cast<T>(Y.cols);
    case Finish::jaccard:
      return jaccard_of(value - set_shift<T>(metric, Y.cols), term, Y.term[column]);
    case Finish::dice:
      return dice_of(value - set_shift<T>(metric, Y.cols), term, Y.term[column]);
    case Finish::matching:
      return (term + Y.term[column] + 2 * value) / static_cast<T>(Y.cols);
  }
  return value;
}

// What is_recomputable metrics are a monotone function of, without cancellation: the squared distance, or half of it for
// cosine. The raw value of the dot kernel differs from raw_of(it) by at most raw_error.
template <class T>
COTERIE_INLINE T recomputed(const Metric& metric, const PackedColumns<T>& Y, const T* row, std::int64_t column) {
  const T squared = squared_distance_to_packed(row, packed_column(Y, column), Y.cols);
  return metric.finish == Finish::cosine ? squared / 2 : squared;
}

template <class T>
COTERIE_INLINE T raw_of(const Metric& metric, T value, T row_term) {
  return metric.finish == Finish::cosine ? value : (value - row_term) / 2;
}

template <class T>
COTERIE_INLINE T raw_error(const Metric& metric, std::int64_t cols, T row_term, T largest_term) {
  const T size = metric.finish == Finish::cosine ? T(2) : row_term + largest_term;
  return static_cast<T>(cols + 8) * std::numeric_limits<T>::epsilon() * size;
}

template <class T>
COTERIE_INLINE T largest_term(const PackedColumns<T>& Y) {
  T largest = 0;
  for (std::int64_t j = 0; j < Y.n_panels * panel_width<T>; ++j) largest = Y.term[j] > largest ? Y.term[j] : largest;
  return largest;
}

// Below this the cosine distance of unit rows has lost too many digits.
template <class T>
inline constexpr T cosine_cancelled = sizeof(T) == 8 ? T(1e-6) : T(1e-2);

// `count` is a multiple of the panel width. Vectors with a lane that cancelled are computed again; they are few.
template <class T>
COTERIE_INLINE void finish_norms(const PackedColumns<T>& Y, T* values, std::int64_t first, std::int64_t count, const T* row, T term,
                                 bool take_root) {
  const Vec<T> row_terms = broadcast(term), share = broadcast(cancellation_share<T>);
  for (std::int64_t j = 0; j < count; j += lanes<T>) {
    const Vec<T> half = load(values + j);
    Vec<T> squared = row_terms + (half + half);
    const Mask<T> cancelled = squared < share * (row_terms + load(Y.term + first + j));
    if (__builtin_expect(lane_bits<T>(cancelled) != 0, 0))
      squared = select<T>(cancelled, squared_distances_to_packed(row, packed_column(Y, first + j), Y.cols), squared);
    store(values + j, take_root ? square_root<T>(squared) : squared);
  }
}

template <class T>
COTERIE_INLINE void finish_cosines(const PackedColumns<T>& Y, T* values, std::int64_t first, std::int64_t count, const T* row) {
  const Vec<T> limit = broadcast(cosine_cancelled<T>);
  for (std::int64_t j = 0; j < count; j += lanes<T>) {
    const Vec<T> value = load(values + j);
    const Mask<T> cancelled = value < limit;
    if (__builtin_expect(lane_bits<T>(cancelled) != 0, 0))
      store(values + j, select<T>(cancelled, squared_distances_to_packed(row, packed_column(Y, first + j), Y.cols) / 2, value));
  }
}

template <class T>
COTERIE_INLINE void finish_arcs(T* values, std::int64_t count, double radius) {
  if constexpr (sizeof(T) == 8)
    for (std::int64_t j = 0; j < count; j += lanes<T>) store(values + j, arc_of(load(values + j)) * radius);
  else
    for (std::int64_t j = 0; j < count; ++j) values[j] = static_cast<T>(arc_of(static_cast<double>(values[j])) * radius);
}

// Finishes `count` values of one row, for packed columns `first`..; padding stays +inf or becomes NaN.
template <class T>
void finish_row(const Metric& metric, const PackedColumns<T>& Y, T* values, std::int64_t first, std::int64_t count, const T* row,
                T term) {
  const T* column_term = Y.term + first;
  const T n_features = static_cast<T>(Y.cols), shift = set_shift<T>(metric, Y.cols);
  switch (metric.finish) {
    case Finish::identity:
      break;
    case Finish::squared_norm:
    case Finish::norm:
      finish_norms(Y, values, first, count, row, term, metric.finish == Finish::norm);
      break;
    case Finish::cosine:
      finish_cosines(Y, values, first, count, row);
      break;
    case Finish::root:
      for (std::int64_t j = 0; j < count; ++j) values[j] = std::sqrt(values[j]);
      break;
    case Finish::half:
      for (std::int64_t j = 0; j < count; ++j) values[j] /= 2;
      break;
    case Finish::power_root:
      for (std::int64_t j = 0; j < count; j += lanes<T>) store(values + j, power_of(load(values + j), 1 / metric.p));
      break;
    case Finish::arc:
      finish_arcs(values, count, metric.p);
      break;
    case Finish::mean:
      for (std::int64_t j = 0; j < count; ++j) values[j] /= n_features;
      break;
    case Finish::jaccard:
      for (std::int64_t j = 0; j < count; ++j) values[j] = jaccard_of(values[j] - shift, term, column_term[j]);
      break;
    case Finish::dice:
      for (std::int64_t j = 0; j < count; ++j) values[j] = dice_of(values[j] - shift, term, column_term[j]);
      break;
    case Finish::matching:
      for (std::int64_t j = 0; j < count; ++j) values[j] = (term + column_term[j] + 2 * values[j]) / n_features;
      break;
  }
}

}  // namespace coterie::COTERIE_ISA
