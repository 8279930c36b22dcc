// K-means from a given start: plain Lloyd and accelerated iterations with the same labels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kmeans/column_moments.h"
#include "support/matrix_view.h"

namespace coterie {

enum class KMeansAlgorithm {
  automatic,  // by columns and clusters, see choose_algorithm.cpp
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
  bool is_strict;       // stopped because no label changed
  double centre_shift;  // squared, all centres together, of the last iteration
  std::string algorithm;
};

template <class T>
class FilterTree;

// The tree of the filter, if a run has made one. It belongs to the rows and their weights: the next run on them can begin with it.
template <class T>
using KeptTree = std::shared_ptr<const FilterTree<T>>;

// Called after every iteration: number, inertia.
using KMeansProgress = std::function<void(std::int64_t, double)>;

// Moves `centres` (k x cols) and fills `labels` (n). `weights` may be null. `columns` are the moments of X with these weights.
// A cluster that loses all its rows restarts at the row farthest from its centre, unless every row already coincides with a
// centre. What comes next depends on X and the centres alone: a run that is cut in two gives the same as a whole one.
// `kept` may be null.
template <class T>
KMeansOutcome run_kmeans(const MatrixView<T>& X, const double* weights, const ColumnMoments& columns,
                         const MutableMatrixView<T>& centres, const KMeansOptions& options, const KMeansProgress& progress,
                         std::int32_t* labels, KeptTree<T>* kept = nullptr);

}  // namespace coterie
