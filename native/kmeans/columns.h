// Mean, spread and extent of every column, in one pass.
#pragma once

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

// `weights` may be null. The same bits for any number of threads.
template <class T>
ColumnMoments column_moments(const MatrixView<T>& X, const double* weights, int threads);
// What is not stored is zero.
template <class T>
ColumnMoments column_moments(const SparseView<T>& X, const double* weights, int threads);

}  // namespace coterie
