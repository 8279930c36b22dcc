// Products with a matrix of Gaussian affinities that is never stored.
//
// The affinity of rows x and y is exp(-gamma s_x s_y |x - y|^2), with a scale s for each row; of a row with itself it is 0.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

template <class T>
struct AffinityTask {
  MatrixView<T> rows;
  const T* row_scales;     // null: all 1
  const T* columns;        // the other rows, feature by feature, each of `padded` numbers
  const T* column_scales;  // padded with zeros; null: all 1
  std::int64_t n_columns;
  std::int64_t padded;     // a multiple of affinity_chunk
  std::int64_t first_row;  // where the rows stand among the columns; -1: they do not
  T gamma;
  const T* values;     // padded x width, zeros below n_columns
  std::int64_t width;  // a multiple of affinity_width
  double* product;     // rows x width
};

inline constexpr std::int64_t affinity_chunk = 256;  // columns at a time: their affinities to four rows stay in cache
inline constexpr std::int64_t affinity_width = 16;   // values at a time: the widest vector

template <class T>
struct AffinityKernels {
  void (*multiply)(const AffinityTask<T>& task);
};

template <class T>
struct AffinityProblem {
  MatrixView<T> X;
  const T* X_scales;
  MatrixView<T> Y;  // the same view as X: affinities among its rows, zero of a row with itself
  const T* Y_scales;
  double gamma;
};

// product = affinities(X, Y) values; values are Y.rows x width, product is X.rows x width.
template <class T>
void multiply_affinities(const AffinityProblem<T>& problem, const T* values, std::int64_t width, int threads, double* product);

}  // namespace coterie
