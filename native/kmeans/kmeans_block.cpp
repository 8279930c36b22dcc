// K-means of one block of rows: the same passes, with sums that can be added to those of other blocks.
#include "kmeans/kmeans_block.h"

#include "kmeans/kmeans_loop.h"
#include "support/cpu_dispatch.h"

namespace coterie {

template <class T>
KMeansBlock<T>::KMeansBlock(const MatrixView<T>& X, const double* weights, const KMeansWhole& whole, std::int64_t n_clusters,
                            KMeansAlgorithm algorithm)
    : shift_(middle_of<T>(whole.columns, false)),
      data_{X, shift_.data(), weights, 1},
      accelerator_(data_, n_clusters, algorithm, whole.columns),
      sums_(whole.rows, n_clusters, whole.columns, shift_, whole.largest_weight, 1),
      labels_(static_cast<std::size_t>(X.rows), -1) {}

template <class T>
void KMeansBlock<T>::assign(const MatrixView<T>& centres) {
  previous_ = centres_;
  centres_.resize(static_cast<std::size_t>(centres.rows * centres.cols));
  for (std::int64_t k = 0; k < centres.rows; ++k)
    for (std::int64_t t = 0; t < centres.cols; ++t)
      centres_[static_cast<std::size_t>(k * centres.cols + t)] = centres.row(k)[t] - shift_[static_cast<std::size_t>(t)];
  accelerator_.assign(centre_rows(), previous_, labels_.data(), sums_);
}

template <class T>
const std::vector<std::int32_t>& KMeansBlock<T>::labels() {
  accelerator_.write_labels(centre_rows(), labels_.data(), sums_);
  return labels_;
}

template <class T>
std::vector<double> KMeansBlock<T>::own_distances(T* out) {
  const std::int32_t* label = labels().data();
  const MatrixView<T>& X = data_.X;
  std::vector<double> sums;
  for (std::int64_t first = 0; first < X.rows; first += distance_rows) {
    const std::int64_t count = std::min(distance_rows, X.rows - first);
    const double* weights = data_.weights == nullptr ? nullptr : data_.weights + first;
    const KMeansData<T> part{{X.row(first), count, X.cols, X.stride}, data_.shift, weights, 1};
    sums.push_back(engine().of<T>().kmeans.own_distances(part, centre_rows(), label + first, out == nullptr ? nullptr : out + first));
  }
  return sums;
}

template class KMeansBlock<float>;
template class KMeansBlock<double>;

}  // namespace coterie
