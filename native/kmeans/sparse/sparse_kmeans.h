// K-means on CSR rows, against dense centres.
#pragma once

#include "kmeans/kmeans.h"
#include "support/matrix_view.h"

namespace coterie {

// As run_kmeans for dense rows; always plain Lloyd, whatever `options.algorithm` says.
template <class T>
KMeansOutcome run_kmeans(const SparseView<T>& X, const double* weights, const MutableMatrixView<T>& centres,
                         const KMeansOptions& options, const KMeansProgress& progress, std::int32_t* labels);

// The nearest row of Y for every row of X, and its squared distance.
template <class T>
void sparse_nearest(const SparseView<T>& X, const MatrixView<T>& Y, int threads, std::int32_t* index, T* squared);

// All squared distances, X.rows x Y.rows.
template <class T>
void sparse_pairwise_squared(const SparseView<T>& X, const MatrixView<T>& Y, int threads, T* squared);

}  // namespace coterie
