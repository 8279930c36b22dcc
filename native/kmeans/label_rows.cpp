// Labels for given centres, and one step of mini-batch k-means.
#include "kmeans/label_rows.h"

#include <algorithm>
#include <vector>

#include "kmeans/column_moments.h"
#include "kmeans/exact_sums.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

template <class T>
std::vector<T> relative_to(const T* origin, const MatrixView<T>& centres) {
  std::vector<T> relative;
  relative.reserve(static_cast<std::size_t>(centres.rows * centres.cols));
  for (std::int64_t k = 0; k < centres.rows; ++k)
    for (std::int64_t t = 0; t < centres.cols; ++t) relative.push_back(centres.row(k)[t] - origin[t]);
  return relative;
}

}  // namespace

template <class T>
double label_rows(const MatrixView<T>& X, const double* weights, const T* origin, const MatrixView<T>& centres, int threads,
                  std::int32_t* labels) {
  const std::vector<T> relative = relative_to(origin, centres);
  const MatrixView<T> rows{relative.data(), centres.rows, centres.cols, centres.cols};
  const ColumnPack<T> pack(rows, nullptr, squared_metric, threads);
  engine().of<T>().tiles.nearest({X, origin, pack.columns(), squared_metric, threads}, {labels, nullptr});
  return engine().of<T>().kmeans.own_distances({X, origin, weights, threads}, rows, labels, nullptr);
}

template <class T>
double step_with_batch(const MatrixView<T>& X, const double* weights, const MutableMatrixView<T>& centres, double* counts,
                       int threads) {
  const KMeansKernels<T>& kernels = engine().of<T>().kmeans;
  const ColumnMoments columns = column_moments(X, weights, threads);
  std::vector<T> origin(columns.mean.size());
  std::transform(columns.mean.begin(), columns.mean.end(), origin.begin(), [](double mean) { return static_cast<T>(mean); });
  const std::vector<T> relative = relative_to<T>(origin.data(), {centres.data, centres.rows, centres.cols, centres.stride});
  const MatrixView<T> rows{relative.data(), centres.rows, centres.cols, centres.cols};
  const ColumnPack<T> pack(rows, nullptr, squared_metric, threads);
  const double heaviest = weights == nullptr ? 1.0 : *std::max_element(weights, weights + X.rows);
  ExactSums<T> sums(X.rows, centres.rows, columns, origin, heaviest, resolve_threads(threads));
  std::vector<std::int32_t> labels(static_cast<std::size_t>(X.rows), -1);
  const KMeansData<T> data{X, origin.data(), weights, threads};
  kernels.assign(data, pack.columns(), sums.units(), labels.data(), sums.deltas());
  sums.absorb_deltas();
  const double inertia = kernels.own_distances(data, rows, labels.data(), nullptr);
  for (std::int64_t k = 0; k < centres.rows; ++k) {
    const double weight = sums.weight(k);
    if (!(weight > 0)) continue;
    counts[k] += weight;
    for (std::int64_t t = 0; t < centres.cols; ++t) {
      const double before = static_cast<double>(centres.row(k)[t]);
      const double mean = sums.sum(k, t) / weight + static_cast<double>(origin[static_cast<std::size_t>(t)]);
      centres.row(k)[t] = static_cast<T>(before + (mean - before) * (weight / counts[k]));
    }
  }
  return inertia;
}

template double label_rows<float>(const MatrixView<float>&, const double*, const float*, const MatrixView<float>&, int, std::int32_t*);
template double label_rows<double>(const MatrixView<double>&, const double*, const double*, const MatrixView<double>&, int,
                                   std::int32_t*);
template double step_with_batch<float>(const MatrixView<float>&, const double*, const MutableMatrixView<float>&, double*, int);
template double step_with_batch<double>(const MatrixView<double>&, const double*, const MutableMatrixView<double>&, double*, int);

}  // namespace coterie
