#include "linkage/clusters.h"

#include <numeric>

namespace coterie {

template <class T>
Clusters::Clusters(const MatrixView<T>& rows, CentroidRule rule)
    : cols_(rows.cols),
      rule_(rule),
      centroids_(static_cast<std::size_t>(rows.rows * rows.cols)),
      sizes_(static_cast<std::size_t>(rows.rows), 1.0),
      spreads_(static_cast<std::size_t>(rows.rows), 0.0),
      into_(static_cast<std::size_t>(rows.rows)),
      versions_(static_cast<std::size_t>(rows.rows), 0) {
  std::iota(into_.begin(), into_.end(), 0);
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t t = 0; t < cols_; ++t) centroids_[static_cast<std::size_t>(i * cols_ + t)] = static_cast<double>(rows.row(i)[t]);
}

double Clusters::distance(std::int32_t a, std::int32_t b) const {
  const double *x = centroid(a), *y = centroid(b);
  double squared = 0;
  for (std::int64_t t = 0; t < cols_; ++t) squared += (x[t] - y[t]) * (x[t] - y[t]);
  return rule_ == CentroidRule::ward ? ward_of(squared, size(a), size(b)) : average_of(squared, spread(a), spread(b));
}

void Clusters::merge(std::int32_t first, std::int32_t second) {
  const double total = size(first) + size(second);
  const double share = rule_ == CentroidRule::median ? 0.5 : size(second) / total, rest = 1 - share;
  double* kept = centroids_.data() + first * cols_;
  const double* gone = centroid(second);
  double squared = 0;
  for (std::int64_t t = 0; t < cols_; ++t) {
    const double difference = gone[t] - kept[t];
    squared += difference * difference;
    kept[t] += share * difference;
  }
  if (rule_ == CentroidRule::average_squares)
    spreads_[static_cast<std::size_t>(first)] = rest * spread(first) + share * spread(second) + share * rest * squared;
  sizes_[static_cast<std::size_t>(first)] = total;
  into_[static_cast<std::size_t>(second)] = first;
  ++versions_[static_cast<std::size_t>(first)];
  ++versions_[static_cast<std::size_t>(second)];
}

template Clusters::Clusters(const MatrixView<float>&, CentroidRule);
template Clusters::Clusters(const MatrixView<double>&, CentroidRule);

}  // namespace coterie
