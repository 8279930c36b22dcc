// How far each centre moved and how far apart centres are: by how much the bounds of Hamerly and Exponion must give way.
#include "kmeans/bounds/centre_drift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr int passes_per_look = 4;
constexpr float round_up = 1 + 0x1.0p-21f, round_down = 1 - 0x1.0p-21f;
constexpr float infinity = std::numeric_limits<float>::infinity();

// Fills `moved`; returns the squared lengths of the centres.
template <class T>
std::vector<double> measure_steps(const MatrixView<T>& centres, const std::vector<T>& previous, std::vector<float>& moved) {
  const auto cols = static_cast<std::size_t>(centres.cols);
  std::vector<double> squares(moved.size(), 0);
  for (std::size_t a = 0; a < moved.size(); ++a) {
    double step = 0;
    for (std::size_t t = 0; t < cols; ++t) {
      const double now = static_cast<double>(centres.data[a * cols + t]);
      const double difference = now - static_cast<double>(previous[a * cols + t]);
      step += difference * difference;
      squares[a] += now * now;
    }
    moved[a] = static_cast<float>(std::sqrt(step)) * round_up;
  }
  return squares;
}

}  // namespace

CentreDrift::CentreDrift(std::int64_t n_clusters, bool keeps_distances, int threads) : n_clusters_(n_clusters), threads_(threads) {
  const auto k = static_cast<std::size_t>(n_clusters);
  moved_.resize(k);
  drift_.resize(k);
  fast_column_.resize(k, -1);
  largest_upper_.resize(k);
  if (!keeps_distances) return;
  beyond_.resize(k);
  neighbour_starts_.resize(k + 1);
  between_.resize(k * k);
}

template <class T>
void CentreDrift::measure(const MatrixView<T>& centres, const std::vector<T>& previous) {
  std::fill(fast_column_.begin(), fast_column_.end(), -1);
  const auto k = static_cast<std::size_t>(n_clusters_);
  const std::vector<double> squares = measure_steps(centres, previous, moved_);
  const ColumnPack<T> pack(centres, nullptr, squared_metric, threads_);
  const double unit = static_cast<double>(centres.cols + 8) * std::numeric_limits<T>::epsilon();
  constexpr std::int64_t rows_per_task = 32;
  parallel_for(block_count(n_clusters_, rows_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n_clusters_, rows_per_task, task);
    std::vector<T> squared(static_cast<std::size_t>(range.size()) * k);
    std::vector<float> kept(between_.empty() ? k : 0);
    const MatrixView<T> some{centres.row(range.begin), range.size(), centres.cols, centres.stride};
    engine().of<T>().tiles.store({some, nullptr, pack.columns(), squared_metric, 1},
                                 {squared.data(), range.size(), n_clusters_, n_clusters_});
    for (std::int64_t a = range.begin; a < range.end; ++a) {
      float* row = between_.empty() ? kept.data() : between_.data() + a * n_clusters_;
      const T* values = squared.data() + (a - range.begin) * n_clusters_;
      for (std::size_t b = 0; b < k; ++b) {
        const double error = unit * (squares[static_cast<std::size_t>(a)] + squares[b]);
        const double low = static_cast<double>(values[b]) - error;
        row[b] = low > 0 ? static_cast<float>(std::sqrt(low)) * round_down : 0.0f;
      }
      measure_cluster(a, row);
    }
  });
}

// Only centres within reach of the cluster's farthest row can take rows from it; the drift of the others does not matter.
void CentreDrift::measure_cluster(std::int64_t cluster, const float* distances) {
  const auto a = static_cast<std::size_t>(cluster), k = static_cast<std::size_t>(n_clusters_);
  constexpr float generosity = 4;  // 2 is enough for this iteration, more keeps bounds alive for the next ones
  const float reach = generosity * (largest_upper_[a] + moved_[a]);
  float nearest = infinity, beyond = nearest, fast = nearest, others = 0;
  for (std::size_t b = 0; b < k; ++b) {
    if (b == a) continue;
    nearest = std::min(nearest, distances[b]);
    if (fast_column_[b] >= 0)
      fast = std::min(fast, distances[b]);
    else if (distances[b] > reach)
      beyond = std::min(beyond, distances[b]);
    else
      others = std::max(others, moved_[b]);
  }
  drift_[a] = {moved_[a], nearest / 2, others, beyond, fast};
}

void CentreDrift::leave_out(const std::vector<std::int32_t>& fast) {
  for (std::size_t j = 0; j < fast.size(); ++j) fast_column_[static_cast<std::size_t>(fast[j])] = static_cast<std::int32_t>(j);
  parallel_for(n_clusters_, n_clusters_ < 256 ? 1 : threads_,
               [&](std::int64_t a, int) { measure_cluster(a, between_.data() + a * n_clusters_); });
}

double CentreDrift::crowding() const {
  std::int64_t near = 0;
  for (std::int64_t a = 0; a < n_clusters_; ++a) {
    const float reach = 2 * (largest_upper_[static_cast<std::size_t>(a)] + moved_[static_cast<std::size_t>(a)]);
    const float* row = between_.data() + a * n_clusters_;
    for (std::int64_t b = 0; b < n_clusters_; ++b) near += row[b] <= reach;
  }
  return static_cast<double>(near) / (static_cast<double>(n_clusters_) * static_cast<double>(n_clusters_));
}

// A row at most u from its centre can only go to a centre at most 2u from that one.
Neighbourhoods CentreDrift::neighbourhoods(const float* failing_upper) {
  const auto reach_of = [&](std::int64_t a) { return 2 * failing_upper[a] * round_up; };
  neighbour_starts_[0] = 0;
  for (std::int64_t a = 0; a < n_clusters_; ++a) {
    const float* row = between_.data() + a * n_clusters_;
    const float reach = reach_of(a);
    std::int32_t near = 0;
    if (reach > 0)
      for (std::int64_t b = 0; b < n_clusters_; ++b) near += row[b] <= reach;
    neighbour_starts_[static_cast<std::size_t>(a) + 1] = neighbour_starts_[static_cast<std::size_t>(a)] + near;
  }
  neighbours_.resize(static_cast<std::size_t>(neighbour_starts_.back()));
  constexpr std::int64_t clusters_per_task = 16;
  parallel_for(block_count(n_clusters_, clusters_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n_clusters_, clusters_per_task, task);
    for (std::int64_t a = range.begin; a < range.end; ++a)
      if (reach_of(a) > 0)
        list_neighbours(between_.data() + a * n_clusters_, n_clusters_, static_cast<std::int32_t>(a), reach_of(a),
                        neighbours_.data() + neighbour_starts_[static_cast<std::size_t>(a)], &beyond_[static_cast<std::size_t>(a)]);
  });
  return {neighbours_.data(), neighbour_starts_.data(), beyond_.data()};
}

void CentreDrift::note_largest_upper(const std::vector<float>& upper, const std::int32_t* labels) {
  std::fill(largest_upper_.begin(), largest_upper_.end(), 0.0f);
  for (std::size_t i = 0; i < upper.size(); ++i) {
    float& largest = largest_upper_[static_cast<std::size_t>(labels[i])];
    largest = std::max(largest, upper[i]);
  }
}

// Passes in order do not keep the largest bounds: they grow by what the centres moved, and are looked up now and then.
void CentreDrift::follow_largest_upper(const std::vector<float>& upper, const std::int32_t* labels) {
  if (++passes_in_order_ % passes_per_look == 0) return note_largest_upper(upper, labels);
  for (std::size_t a = 0; a < largest_upper_.size(); ++a) largest_upper_[a] = (largest_upper_[a] + moved_[a]) * round_up;
}

template void CentreDrift::measure(const MatrixView<float>&, const std::vector<float>&);
template void CentreDrift::measure(const MatrixView<double>&, const std::vector<double>&);

}  // namespace coterie
