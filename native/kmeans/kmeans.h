// K-means from a given start: plain Lloyd and accelerated iterations with the same labels.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "support/matrix_view.h"

namespace coterie {

enum class KMeansAlgorithm {
  automatic,  // by measured crossovers
  lloyd,      // every row meets every centre
  hamerly,    // two bounds per row; rows that fail meet every centre
  exponion,   // two bounds per row; rows that fail meet the centres around their own
  filter,     // a tree of boxes; at most three columns
};

struct KMeansOptions {
  std::int64_t max_iter;
  double tol;          // stop when the squared shift of all centres together is at most this
  double tol_inertia;  // stop when the inertia falls by at most this share; negative: never
  KMeansAlgorithm algorithm;
  bool unit_centres;  // centres are scaled to length one (spherical k-means on unit rows)
  int threads;
};

struct KMeansOutcome {
  double inertia;
  std::int64_t n_iter;
  bool is_strict;  // stopped because no label changed
  std::string algorithm;
};

// Called after every iteration: number, inertia.
using KMeansProgress = std::function<void(std::int64_t, double)>;

// Moves `centres` (k x cols) and fills `labels` (n). `weights` may be null. A cluster that loses all its rows restarts at the
// row farthest from its centre, unless every row already coincides with a centre.
template <class T>
KMeansOutcome run_kmeans(const MatrixView<T>& X, const double* weights, const MutableMatrixView<T>& centres,
                         const KMeansOptions& options, const KMeansProgress& progress, std::int32_t* labels);

}  // namespace coterie
