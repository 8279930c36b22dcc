// The loop of k-means, for any kind of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kmeans/column_moments.h"
#include "kmeans/exact_sums.h"
#include "kmeans/kmeans.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {

// The point that rows are taken relative to: their mean, or zero.
template <class T>
std::vector<T> middle_of(const ColumnMoments& columns, bool at_zero) {
  std::vector<T> shift(columns.mean.size(), T(0));
  if (!at_zero) std::transform(columns.mean.begin(), columns.mean.end(), shift.begin(), [](double m) { return static_cast<T>(m); });
  return shift;
}

inline double largest_weight(const double* weights, std::int64_t n) {
  return weights == nullptr ? 1.0 : *std::max_element(weights, weights + n);
}

// Rows: count(), weights(), shift() and what a pass over them does:
//   bool assign(centres, previous, labels, sums)     brings the sums to `centres`; whether any label changed
//   void write_labels(centres, labels, sums)         makes `labels` those of the last assign
//   void move(row, to, labels, sums)                 gives one row to another cluster
//   double own_distances(centres, labels, out)       squared, to the own centre; `out` may be null; their weighted sum
//   std::string algorithm()
// All of it relative to the shift.
template <class T, class Rows>
class KMeansRun {
 public:
  // `tables` of changes are kept beside the sums, for threads that must not meet.
  KMeansRun(Rows& rows, const ColumnMoments& columns, int tables, const MutableMatrixView<T>& centres, const KMeansOptions& options,
            std::int32_t* labels);
  KMeansOutcome run(const KMeansProgress& progress);

 private:
  bool assign() { return rows_.assign(centre_rows(), previous_, labels_, sums_); }
  void update_centres();
  bool refill_empty_clusters();
  std::int64_t farthest_row(const std::vector<T>& distances) const;
  double shift_of_centres() const;
  double inertia_of_sums() const;
  double squared_sum(std::int64_t cluster) const;
  MatrixView<T> centre_rows() const { return {centres_.data(), n_clusters_, cols_, cols_}; }

  // Calls body(cluster) for every cluster; in parallel if that is worth it.
  template <class Body>
  void for_each_cluster(const Body& body) const {
    constexpr std::int64_t fewest_numbers = 1 << 16;
    parallel_for(n_clusters_, n_clusters_ * cols_ < fewest_numbers ? 1 : options_.threads, [&](std::int64_t k, int) { body(k); });
  }

  Rows& rows_;
  const KMeansOptions options_;
  const MutableMatrixView<T> output_;
  const std::vector<T>& shift_;
  const std::int64_t n_clusters_, cols_;
  ExactSums<T> sums_;
  std::vector<T> centres_, previous_;  // output_ minus the shift
  std::int32_t* labels_;
  double total_squares_ = 0;
};

template <class T, class Rows>
KMeansRun<T, Rows>::KMeansRun(Rows& rows, const ColumnMoments& columns, int tables, const MutableMatrixView<T>& centres,
                              const KMeansOptions& options, std::int32_t* labels)
    : rows_(rows),
      options_(options),
      output_(centres),
      shift_(rows.shift()),
      n_clusters_(centres.rows),
      cols_(centres.cols),
      sums_(rows.count(), centres.rows, columns, shift_, largest_weight(rows.weights(), rows.count()), tables),
      centres_(static_cast<std::size_t>(centres.rows * centres.cols)),
      labels_(labels) {
  for (std::int64_t k = 0; k < centres.rows; ++k)
    for (std::int64_t t = 0; t < centres.cols; ++t)
      centres_[static_cast<std::size_t>(k * centres.cols + t)] = centres.row(k)[t] - shift_[static_cast<std::size_t>(t)];
  std::fill(labels_, labels_ + rows.count(), -1);
  for (std::size_t t = 0; t < shift_.size(); ++t) {
    const double away = columns.mean[t] - static_cast<double>(shift_[t]);
    total_squares_ += columns.total_weight * (columns.variance[t] + away * away);
  }
}

template <class T, class Rows>
double KMeansRun<T, Rows>::squared_sum(std::int64_t cluster) const {
  double squared = 0;
  for (std::int64_t t = 0; t < cols_; ++t) {
    const double sum = sums_.sum(cluster, t);
    squared += sum * sum;
  }
  return squared;
}

template <class T, class Rows>
void KMeansRun<T, Rows>::update_centres() {
  previous_ = centres_;
  for_each_cluster([&](std::int64_t k) {
    const double weight = sums_.weight(k);
    if (!(weight > 0)) return;
    T* centre = centres_.data() + k * cols_;
    const double divisor = options_.unit_centres ? std::sqrt(squared_sum(k)) : weight;
    if (!(divisor > 0)) return;
    for (std::int64_t t = 0; t < cols_; ++t) {
      const T shift = shift_[static_cast<std::size_t>(t)];
      output_.row(k)[t] = static_cast<T>(sums_.sum(k, t) / divisor + static_cast<double>(shift));
      centre[t] = output_.row(k)[t] - shift;  // of the rounded one: labels belong to the centres that are returned
    }
  });
}

// The row farthest from its centre that its cluster can spare; ties, but for rounding, to the lowest index; -1 if none is away from its centre.
template <class T, class Rows>
std::int64_t KMeansRun<T, Rows>::farthest_row(const std::vector<T>& distances) const {
  std::int64_t best = -1;
  T farthest = 0;
  for (std::int64_t i = 0; i < rows_.count(); ++i) {
    const bool has_weight = rows_.weights() == nullptr || rows_.weights()[i] > 0;
    const T least = farthest + static_cast<T>(rounding_share<T>) * farthest;
    if (distances[static_cast<std::size_t>(i)] > least && has_weight && sums_.count(labels_[i]) > 1) {
      farthest = distances[static_cast<std::size_t>(i)];
      best = i;
    }
  }
  return best;
}

// Restarts empty clusters at far rows; true if any row was moved.
template <class T, class Rows>
bool KMeansRun<T, Rows>::refill_empty_clusters() {
  std::vector<T> distances;
  bool moved = false;
  for (std::int64_t k = 0; k < n_clusters_; ++k) {
    if (sums_.weight(k) > 0) continue;
    if (distances.empty()) {
      distances.resize(static_cast<std::size_t>(rows_.count()));
      rows_.write_labels(centre_rows(), labels_, sums_);
      rows_.own_distances(centre_rows(), labels_, distances.data());
    }
    const std::int64_t row = farthest_row(distances);
    if (row < 0) break;
    distances[static_cast<std::size_t>(row)] = 0;
    rows_.move(row, static_cast<std::int32_t>(k), labels_, sums_);
    moved = true;
  }
  return moved;
}

template <class T, class Rows>
double KMeansRun<T, Rows>::shift_of_centres() const {
  double total = 0;
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    const double step = static_cast<double>(centres_[i]) - static_cast<double>(previous_[i]);
    total += step * step;
  }
  return total;
}

// sum w|x|^2 - sum W|c|^2 for means; with unit centres sum w|x|^2 + W - 2 |sum|.
template <class T, class Rows>
double KMeansRun<T, Rows>::inertia_of_sums() const {
  std::vector<double> squares(static_cast<std::size_t>(n_clusters_));
  for_each_cluster([&](std::int64_t k) { squares[static_cast<std::size_t>(k)] = squared_sum(k); });
  double inertia = total_squares_;
  for (std::int64_t k = 0; k < n_clusters_; ++k) {
    const double weight = sums_.weight(k), squared = squares[static_cast<std::size_t>(k)];
    if (!(weight > 0)) continue;
    inertia += options_.unit_centres ? weight - 2 * std::sqrt(squared) : -squared / weight;
  }
  return std::max(0.0, inertia);
}

template <class T, class Rows>
KMeansOutcome KMeansRun<T, Rows>::run(const KMeansProgress& progress) {
  KMeansOutcome outcome{0, 0, false, 0, rows_.algorithm()};
  double before = std::numeric_limits<double>::infinity();
  while (outcome.n_iter < options_.max_iter) {
    const bool reassigned = assign(), refilled = refill_empty_clusters();
    update_centres();
    ++outcome.n_iter;
    const double inertia = progress || options_.tol_inertia >= 0 ? inertia_of_sums() : 0;  // not free when columns are many
    if (progress) progress(outcome.n_iter, inertia);
    check_interrupt();
    if (!reassigned && !refilled) {
      outcome.is_strict = true;
      break;
    }
    outcome.centre_shift = shift_of_centres();
    if (outcome.centre_shift <= options_.tol) break;
    if (options_.tol_inertia >= 0 && outcome.n_iter > 1 && before - inertia <= options_.tol_inertia * before) break;
    before = inertia;
  }
  if (!outcome.is_strict) assign();  // labels must belong to the centres that are returned
  rows_.write_labels(centre_rows(), labels_, sums_);
  outcome.inertia = rows_.own_distances(centre_rows(), labels_, nullptr);
  return outcome;
}

}  // namespace coterie
