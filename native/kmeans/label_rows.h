// Rows and centres that are given: labels, and one step of mini-batch k-means.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

// Fills `labels` (n) with the nearest centre of each row; returns the weighted sum of squared distances. `weights` may be
// null. Rows and centres are taken relative to `origin` (cols): with the origin of a run, its labels come back to the bit.
template <class T>
double label_rows(const MatrixView<T>& X, const double* weights, const T* origin, const MatrixView<T>& centres, int threads,
                  std::int32_t* labels);

// Moves every centre to the mean of what it has seen: `counts` (k) is the weight seen before and after. Returns the weighted
// sum of squared distances to the centres as they were.
template <class T>
double step_with_batch(const MatrixView<T>& X, const double* weights, const MutableMatrixView<T>& centres, double* counts,
                       int threads);

}  // namespace coterie
