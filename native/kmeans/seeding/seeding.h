// Greedy k-means++: rows of the data as first centres.
//
// The first pick is drawn by weight. For every further one, `n_candidates` rows are drawn with probability proportional to
// weight * D^2, D the distance to the nearest pick, and the one that leaves the least potential (the sum of weight * D^2) is
// taken. The picks for k are the first k picks for any larger number, with the same seed and the same number of candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

struct SeedingOptions {
  std::int64_t n_clusters;
  std::int64_t n_candidates;  // per pick; 1 is plain k-means++
  std::uint64_t seed;
  int threads;
};

struct Seeds {
  std::vector<std::int64_t> rows;  // fewer than n_clusters when every row coincides with a pick
  double potential;                // sum of weight * D^2 after the last pick
};

// `weights` may be null. `probabilities` (rows x n_clusters, zeros) gets in column p the chances of every row to be drawn as a
// candidate of pick p; null when they are not wanted.
template <class T>
Seeds seed_kmeans(const MatrixView<T>& X, const double* weights, const SeedingOptions& options, double* probabilities);
template <class T>
Seeds seed_kmeans(const SparseView<T>& X, const double* weights, const SeedingOptions& options, double* probabilities);

}  // namespace coterie
