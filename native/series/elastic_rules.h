// What a cell of a comparison costs, and how it follows from its three neighbours: one rule per distance.
#pragma once

#include <limits>

#include "series/series_kernels.h"
#include "support/exponential.h"

namespace coterie::COTERIE_ISA {

inline constexpr int series_vectors = static_cast<int>(series_lanes) / lanes<double>;
inline constexpr double out_of_reach = std::numeric_limits<double>::infinity();
inline constexpr double far_away = 1e300;  // in place of infinity where differences are taken

template <class T>
COTERIE_INLINE T lesser(T a, T b) {
  return b < a ? b : a;
}

template <class T>
COTERIE_INLINE T greater(T a, T b) {
  return b > a ? b : a;
}

// A value per lane.
struct Lanes {
  Doubles part[series_vectors];
};

COTERIE_INLINE Lanes load_lanes(const double* from) {
  Lanes loaded;
  for (int v = 0; v < series_vectors; ++v) loaded.part[v] = load(from + v * lanes<double>);
  return loaded;
}

COTERIE_INLINE void store_lanes(double* to, const Lanes& values) {
  for (int v = 0; v < series_vectors; ++v) store(to + v * lanes<double>, values.part[v]);
}

COTERIE_INLINE Lanes all_lanes(double value) {
  Lanes result;
  for (int v = 0; v < series_vectors; ++v) result.part[v] = broadcast(value);
  return result;
}

// The squared difference of point x and of the lanes' points.
template <bool one_column>
COTERIE_INLINE Doubles squared_gap(const double* x, const double* others, std::int64_t columns, int v) {
  const double* at = others + v * lanes<double>;
  const Doubles first = broadcast(x[0]) - load(at);
  Doubles sum = first * first;
  if constexpr (!one_column) {
    for (std::int64_t c = 1; c < columns; ++c) {
      const Doubles gap = broadcast(x[c]) - load(at + c * series_lanes);
      sum += gap * gap;
    }
  }
  return sum;
}

// The same as a length: |x - y| for one column.
template <bool one_column>
COTERIE_INLINE Doubles gap_length(const double* x, const double* others, std::int64_t columns, int v) {
  if constexpr (one_column) return absolute<double>(broadcast(x[0]) - load(others + v * lanes<double>));
  return square_root<double>(squared_gap<one_column>(x, others, columns, v));
}

// Where a cell is: the points that it matches, and those before them (the first point stands for its predecessor).
struct Cell {
  const double* x;
  const double* x_before;
  const double* y;
  const double* y_before;
  std::int64_t i, j;
};

template <bool one_column>
struct DtwRule {
  static constexpr double infinite = out_of_reach;
  std::int64_t columns;
  explicit DtwRule(const ElasticTask& task) : columns(task.columns) {}

  COTERIE_INLINE Doubles cost(const Cell& cell, int v) const { return squared_gap<one_column>(cell.x, cell.y, columns, v); }
  COTERIE_INLINE Doubles operator()(Doubles diagonal, Doubles above, Doubles left, const Cell& cell, int v) const {
    return minimum<double>(minimum<double>(above, diagonal), left) + cost(cell, v);
  }
  void first_row(double*, std::int64_t) const {}
  double first_column(std::int64_t) const { return infinite; }
};

// Edit distance with real penalty: a point that is left out costs its distance to the gap value.
template <bool one_column>
struct ErpRule {
  static constexpr double infinite = out_of_reach;
  const ElasticTask& task;
  double gap;
  mutable double skipped = 0;  // of the points of x so far
  explicit ErpRule(const ElasticTask& given) : task(given), gap(given.options->parameter) {}

  COTERIE_INLINE double skip_x(const double* x) const {
    if constexpr (one_column) return std::abs(x[0] - gap);
    double sum = (x[0] - gap) * (x[0] - gap);
    for (std::int64_t c = 1; c < task.columns; ++c) sum += (x[c] - gap) * (x[c] - gap);
    return std::sqrt(sum);
  }
  COTERIE_INLINE Doubles skip_y(const double* y, int v) const {
    const double* at = y + v * lanes<double>;
    const Doubles first = load(at) - broadcast(gap);
    if constexpr (one_column) return absolute<double>(first);
    Doubles sum = first * first;
    for (std::int64_t c = 1; c < task.columns; ++c) {
      const Doubles other = load(at + c * series_lanes) - broadcast(gap);
      sum += other * other;
    }
    return square_root<double>(sum);
  }
  COTERIE_INLINE Doubles operator()(Doubles diagonal, Doubles above, Doubles left, const Cell& cell, int v) const {
    const Doubles match = diagonal + gap_length<one_column>(cell.x, cell.y, task.columns, v);
    const Doubles without_x = above + broadcast(skip_x(cell.x));
    return minimum<double>(minimum<double>(without_x, match), left + skip_y(cell.y, v));
  }
  void first_row(double* row, std::int64_t columns_of_row) const {
    for (int v = 0; v < series_vectors; ++v) {
      Doubles sum = {};
      for (std::int64_t j = 0; j < columns_of_row; ++j) {
        sum += skip_y(task.pack + j * task.columns * series_lanes, v);
        store(row + (j + 1) * series_lanes + v * lanes<double>, sum);
      }
    }
  }
  double first_column(std::int64_t i) const { return skipped += skip_x(task.x + i * task.columns); }
};

// Move, split, merge. A split or merge of a point between the two others costs the parameter, otherwise also the way to the nearer of them;
// of several columns, between means within the ball that has the two others as poles.
template <bool one_column>
struct MsmRule {
  static constexpr double infinite = out_of_reach;
  std::int64_t columns;
  double split;
  explicit MsmRule(const ElasticTask& task) : columns(task.columns), split(task.options->parameter) {}

  COTERIE_INLINE Doubles column(const double* y, std::int64_t c, int v) const {
    return load(y + c * series_lanes + v * lanes<double>);
  }

  // The point b beside a and the lanes' points; each argument gives column c of a point.
  template <class Moved, class First, class Second>
  COTERIE_INLINE Doubles split_cost(const Moved& moved, const First& first, const Second& second) const {
    if constexpr (one_column) {
      const Doubles b = moved(0), a = first(0), z = second(0);
      const Doubles to_a = absolute<double>(b - a), to_z = absolute<double>(b - z);
      const Mask<double> is_between = ((a <= b) & (b <= z)) | ((a >= b) & (b >= z));
      return broadcast(split) + select<double>(is_between, Doubles{}, minimum<double>(to_a, to_z));
    } else {
      Doubles across = {}, to_middle = {}, to_a = {}, to_z = {};
      for (std::int64_t c = 0; c < columns; ++c) {
        const Doubles b = moved(c), a = first(c), z = second(c), half = (a - z) * 0.5, off = b - (a + z) * 0.5;
        across += half * half;
        to_middle += off * off;
        to_a += (b - a) * (b - a);
        to_z += (b - z) * (b - z);
      }
      return broadcast(split) + select<double>(to_middle <= across, Doubles{}, square_root<double>(minimum<double>(to_a, to_z)));
    }
  }
  COTERIE_INLINE Doubles operator()(Doubles diagonal, Doubles above, Doubles left, const Cell& cell, int v) const {
    const auto x = [&](std::int64_t c) __attribute__((always_inline)) { return broadcast(cell.x[c]); };
    const auto x_before = [&](std::int64_t c) __attribute__((always_inline)) { return broadcast(cell.x_before[c]); };
    const auto y = [&](std::int64_t c) __attribute__((always_inline)) { return column(cell.y, c, v); };
    const auto y_before = [&](std::int64_t c) __attribute__((always_inline)) { return column(cell.y_before, c, v); };
    const Doubles match = diagonal + gap_length<one_column>(cell.x, cell.y, columns, v);
    return minimum<double>(minimum<double>(above + split_cost(x, x_before, y), match), left + split_cost(y, x, y_before));
  }
  void first_row(double*, std::int64_t) const {}
  double first_column(std::int64_t) const { return infinite; }
};

// DTW with the soft minimum -gamma log(sum exp(-a / gamma)).
template <bool one_column>
struct SoftDtwRule {
  static constexpr double infinite = far_away;
  std::int64_t columns;
  double gamma, inverse;
  explicit SoftDtwRule(const ElasticTask& task)
      : columns(task.columns), gamma(task.options->parameter), inverse(1 / task.options->parameter) {}

  COTERIE_INLINE Doubles cost(const Cell& cell, int v) const { return squared_gap<one_column>(cell.x, cell.y, columns, v); }
  COTERIE_INLINE Doubles operator()(Doubles diagonal, Doubles above, Doubles left, const Cell& cell, int v) const {
    constexpr double ln_2 = 0.6931471805599453;
    const Doubles least = minimum<double>(minimum<double>(above, diagonal), left);
    const auto share = [&](Doubles value) __attribute__((always_inline)) { return exponential((least - value) * inverse); };
    const Doubles sum = share(diagonal) + (share(above) + share(left));  // the same when x and y are swapped
    return cost(cell, v) + (least - gamma * (log2_of(sum).high * ln_2));
  }
  void first_row(double*, std::int64_t) const {}
  double first_column(std::int64_t) const { return infinite; }
};

}  // namespace coterie::COTERIE_ISA
