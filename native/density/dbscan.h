// DBSCAN over a kd-tree, in memory that grows with the number of points only.
//
// A point is a core point when the weights of the points within the radius, itself included, sum up to least_weight.
// Clusters are the components of core points within the radius of each other, numbered by their lowest row; any other
// point belongs to the lowest cluster with a core point within the radius, or is noise, -1.
#pragma once

#include <cstdint>

#include "trees/kdtree.h"

namespace coterie {

struct DbscanQuestion {
  double radius;
  double least_weight;
  const double* weight;  // per row; nullptr: all 1
};

// The tree must have leaves of 32 points. `is_core` and `labels` are per row.
template <class T>
void dbscan(const KDTree<T>& tree, const DbscanQuestion& question, std::uint8_t* is_core, std::int64_t* labels, int threads);

// Share of the leaves that a leaf must look at, from a sample: near 1, comparing all pairs is faster.
template <class T>
double share_within(const KDTree<T>& tree, double radius);

}  // namespace coterie
