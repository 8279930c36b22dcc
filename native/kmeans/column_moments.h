// Mean, spread and extent of every column, in one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

struct ColumnMoments {
  std::vector<double> mean;      // weighted
  std::vector<double> variance;  // weighted, divided by the total weight
  std::vector<double> low;
  std::vector<double> high;
  double total_weight;
};

// Rows that are summed up by themselves, before their sums are added in order: whoever cuts data at multiples of this and adds in
// order gets the bits of the whole.
constexpr std::int64_t moment_rows = 8192;

// Sums about an origin, which keeps cancellation small for data far from zero.
struct ColumnSums {
  std::vector<double> sum, square, low, high;
  double weight = 0;

  explicit ColumnSums(std::size_t cols);
  void add(const ColumnSums& next);
};

// The sums of every moment_rows rows of X about `origin`, in order; `weights` may be null.
template <class T>
std::vector<ColumnSums> column_sums(const MatrixView<T>& X, const double* weights, const T* origin, int threads);
template <class T>
ColumnMoments moments_of(const ColumnSums& total, const T* origin);

// `weights` may be null. The same bits for any number of threads.
template <class T>
ColumnMoments column_moments(const MatrixView<T>& X, const double* weights, int threads);
// What is not stored is zero.
template <class T>
ColumnMoments column_moments(const SparseView<T>& X, const double* weights, int threads);

}  // namespace coterie
