// K-means of CSR rows: the loop of kmeans_loop.h over plain Lloyd passes.
#include "kmeans/sparse/sparse_kmeans.h"

#include <algorithm>
#include <vector>

#include "kmeans/kmeans_loop.h"
#include "kmeans/sparse/sparse_kernels.h"
#include "support/cpu_dispatch.h"

namespace coterie {
namespace {

template <class T>
const SparseKernels<T>& kernels() {
  return engine().of<T>().sparse;
}

// Owns transposed points.
template <class T>
class PointPanels {
 public:
  const TransposedPoints<T>& fill(const MatrixView<T>& points, int threads) {
    const std::int64_t lanes = kernels<T>().lanes, padded = block_count(points.rows, lanes) * lanes;
    panels_.resize(static_cast<std::size_t>(padded * points.cols));
    start_.resize(static_cast<std::size_t>(padded));
    view_ = {panels_.data(), start_.data(), points.rows, padded, points.cols};
    kernels<T>().transpose(points, view_, threads);
    return view_;
  }

 private:
  std::vector<T> panels_, start_;
  TransposedPoints<T> view_{};
};

template <class T>
class SparseRows {
 public:
  SparseRows(const SparseView<T>& X, const double* weights, int threads)
      : X_(X), weights_(weights), threads_(threads), shift_(static_cast<std::size_t>(X.cols), T(0)) {}

  std::int64_t count() const { return X_.rows; }
  const double* weights() const { return weights_; }
  const std::vector<T>& shift() const { return shift_; }
  std::string algorithm() const { return "lloyd"; }

  bool assign(const MatrixView<T>& centres, const std::vector<T>&, std::int32_t* labels, ExactSums<T>& sums) {
    fresh_.resize(static_cast<std::size_t>(X_.rows));
    kernels<T>().nearest(X_, panels_.fill(centres, threads_), fresh_.data(), threads_);
    return follow(labels, sums);
  }

  void write_labels(const MatrixView<T>&, std::int32_t*, ExactSums<T>&) const {}

  void move(std::int64_t row, std::int32_t to, std::int32_t* labels, ExactSums<T>& sums) {
    fresh_.assign(labels, labels + X_.rows);
    fresh_[static_cast<std::size_t>(row)] = to;
    follow(labels, sums);
  }

  double own_distances(const MatrixView<T>& centres, const std::int32_t* labels, T* out) const {
    return kernels<T>().own_distances(X_, weights_, centres, labels, out, threads_);
  }

 private:
  // Brings labels and sums to `fresh_`; true if anything changed.
  bool follow(std::int32_t* labels, ExactSums<T>& sums);

  const SparseView<T> X_;
  const double* weights_;
  const int threads_;
  const std::vector<T> shift_;
  PointPanels<T> panels_;
  std::vector<std::int32_t> fresh_, moves_;
  std::vector<std::int64_t> starts_;
};

template <class T>
bool SparseRows<T>::follow(std::int32_t* labels, ExactSums<T>& sums) {
  starts_.assign(static_cast<std::size_t>(sums.totals().n_clusters) + 2, 0);
  const auto each_move = [&](const auto& visit) {
    for (std::int64_t i = 0; i < X_.rows; ++i) {
      const std::int32_t from = labels[i], to = fresh_[static_cast<std::size_t>(i)];
      if (from == to) continue;
      if (from >= 0) visit(from, ~static_cast<std::int32_t>(i));
      visit(to, static_cast<std::int32_t>(i));
    }
  };
  // counts go two places up, so that after the second pass the starts stand where they belong
  each_move([&](std::int32_t cluster, std::int32_t) { ++starts_[static_cast<std::size_t>(cluster) + 2]; });
  for (std::size_t k = 2; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
  if (starts_.back() == 0) return false;
  moves_.resize(static_cast<std::size_t>(starts_.back()));
  each_move([&](std::int32_t cluster, std::int32_t row) {
    moves_[static_cast<std::size_t>(starts_[static_cast<std::size_t>(cluster) + 1]++)] = row;
  });
  kernels<T>().apply_moves(X_, weights_, sums.units(), {moves_.data(), starts_.data()}, sums.totals(), threads_);
  std::copy(fresh_.begin(), fresh_.end(), labels);
  return true;
}

}  // namespace

template <class T>
KMeansOutcome run_kmeans(const SparseView<T>& X, const double* weights, const MutableMatrixView<T>& centres,
                         const KMeansOptions& options, const KMeansProgress& progress, std::int32_t* labels) {
  SparseRows<T> rows(X, weights, options.threads);
  const ColumnMoments columns = column_moments(X, weights, options.threads);
  constexpr int no_tables = 0;  // threads share no cluster
  return KMeansRun<T, SparseRows<T>>(rows, columns, no_tables, centres, options, labels).run(progress);
}

template <class T>
void sparse_nearest(const SparseView<T>& X, const MatrixView<T>& Y, int threads, std::int32_t* index, T* squared) {
  kernels<T>().nearest(X, PointPanels<T>().fill(Y, threads), index, threads);
  kernels<T>().own_distances(X, nullptr, Y, index, squared, threads);
}

template <class T>
void sparse_pairwise_squared(const SparseView<T>& X, const MatrixView<T>& Y, int threads, T* squared) {
  kernels<T>().pairwise(X, PointPanels<T>().fill(Y, threads), Y, squared, threads);
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
