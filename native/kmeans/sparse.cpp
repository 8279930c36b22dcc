#include "kmeans/sparse.h"

#include <vector>

#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr Metric squared_metric = {Kernel::dot, Finish::squared_norm, 2};

template <class T>
struct Dense {
  std::vector<T> values;
  MatrixView<T> view;

  explicit Dense(const SparseView<T>& X) : values(static_cast<std::size_t>(X.rows * X.cols), T(0)), view{values.data(), X.rows, X.cols, X.cols} {
    for (std::int64_t i = 0; i < X.rows; ++i)
      for (std::int64_t p = X.row_starts[i]; p < X.row_starts[i + 1]; ++p) values[i * X.cols + X.columns[p]] += X.values[p];
  }
};

}  // namespace

template <class T>
KMeansOutcome run_kmeans(const SparseView<T>& X, const double* weights, const MutableMatrixView<T>& centres,
                         const KMeansOptions& options, const KMeansProgress& progress, std::int32_t* labels) {
  const Dense<T> dense(X);
  return run_kmeans<T>(dense.view, weights, column_moments(dense.view, weights, options.threads), centres, options, progress, labels);
}

template <class T>
void sparse_nearest(const SparseView<T>& X, const MatrixView<T>& Y, int threads, std::int32_t* index, T* squared) {
  nearest<T>(Dense<T>(X).view, Y, squared_metric, threads, {index, squared});
}

template <class T>
void sparse_pairwise_squared(const SparseView<T>& X, const MatrixView<T>& Y, int threads, T* squared) {
  store<T>(Dense<T>(X).view, Y, squared_metric, threads, {squared, X.rows, Y.rows, Y.rows});
}

template KMeansOutcome run_kmeans<float>(const SparseView<float>&, const double*, const MutableMatrixView<float>&,
                                         const KMeansOptions&, const KMeansProgress&, std::int32_t*);
template KMeansOutcome run_kmeans<double>(const SparseView<double>&, const double*, const MutableMatrixView<double>&,
                                          const KMeansOptions&, const KMeansProgress&, std::int32_t*);
template void sparse_nearest<float>(const SparseView<float>&, const MatrixView<float>&, int, std::int32_t*, float*);
template void sparse_nearest<double>(const SparseView<double>&, const MatrixView<double>&, int, std::int32_t*, double*);
template void sparse_pairwise_squared<float>(const SparseView<float>&, const MatrixView<float>&, int, float*);
template void sparse_pairwise_squared<double>(const SparseView<double>&, const MatrixView<double>&, int, double*);

}  // namespace coterie
