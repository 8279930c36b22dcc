#include "linkage/clusters.h"

#include <numeric>

namespace coterie {
namespace {

constexpr std::int64_t least_in_fours = 16;  // columns: fewer gain nothing

// Four sums side by side: each addition to one sum would wait for the last one.
double squared_distance(const double* x, const double* y, std::int64_t cols) {
  const auto term = [&](std::int64_t t) { return (x[t] - y[t]) * (x[t] - y[t]); };
  const std::int64_t in_fours = cols < least_in_fours ? 0 : cols - cols % 4;
  double a = 0, b = 0, c = 0, d = 0;
  for (std::int64_t t = 0; t < in_fours; t += 4) {
    a += term(t), b += term(t + 1);
    c += term(t + 2), d += term(t + 3);
  }
  double squared = (a + b) + (c + d);
  for (std::int64_t t = in_fours; t < cols; ++t) squared += term(t);
  return squared;
}

}  // namespace

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
  const double squared = squared_distance(centroid(a), centroid(b), cols_);
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
