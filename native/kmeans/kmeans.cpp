#include "kmeans/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kmeans/accelerate.h"
#include "kmeans/columns.h"
#include "kmeans/sums.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

template <class T>
class KMeansRun {
 public:
  KMeansRun(const MatrixView<T>& X, const double* weights, const ColumnMoments& columns, const MutableMatrixView<T>& centres,
            const KMeansOptions& options, std::int32_t* labels);
  KMeansOutcome run(const KMeansProgress& progress);

 private:
  bool assign();
  void update_centres();
  bool refill_empty_clusters();
  void settle_labels();
  std::int64_t farthest_row(const std::vector<T>& distances) const;
  double shift_of_centres() const;
  double inertia_of_sums() const;
  MatrixView<T> centre_rows() const { return {centres_.data(), n_clusters_, cols_, cols_}; }

  const KMeansOptions options_;
  const MutableMatrixView<T> output_;
  const ColumnMoments& columns_;
  const std::vector<T> shift_;
  const KMeansData<T> data_;
  const std::int64_t n_clusters_, cols_;
  ExactSums<T> sums_;
  std::vector<T> centres_, previous_;  // output_ minus the shift
  Accelerator<T> accelerator_;
  std::int32_t* labels_;
  double total_squares_ = 0;
};

template <class T>
std::vector<T> middle_of(const ColumnMoments& columns, bool at_zero) {
  std::vector<T> shift(columns.mean.size(), T(0));
  if (!at_zero) std::transform(columns.mean.begin(), columns.mean.end(), shift.begin(), [](double m) { return static_cast<T>(m); });
  return shift;
}

double largest_of(const double* weights, std::int64_t n) { return weights == nullptr ? 1.0 : *std::max_element(weights, weights + n); }

template <class T>
KMeansRun<T>::KMeansRun(const MatrixView<T>& X, const double* weights, const ColumnMoments& columns,
                        const MutableMatrixView<T>& centres, const KMeansOptions& options, std::int32_t* labels)
    : options_(options),
      output_(centres),
      columns_(columns),
      shift_(middle_of<T>(columns_, options.unit_centres)),
      data_{X, shift_.data(), weights, options.threads},
      n_clusters_(centres.rows),
      cols_(centres.cols),
      sums_(X.rows, centres.rows, columns_, shift_, largest_of(weights, X.rows), options.threads),
      centres_(static_cast<std::size_t>(centres.rows * centres.cols)),
      accelerator_(data_, centres.rows, options.algorithm, columns_),
      labels_(labels) {
  for (std::int64_t k = 0; k < centres.rows; ++k)
    for (std::int64_t t = 0; t < centres.cols; ++t)
      centres_[static_cast<std::size_t>(k * centres.cols + t)] = centres.row(k)[t] - shift_[static_cast<std::size_t>(t)];
  std::fill(labels_, labels_ + X.rows, -1);
  for (std::size_t t = 0; t < shift_.size(); ++t) {
    const double away = columns_.mean[t] - static_cast<double>(shift_[t]);
    total_squares_ += columns_.total_weight * (columns_.variance[t] + away * away);
  }
}

template <class T>
bool KMeansRun<T>::assign() {
  return accelerator_.assign(centre_rows(), previous_, labels_, sums_);
}

template <class T>
void KMeansRun<T>::update_centres() {
  previous_ = centres_;
  for (std::int64_t k = 0; k < n_clusters_; ++k) {
    const double weight = sums_.weight(k);
    if (!(weight > 0)) continue;
    T* centre = centres_.data() + k * cols_;
    double squared = 0;
    for (std::int64_t t = 0; t < cols_; ++t) squared += sums_.sum(k, t) * sums_.sum(k, t);
    const double divisor = options_.unit_centres ? std::sqrt(squared) : weight;
    if (!(divisor > 0)) continue;
    for (std::int64_t t = 0; t < cols_; ++t) {
      const T shift = shift_[static_cast<std::size_t>(t)];
      output_.row(k)[t] = static_cast<T>(sums_.sum(k, t) / divisor + static_cast<double>(shift));
      centre[t] = output_.row(k)[t] - shift;  // of the rounded one: labels belong to the centres that are returned
    }
  }
}

// The row farthest from its centre that its cluster can spare; ties to the lowest index; -1 if none is away from its centre.
template <class T>
std::int64_t KMeansRun<T>::farthest_row(const std::vector<T>& distances) const {
  std::int64_t best = -1;
  T farthest = 0;
  for (std::int64_t i = 0; i < data_.X.rows; ++i) {
    const bool has_weight = data_.weights == nullptr || data_.weights[i] > 0;
    if (distances[static_cast<std::size_t>(i)] > farthest && has_weight && sums_.count(labels_[i]) > 1) {
      farthest = distances[static_cast<std::size_t>(i)];
      best = i;
    }
  }
  return best;
}

// Restarts empty clusters at far rows; true if any row was moved.
template <class T>
bool KMeansRun<T>::refill_empty_clusters() {
  std::vector<T> distances;
  bool moved = false;
  for (std::int64_t k = 0; k < n_clusters_; ++k) {
    if (sums_.weight(k) > 0) continue;
    if (distances.empty()) {
      distances.resize(static_cast<std::size_t>(data_.X.rows));
      accelerator_.write_labels(centre_rows(), labels_, sums_);
      engine().of<T>().kmeans.own_distances(data_, centre_rows(), labels_, distances.data());
    }
    const std::int64_t row = farthest_row(distances);
    if (row < 0) break;
    distances[static_cast<std::size_t>(row)] = 0;
    engine().of<T>().kmeans.move(data_, sums_.units(), row, static_cast<std::int32_t>(k), labels_, sums_.deltas());
    sums_.absorb_deltas();
    accelerator_.forget(row);
    moved = true;
  }
  return moved;
}

// The labels of the centres that are returned. A cluster that loses its last row now still gets another one.
template <class T>
void KMeansRun<T>::settle_labels() {
  constexpr int most_attempts = 10;  // each one is an iteration more than the caller asked for
  assign();
  for (int attempt = 0; attempt < most_attempts && refill_empty_clusters(); ++attempt) {
    update_centres();
    assign();
  }
}

template <class T>
double KMeansRun<T>::shift_of_centres() const {
  double total = 0;
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    const double step = static_cast<double>(centres_[i]) - static_cast<double>(previous_[i]);
    total += step * step;
  }
  return total;
}

// sum w|x|^2 - sum W|c|^2 for means; with unit centres sum w|x|^2 + W - 2 |sum|.
template <class T>
double KMeansRun<T>::inertia_of_sums() const {
  double inertia = total_squares_;
  for (std::int64_t k = 0; k < n_clusters_; ++k) {
    const double weight = sums_.weight(k);
    if (!(weight > 0)) continue;
    double squared = 0;
    for (std::int64_t t = 0; t < cols_; ++t) squared += sums_.sum(k, t) * sums_.sum(k, t);
    inertia += options_.unit_centres ? weight - 2 * std::sqrt(squared) : -squared / weight;
  }
  return std::max(0.0, inertia);
}

template <class T>
KMeansOutcome KMeansRun<T>::run(const KMeansProgress& progress) {
  KMeansOutcome outcome{0, 0, false, 0, accelerator_.name()};
  double before = std::numeric_limits<double>::infinity();
  while (outcome.n_iter < options_.max_iter) {
    const bool reassigned = assign(), refilled = refill_empty_clusters();
    update_centres();
    ++outcome.n_iter;
    const double inertia = inertia_of_sums();
    if (progress) progress(outcome.n_iter, inertia);
    check_interrupt();
    if (!reassigned && !refilled) {
      outcome.is_strict = true;
      break;
    }
    outcome.centre_shift = shift_of_centres();
    if (outcome.centre_shift <= options_.tol) break;
    if (options_.tol_inertia >= 0 && before - inertia <= options_.tol_inertia * before) break;
    before = inertia;
  }
  if (!outcome.is_strict) settle_labels();
  accelerator_.write_labels(centre_rows(), labels_, sums_);
  outcome.inertia = engine().of<T>().kmeans.own_distances(data_, centre_rows(), labels_, nullptr);
  return outcome;
}

}  // namespace

template <class T>
KMeansOutcome run_kmeans(const MatrixView<T>& X, const double* weights, const ColumnMoments& columns,
                         const MutableMatrixView<T>& centres, const KMeansOptions& options, const KMeansProgress& progress,
                         std::int32_t* labels) {
  return KMeansRun<T>(X, weights, columns, centres, options, labels).run(progress);
}

template KMeansOutcome run_kmeans<float>(const MatrixView<float>&, const double*, const ColumnMoments&,
                                         const MutableMatrixView<float>&, const KMeansOptions&, const KMeansProgress&, std::int32_t*);
template KMeansOutcome run_kmeans<double>(const MatrixView<double>&, const double*, const ColumnMoments&,
                                          const MutableMatrixView<double>&, const KMeansOptions&, const KMeansProgress&,
                                          std::int32_t*);

}  // namespace coterie
