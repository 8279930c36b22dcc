// The nearest points of every point of a kd-tree, all in the order of the tree: rounds of Boruvka read them one after the other.
#pragma once

#include <cstdint>

#include "support/uncleared_array.h"
#include "trees/spanning_tree.h"

namespace coterie {

template <class T>
struct NearestPositions {
  std::int64_t k = 0;
  UnclearedArray<std::int64_t> position;  // points x k, nearest first; -1: no more
  UnclearedArray<T> distance;
};

// Asks the tree for k others of every point; there must be as many.
template <class T>
NearestPositions<T> nearest_positions(const KDTree<T>& tree, std::int64_t k, int threads);

// The same of neighbours that are known by the rows of the data: points x k, nearest first.
template <class T>
NearestPositions<T> nearest_positions(const KDTree<T>& tree, const std::int64_t* rows, const T* distances, std::int64_t k);

// As spanning_tree, with neighbours that are known already.
template <class T>
SpanningEdges<T> spanning_tree(const KDTree<T>& tree, const Reachability<T>& reach, const NearestPositions<T>& known, int threads);

}  // namespace coterie
