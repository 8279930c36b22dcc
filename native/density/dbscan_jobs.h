// What the DBSCAN kernels are asked, over a kd-tree whose leaves hold 32 points: one word of bits per leaf.
#pragma once

#include <cstdint>

#include "trees/kdtree_jobs.h"

namespace coterie {

inline constexpr std::int32_t no_core_point = -1;   // of a leaf or node without any
inline constexpr std::int32_t not_connected = -2;   // of a leaf whose core points are not known to be one component
inline constexpr std::int32_t noise_label = 2147483647;

template <class T>
struct DbscanJob {
  QueryGroups<T> queries;          // the points of the tree, one leaf per group
  double radius;                   // inclusive
  double least_weight;             // of a neighbourhood whose centre is a core point
  const double* weight;            // per position; nullptr: all 1
  const double* node_weight;       // per node; nullptr as weight
  bool may_stop_early;             // weights are not negative: enough is enough
  std::uint32_t* core_bits;        // per leaf; written by mark, read by the others
  std::int32_t* parent;            // per position: disjoint sets, changed by join from many threads
  std::int32_t* anchor;            // per leaf: a core point of which the others are in one component with it
  const std::int32_t* node_cores;  // per node: how many core points
  std::int32_t* label;             // per position; read of core points, written for the others by reach
  const std::int32_t* node_label;  // per node: lowest label of its core points
};

template <class T>
struct DbscanKernels {
  void (*mark)(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads);   // core_bits
  void (*join)(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads);   // parent
  void (*reach)(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads);  // label of border points
};

}  // namespace coterie
