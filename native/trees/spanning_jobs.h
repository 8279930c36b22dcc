// What the spanning-tree kernel is asked: for some points of a kd-tree, the nearest point of another component.
#pragma once

#include <cstdint>

#include "trees/kdtree_view.h"

namespace coterie {

// Nodes with all their points in one component, sorted by it: those of run r are nodes[starts[r]] up to nodes[starts[r + 1]].
struct SpanningNodes {
  const TreeNode* nodes;
  const std::int64_t* starts;
  std::int64_t n_runs;
};

// Distances here are max(core[i], core[j], d(i, j) / alpha). Everything "per position" is in the order of the tree and
// as long as its leaves, padding included.
template <class T>
struct SpanningSearch {
  const std::int32_t* component;       // per position
  const std::int32_t* node_component;  // per node; several_components where its points are in more than one
  const std::int32_t* node_lowest;     // per node: the lowest row of the data
  const T* core;                       // per position; nullptr: all zero
  const T* node_core;                  // per node: the smallest core; nullptr as core
  double alpha;
  const std::int32_t* queries;         // positions
  std::int64_t n_queries;
  SpanningNodes whole;                 // then, all points of these nodes that have no partner: most are ruled out with their node
  T* component_bound;                  // per component: no need to look beyond; shrinks while threads work
  T* distance;                         // per position: that of the partner; without one, all others are at least so far
  std::int32_t* partner;               // per position: position of the nearest point elsewhere, or no_partner
};

inline constexpr std::int32_t several_components = -1;
inline constexpr std::int32_t no_partner = -1;

template <class T>
struct SpanningKernels {
  void (*search)(const KDTreeView<T>& tree, const SpanningSearch<T>& job, int threads);
};

}  // namespace coterie
