// Micro-kernels: a strip of rows against one panel of columns, everything in registers.
//
// Each lane sums over the features one after the other, so the value of a pair does not depend on where in a tile it
// stands: whoever computes it again, in whatever batch, gets the same bits.
#pragma once

#include <cmath>
#include <limits>

#include "support/parallel.h"
#include "support/vector_math.h"
#include "tiles/metric.h"

namespace coterie::COTERIE_ISA {

// 6 x 2 accumulators leave three of sixteen registers for operands; 8 x 2 of thirty-two.
inline constexpr int strip_rows = vector_bytes == 64 ? 8 : 6;
inline constexpr int panel_vectors = 2;
template <class T>
inline constexpr int panel_width = panel_vectors * lanes<T>;

template <class T>
struct Block {
  Vec<T> value[strip_rows][panel_vectors];
};

// The rows of a strip; a short strip repeats its last row.
template <class T>
struct StripRows {
  const T* row[strip_rows];
};

template <class T>
COTERIE_INLINE void dot_block_from(const Vec<T> (&start)[panel_vectors], const StripRows<T>& strip, const T* panel, std::int64_t cols,
                                   Block<T>& out) {
  Vec<T> acc[strip_rows][panel_vectors];
  for (int r = 0; r < strip_rows; ++r)
    for (int v = 0; v < panel_vectors; ++v) acc[r][v] = start[v];
  for (std::int64_t t = 0; t < cols; ++t) {
    Vec<T> y[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) y[v] = load(panel + t * panel_width<T> + v * lanes<T>);
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> x = broadcast(strip.row[r][t]);
      for (int v = 0; v < panel_vectors; ++v) acc[r][v] -= x * y[v];
    }
  }
  for (int r = 0; r < strip_rows; ++r)
    for (int v = 0; v < panel_vectors; ++v) out.value[r][v] = acc[r][v];
}

template <class T>
COTERIE_INLINE void dot_block(const StripRows<T>& strip, const T* panel, const T* start, std::int64_t cols, Block<T>& out) {
  Vec<T> first[panel_vectors];
  for (int v = 0; v < panel_vectors; ++v) first[v] = load(start + v * lanes<T>);
  dot_block_from<T>(first, strip, panel, cols, out);
}

// Difference kernels: one step per feature on one accumulator.
template <class T>
struct SquaredDifference {
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const {
    const Vec<T> difference = x - y;
    return sum + difference * difference;
  }
};

template <class T>
struct Manhattan {
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const { return sum + absolute<T>(x - y); }
};

template <class T>
struct Chebyshev {
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const { return maximum<T>(sum, absolute<T>(x - y)); }
};

template <class T>
struct Minkowski {
  double p;
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const { return sum + power_of(absolute<T>(x - y), p); }
};

// |x - y|^(twice_p / 2) by products and at most one root.
template <class T, int twice_p>
struct MinkowskiHalves {
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const {
    const Vec<T> difference = absolute<T>(x - y);
    Vec<T> power = twice_p % 2 == 0 ? difference : square_root<T>(difference);
    for (int i = twice_p % 2 == 0 ? 1 : 0; i < twice_p / 2; ++i) power *= difference;
    return sum + power;
  }
};

template <class T>
struct Canberra {
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const {
    const Vec<T> size = absolute<T>(x) + absolute<T>(y);
    return sum + absolute<T>(x - y) / select<T>(size == Vec<T>{}, broadcast<T>(1), size);
  }
};

template <class T>
struct Hamming {
  COTERIE_INLINE Vec<T> step(Vec<T> sum, Vec<T> x, Vec<T> y) const { return add_where<T>(x != y, sum, broadcast<T>(1)); }
};

template <class T, class Step>
COTERIE_INLINE void difference_block(const Step& kernel, const StripRows<T>& strip, const T* panel, const T* start, std::int64_t cols,
                                     Block<T>& out) {
  Vec<T> acc[strip_rows][panel_vectors] = {};
  for (std::int64_t t = 0; t < cols; ++t) {
    Vec<T> y[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) y[v] = load(panel + t * panel_width<T> + v * lanes<T>);
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> x = broadcast(strip.row[r][t]);
      for (int v = 0; v < panel_vectors; ++v) acc[r][v] = kernel.step(acc[r][v], x, y[v]);
    }
  }
  for (int r = 0; r < strip_rows; ++r)
    for (int v = 0; v < panel_vectors; ++v) out.value[r][v] = acc[r][v] + load(start + v * lanes<T>);
}

// Two sums per pair: half a panel at a time, to stay in registers.
template <class T>
COTERIE_INLINE void braycurtis_block(const StripRows<T>& strip, const T* panel, const T* start, std::int64_t cols, Block<T>& out) {
  for (int v = 0; v < panel_vectors; ++v) {
    Vec<T> difference[strip_rows] = {}, total[strip_rows] = {};
    for (std::int64_t t = 0; t < cols; ++t) {
      const Vec<T> y = load(panel + t * panel_width<T> + v * lanes<T>);
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> x = broadcast(strip.row[r][t]);
        difference[r] += absolute<T>(x - y);
        total[r] += absolute<T>(x + y);
      }
    }
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> share = select<T>(difference[r] == Vec<T>{}, Vec<T>{}, difference[r] / total[r]);  // equal rows: 0, also 0/0
      out.value[r][v] = share + load(start + v * lanes<T>);
    }
  }
}

// Squares over the columns that both rows have, scaled up to all columns: half a panel at a time, to stay in registers.
template <class T>
COTERIE_INLINE void observed_block(const StripRows<T>& strip, const T* panel, const T* start, std::int64_t cols, Block<T>& out) {
  const Vec<T> nothing = {}, one = broadcast<T>(1), all = broadcast(static_cast<T>(cols));
  const Vec<T> undefined = broadcast(std::numeric_limits<T>::infinity());
  for (int v = 0; v < panel_vectors; ++v) {
    Vec<T> sum[strip_rows] = {}, count[strip_rows] = {};
    for (std::int64_t t = 0; t < cols; ++t) {
      const Vec<T> y = load(panel + t * panel_width<T> + v * lanes<T>);
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> difference = broadcast(strip.row[r][t]) - y;
        const Mask<T> is_common = difference == difference;
        sum[r] = add_square<Vec<T>>(sum[r], select<T>(is_common, difference, nothing));
        count[r] += select<T>(is_common, one, nothing);
      }
    }
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> scaled = sum[r] * (all / count[r]);  // by exactly 1 where no cell is missing
      out.value[r][v] = select<T>(count[r] == nothing, undefined, scaled) + load(start + v * lanes<T>);
    }
  }
}

// What both rows lack counts for nothing, but says that they could be compared: 0, where rows without a common cell are 1.
inline constexpr double absence_weight = 1e-30;

// Sums over the columns that both rows have, of differences and of weights: half a panel at a time, to stay in registers.
template <class T>
struct GowerSums {
  Vec<T> difference[strip_rows] = {}, weight[strip_rows] = {};

  // What a column adds: step(x, y, |x - y|, its weight) returns how far apart two cells are and how much that counts.
  template <class Step>
  COTERIE_INLINE void add(const MixedColumns& mixed, const StripRows<T>& strip, const T* panel_vector, Range columns,
                          const Step& step) {
    for (std::int64_t t = columns.begin; t < columns.end; ++t) {
      const Vec<T> y = load(panel_vector + t * panel_width<T>), own = broadcast(static_cast<T>(mixed.weights[t]));
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> x = broadcast(strip.row[r][t]), apart = absolute<T>(x - y);
        const Mask<T> is_common = apart == apart;
        const auto [cost, counts] = step(x, y, apart, own);
        difference[r] = add_where<T>(is_common, difference[r], cost);
        weight[r] = add_where<T>(is_common, weight[r], counts);
      }
    }
  }
};

template <class T>
struct GowerTerm {
  Vec<T> cost, counts;
};

template <class T>
COTERIE_INLINE void gower_block(const MixedColumns& mixed, const StripRows<T>& strip, const T* panel, const T* start,
                                std::int64_t cols, Block<T>& out) {
  const std::int64_t presences = mixed.n_numbers + mixed.n_categories;
  const Vec<T> nothing = {}, absent = broadcast(static_cast<T>(absence_weight));
  for (int v = 0; v < panel_vectors; ++v) {
    GowerSums<T> sums;
    const T* vector = panel + v * lanes<T>;
    sums.add(
        mixed, strip, vector, {0, mixed.n_numbers},
        [](Vec<T>, Vec<T>, Vec<T> apart, Vec<T> own) __attribute__((always_inline)) { return GowerTerm<T>{apart, own}; });
    sums.add(
        mixed, strip, vector,
        {mixed.n_numbers, presences}, [nothing](Vec<T>, Vec<T>, Vec<T> apart, Vec<T> own) __attribute__((always_inline)) {
          return GowerTerm<T>{select<T>(apart == nothing, nothing, own), own};
        });
    sums.add(
        mixed, strip, vector, {presences, cols},
        [ nothing, absent ](Vec<T> x, Vec<T> y, Vec<T> apart, Vec<T> own) __attribute__((always_inline)) {
          return GowerTerm<T>{select<T>(apart == nothing, nothing, own), select<T>(x + y == nothing, minimum<T>(absent, own), own)};
        });
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> share = sums.difference[r] / sums.weight[r];
      out.value[r][v] = select<T>(sums.weight[r] == nothing, broadcast<T>(1), share) + load(start + v * lanes<T>);
    }
  }
}

// The same, to the bit, where no cell is missing and all columns count: the weights add up to the same for every pair.
template <class T>
COTERIE_INLINE void complete_gower_block(const MixedColumns& mixed, const StripRows<T>& strip, const T* panel, const T* start,
                                         std::int64_t cols, Block<T>& out) {
  Vec<T> acc[strip_rows][panel_vectors] = {};
  T total = 0;
  for (std::int64_t t = 0; t < mixed.n_numbers; ++t) {
    total += static_cast<T>(mixed.weights[t]);
    Vec<T> y[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) y[v] = load(panel + t * panel_width<T> + v * lanes<T>);
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> x = broadcast(strip.row[r][t]);
      for (int v = 0; v < panel_vectors; ++v) acc[r][v] += absolute<T>(x - y[v]);
    }
  }
  for (std::int64_t t = mixed.n_numbers; t < cols; ++t) {
    total += static_cast<T>(mixed.weights[t]);
    const Vec<T> own = broadcast(static_cast<T>(mixed.weights[t]));
    Vec<T> y[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) y[v] = load(panel + t * panel_width<T> + v * lanes<T>);
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> x = broadcast(strip.row[r][t]);
      for (int v = 0; v < panel_vectors; ++v) acc[r][v] = add_where<T>(x != y[v], acc[r][v], own);
    }
  }
  for (int r = 0; r < strip_rows; ++r)
    for (int v = 0; v < panel_vectors; ++v) out.value[r][v] = acc[r][v] / broadcast(total) + load(start + v * lanes<T>);
}

}  // namespace coterie::COTERIE_ISA
