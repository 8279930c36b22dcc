// Gaussian mixtures: the density of every row under every component, and the sums that the next parameters are made of.
//
// One pass reads every row once. Rows are cut into tasks by their number and the size of the sums only, and the sums of
// the tasks are added in their order: one thread and sixty-four give the same bits.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

enum class CovarianceShape { full, tied, diagonal };

// Parameters as kernels take them. With precision = U U^T, U upper triangular, log density is
// log_factor - |(x - mean) U|^2 / 2.
struct MixtureView {
  CovarianceShape shape;
  std::int64_t n_components;
  std::int64_t cols;
  const double* shift;        // taken off every row first: distances are small numbers then
  const double* log_factors;  // per component: log of weight, of the determinant of U, and of (2 pi)^(-cols / 2)
  const double* means;        // n_components x cols, shift taken off
  const double* factors;      // full: U of each component, rows of cols; tied: one U; diagonal: n_components x cols
};

// Added to; `scatter` is about the means of the view, upper triangles of cols x cols, or diagonals of cols.
struct MixtureSums {
  double* log_likelihood;  // one number
  double* weight;          // per component
  double* deviation;       // n_components x cols: sum of share * (x - mean)
  double* scatter;         // per component: sum of share * (x - mean)(x - mean)^T
  double* entropy;         // one number: minus the sum of share * log(share)
};

// What a row can be asked for; null: not wanted.
template <class T>
struct MixtureRows {
  T* log_likelihood;     // per row
  T* shares;             // rows x n_components
  std::int32_t* labels;  // the likeliest component, the lowest of equals
};

template <class T>
struct MixtureTask {
  MatrixView<T> rows;
  const double* weights;  // of rows; null: all 1
  const MixtureView* model;
};

template <class T>
struct MixtureKernels {
  void (*add_sums)(const MixtureTask<T>& task, const MixtureSums& sums);
  void (*place_rows)(const MixtureTask<T>& task, const MixtureRows<T>& out);
};

// One expectation step: fills `sums`.
template <class T>
void mixture_sums(const MatrixView<T>& X, const double* weights, const MixtureView& model, int threads, const MixtureSums& sums);

template <class T>
void mixture_rows(const MatrixView<T>& X, const MixtureView& model, int threads, const MixtureRows<T>& out);

}  // namespace coterie
