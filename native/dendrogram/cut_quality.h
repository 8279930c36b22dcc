// How well every cut of a tree fits known classes, or the data: one pass over the merges, nothing is recomputed.
#pragma once

#include <cstdint>

#include "dendrogram/tree_view.h"
#include "support/matrix_view.h"

namespace coterie {

// One entry per cut, the leaves alone first and then one after every merge; all arrays have n_inner + 1 entries.
struct ClassCurves {
  std::int64_t* largest_classes;   // samples in the largest class of their cluster, summed over clusters
  std::int64_t* largest_clusters;  // samples in the largest cluster of their class, summed over classes
  std::int64_t* pairs_together;    // pairs of one class in one cluster
  std::int64_t* pairs_in_clusters;
  double* cells_log;     // sum of x log x over the cells of the contingency table
  double* clusters_log;  // the same over the sizes of the clusters
};

// classes[i] in [0, n_classes). Smaller tables are poured into larger ones: O(n log n) steps whatever the tree.
void class_curves(const TreeView& tree, const std::int32_t* classes, std::int64_t n_classes, const ClassCurves& out);

// Within-cluster sum of squares of every cut, by the sums of merged clusters.
template <class T>
void scatter_curve(const TreeView& tree, MatrixView<T> X, double* scatter);

}  // namespace coterie
