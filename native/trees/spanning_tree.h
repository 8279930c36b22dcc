// Minimum spanning trees: of points under a metric, or of points under the mutual reachability
// max(core[i], core[j], d(i, j) / alpha) of density-based clustering.
//
// Edges are ordered by (distance, lower row, higher row). No two edges are equal in that order, so there is one tree,
// whatever the number of threads and whichever the engine, up to rounding of the distances.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"
#include "tiles/metric.h"
#include "trees/kdtree.h"

namespace coterie {

template <class T>
struct SpanningEdge {
  T distance;
  std::int32_t lower;   // row of the data
  std::int32_t higher;  // row of the data, above `lower`

  bool operator<(const SpanningEdge& other) const {
    if (distance != other.distance) return distance < other.distance;
    return lower != other.lower ? lower < other.lower : higher < other.higher;
  }
};

template <class T>
using SpanningEdges = std::vector<SpanningEdge<T>>;  // n - 1 of them, in their order

template <class T>
struct Reachability {
  const T* core = nullptr;  // per row; nullptr: the metric alone
  double alpha = 1;
};

// By rounds of Boruvka over the tree, which is asked for a few neighbours first: every component but the largest finds its
// shortest edge outwards.
template <class T>
SpanningEdges<T> spanning_tree(const KDTree<T>& tree, const Reachability<T>& reach, int threads);

// The same over all pairs, for distances and dimensions that a kd-tree does not know.
template <class T>
SpanningEdges<T> spanning_tree(const MatrixView<T>& rows, const Metric& metric, const Reachability<T>& reach, int threads);

// The same for a matrix of distances, of which each number is read once.
template <class T>
SpanningEdges<T> spanning_tree(const MatrixView<T>& distances, const Reachability<T>& reach);

}  // namespace coterie
