// The nearest clusters of clusters that are known by their centroids.
#pragma once

#include <cstdint>

#include "trees/kdtree_jobs.h"
#include "trees/kdtree_view.h"

namespace coterie {

// How far two clusters with centroids c, sizes s and spreads v (mean squared distance to the centroid) are apart.
enum class CentroidRule : std::int32_t {
  ward,             // 2 s t / (s + t) |c - c'|^2: twice what their merge adds to the sum of squares
  average_squares,  // |c - c'|^2 + v + v': the mean squared distance of their rows
  centroid,         // |c - c'|^2; spreads stay 0
  median,           // the same, and a merged cluster's centre is the middle of the two
};

// Plain numbers only: the same operations for numbers and vectors, so that who is nearer never depends on who asks.
template <class V>
inline __attribute__((always_inline)) V ward_of(V squared, V size, V other_size) {
  return (size * other_size) / (size + other_size) * squared * 2;
}

template <class V>
inline __attribute__((always_inline)) V average_of(V squared, V spread, V other_spread) {
  return squared + (spread + other_spread);
}

struct Candidate {
  double distance;
  std::int32_t slot;
  std::int32_t version;  // of the slot, when the distance was computed
};

// Clusters in the order of a kd-tree over their centroids. A dead one has the spread +inf, and so has padding.
struct ClusterTree {
  KDTreeView<double> tree;
  const double* sizes;          // per tree position
  const double* spreads;        // per tree position
  const std::int32_t* slots;    // per tree position
  const double* least_sizes;    // per node
  const double* least_spreads;  // per node
};

struct ClusterQueries {
  QueryGroups<double> groups;
  const double* sizes;  // per row
  const double* spreads;
  const std::int32_t* slots;  // a cluster does not find itself
  std::int64_t k;
  Candidate* found;  // rows x k by (distance, slot); slot -1 where there are fewer
};

struct CentroidKernels {
  void (*nearest)(const ClusterTree& clusters, const ClusterQueries& queries, CentroidRule rule, int threads);
};

}  // namespace coterie
