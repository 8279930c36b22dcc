// K-means of dense rows: the loop of kmeans_loop.h over the passes of accelerate.h.
#include "kmeans/kmeans.h"

#include <utility>

#include "kmeans/accelerate.h"
#include "kmeans/kmeans_loop.h"
#include "support/cpu_dispatch.h"

namespace coterie {
namespace {

template <class T>
class DenseRows {
 public:
  DenseRows(const MatrixView<T>& X, const double* weights, const ColumnMoments& columns, std::int64_t n_clusters,
            const KMeansOptions& options, KeptTree<T> kept)
      : shift_(middle_of<T>(columns, options.unit_centres)),
        data_{X, shift_.data(), weights, options.threads},
        accelerator_(data_, n_clusters, options.algorithm, columns, std::move(kept)) {}

  std::int64_t count() const { return data_.X.rows; }
  const double* weights() const { return data_.weights; }
  const std::vector<T>& shift() const { return shift_; }
  std::string algorithm() const { return accelerator_.name(); }
  const KeptTree<T>& tree() const { return accelerator_.tree(); }

  bool assign(const MatrixView<T>& centres, const std::vector<T>& previous, std::int32_t* labels, ExactSums<T>& sums) {
    return accelerator_.assign(centres, previous, labels, sums);
  }
  void write_labels(const MatrixView<T>& centres, std::int32_t* labels, ExactSums<T>& sums) const {
    accelerator_.write_labels(centres, labels, sums);
  }
  void move(std::int64_t row, std::int32_t to, std::int32_t* labels, ExactSums<T>& sums) {
    engine().of<T>().kmeans.move(data_, sums.units(), row, to, labels, sums.deltas());
    sums.absorb_deltas();
    accelerator_.forget(row);
  }
  double own_distances(const MatrixView<T>& centres, const std::int32_t* labels, T* out) const {
    return engine().of<T>().kmeans.own_distances(data_, centres, labels, out);
  }

 private:
  const std::vector<T> shift_;
  const KMeansData<T> data_;
  Accelerator<T> accelerator_;
};

}  // namespace

template <class T>
KMeansOutcome run_kmeans(const MatrixView<T>& X, const double* weights, const ColumnMoments& columns,
                         const MutableMatrixView<T>& centres, const KMeansOptions& options, const KMeansProgress& progress,
                         std::int32_t* labels, KeptTree<T>* kept) {
  DenseRows<T> rows(X, weights, columns, centres.rows, options, kept == nullptr ? nullptr : *kept);
  const KMeansOutcome outcome =
      KMeansRun<T, DenseRows<T>>(rows, columns, resolve_threads(options.threads), centres, options, labels).run(progress);
  if (kept != nullptr) *kept = rows.tree();
  return outcome;
}

template KMeansOutcome run_kmeans<float>(const MatrixView<float>&, const double*, const ColumnMoments&,
                                         const MutableMatrixView<float>&, const KMeansOptions&, const KMeansProgress&, std::int32_t*,
                                         KeptTree<float>*);
template KMeansOutcome run_kmeans<double>(const MatrixView<double>&, const double*, const ColumnMoments&,
                                          const MutableMatrixView<double>&, const KMeansOptions&, const KMeansProgress&, std::int32_t*,
                                          KeptTree<double>*);

}  // namespace coterie
