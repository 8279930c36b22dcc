// A distance as the engine sees it: what is accumulated over the features, and what is done with the sum.
#pragma once

#include <cstdint>

namespace coterie {

enum class Kernel : std::int32_t {
  dot,                 // start_j - x.y, through the register-blocked product
  squared_difference,  // sum (x - y)^2
  manhattan,           // sum |x - y|
  chebyshev,           // max |x - y|
  minkowski,           // sum |x - y|^p
  canberra,            // sum |x - y| / (|x| + |y|), 0/0 = 0
  braycurtis,          // sum |x - y| / sum |x + y|
  hamming,             // number of x != y
  gower,               // weighted mean over the columns that both rows have, of |x - y| or of x != y
  observed,            // sum (x - y)^2 over the columns that both rows have, times columns / common ones; +inf without a common one
};

enum class Finish : std::int32_t {
  identity,
  squared_norm,  // dot with start |y|^2/2: |x|^2 + 2h, small ones by direct difference
  norm,          // its square root
  cosine,        // dot with start 1 on unit rows: h = 1 - x.y, small ones by direct difference
  root,          // v^(1/2)
  half,          // v / 2: cosine distance from the squared difference of unit rows
  power_root,    // v^(1/p)
  arc,           // great circles on a sphere of radius p, from the squared differences of unit vectors
  mean,          // v / number of features
  jaccard,       // 1 - p / (|x| + |y| - p): dot with start 0 on 0/1 rows, or hamming on codes, where NaN is nothing
  dice,          // 1 - 2p / (|x| + |y|), of the same
  matching,      // (|x| + |y| - 2p) / number of features
};

// The columns of a table for the gower kernel: first numbers, each already divided by its range and multiplied by its weight; then
// codes of categories; then what is present (1) or absent (0), where what both lack does not count. NaN is a missing cell.
struct MixedColumns {
  std::int64_t n_numbers;
  std::int64_t n_categories;
  std::int64_t n_columns;
  const double* weights;  // of all columns
};

struct Metric {
  Kernel kernel;
  Finish finish;
  double p;
  const MixedColumns* mixed = nullptr;  // of the gower kernel
};

// What the dot kernel starts from in column j.
enum class Start { half_squared_norm, one, zero };

constexpr Start start_of(Finish finish) {
  switch (finish) {
    case Finish::squared_norm:
    case Finish::norm:
      return Start::half_squared_norm;
    case Finish::cosine:
      return Start::one;
    default:
      return Start::zero;
  }
}

// Rows and columns are centred on a common point first: distances do not change, cancellation does.
__attribute__((always_inline)) constexpr bool wants_centring(const Metric& metric) {
  return metric.kernel == Kernel::dot && start_of(metric.finish) == Start::half_squared_norm;
}

// Equals a constant times |x - y|^2 or its root, so that small values can be had without cancellation.
__attribute__((always_inline)) constexpr bool is_recomputable(const Metric& metric) {
  return wants_centring(metric) || (metric.kernel == Kernel::dot && metric.finish == Finish::cosine);
}

// Rows are sets of codes, one for each column that is not NaN.
__attribute__((always_inline)) constexpr bool is_of_set_codes(const Metric& metric) {
  return metric.kernel == Kernel::hamming && (metric.finish == Finish::jaccard || metric.finish == Finish::dice);
}

// The unfinished value orders the columns of one row as the distance does.
__attribute__((always_inline)) constexpr bool is_order_kept(const Metric& metric) {
  return metric.finish != Finish::jaccard && metric.finish != Finish::dice && metric.finish != Finish::matching;
}

}  // namespace coterie
