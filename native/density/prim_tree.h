// The spanning tree of mutual reachability, max(core[i], core[j], distance / alpha), as Prim's algorithm grows it from row 0:
// of equally near rows the lowest comes first, joined to the row that reached it first.
//
// Such ties are everywhere, as a row reaches all its near neighbours at its own core distance, and the order of equal
// merges decides which clusters there are. scikit-learn takes this order; so do we.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trees/kdtree.h"

namespace coterie {

inline std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

// Edges in the order of growth; the row that joins comes second.
struct GrownTree {
  std::vector<std::int64_t> ends;
  std::vector<double> distance;
};

// `distances_from(i)` gives the distances from row i to all rows, valid until the next call.
GrownTree grow_from_first_row(std::int64_t n, const std::function<const double*(std::int64_t)>& distances_from, const double* core,
                              double alpha);

// The nearest others of every row, nearest first: `length` entries per row.
struct NearLists {
  const std::int64_t* position;
  const double* distance;
  std::int64_t length;
};

// Any spanning tree of the least distances: n - 1 edges.
struct KnownTree {
  const std::int64_t* ends;
  const double* distance;
};

struct Regrown {
  GrownTree tree;
  bool is_certain;
};

// The same tree in the time of a sort, from lists and any spanning tree. An edge of the grown tree is as long as the core
// distance of one end, which lists the other; or it is longer than both, and when no two such edges are equally long, all
// spanning trees have it. Where listed distances tie, lists end within the core distance, or long edges tie, `is_certain`
// is false: edges that are not known here might have come first. Lists and core distances are those of row order[p] at
// position p (nullptr: of row p), where near rows should be near each other; ends of edges are rows.
Regrown regrow_from_first_row(std::int64_t n, const std::int32_t* order, const double* core, double alpha, const NearLists& near,
                              const KnownTree& known, int threads);

// Core distances: to the min_samples-th row, itself included, over `divisor`; or as they are given, per row.
struct CoreQuestion {
  std::int64_t min_samples;
  double divisor;
  const double* given = nullptr;
};

// The same for the points of a kd-tree, with the core distances per row.
struct TreeReachability {
  Regrown grown;
  std::vector<double> core;
};
TreeReachability regrow_from_first_row(const KDTree<double>& tree, const CoreQuestion& asked, double alpha, int threads);

// The same with every tie decided, by a walk over the tree. `known` grew from the first row, if perhaps in another order.
GrownTree grow_from_first_row(const KDTree<double>& tree, const double* core, double alpha, const GrownTree& known);

}  // namespace coterie
