// The simplified silhouette of every cut of a tree: each cut splits one cluster of the cut before, and only what that changes
// is computed.
#pragma once

#include <cstdint>

#include "dendrogram/tree_view.h"
#include "support/matrix_view.h"

namespace coterie {

// scores[c] of the cut after the first c merges: the mean over the leaves of (b - a) / max(a, b), with the distances a to the
// centroid of the own cluster and b to the nearest other one; 0 for a leaf alone. NaN for the cut into one cluster, for that into
// leaves, and, from fine to coarse, for cuts that were not reached when `most_steps` numbers had been compared (0: no limit).
template <class T>
void silhouette_curve(const TreeView& tree, MatrixView<T> X, std::int64_t most_steps, double* scores);

}  // namespace coterie
