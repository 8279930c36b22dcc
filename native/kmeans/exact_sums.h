// Owns the exact sums of k-means: units, totals, and tables of changes.
#pragma once

#include <cstdint>
#include <vector>

#include "kmeans/column_moments.h"
#include "kmeans/kmeans_kernels.h"

namespace coterie {

template <class T>
class ExactSums {
 public:
  // `shift` is the point that rows are taken relative to. `tables` is the number of threads that write deltas.
  ExactSums(std::int64_t n, std::int64_t n_clusters, const ColumnMoments& columns, const std::vector<T>& shift, double largest_weight,
            int tables);

  SumUnits units() const { return {scale_.data(), fine_scale_}; }
  ClusterSums deltas();
  // For threads that share no cluster: they write to the totals at once.
  ClusterSums totals();
  // Adds what the threads changed to the totals and clears it.
  void absorb_deltas();

  // Makes what the threads summed the totals; true if they differ from the totals before.
  bool replace_by_deltas();

  std::int64_t count(std::int64_t cluster) const { return count_[static_cast<std::size_t>(cluster)]; }
  double weight(std::int64_t cluster) const { return value(cluster, cols_); }
  double sum(std::int64_t cluster, std::int64_t column) const { return value(cluster, column); }

 private:
  double value(std::int64_t cluster, std::int64_t column) const;

  std::int64_t n_clusters_, cols_;
  int tables_;
  std::vector<double> scale_;
  double fine_scale_;
  std::vector<std::int64_t> coarse_, fine_, count_;
  std::vector<std::int64_t> coarse_delta_, fine_delta_, count_delta_;
};

}  // namespace coterie
