// Two trees of the same leaves: how much the clusters of their cuts overlap.
#pragma once

#include <cstdint>

#include "dendrogram/tree_view.h"

namespace coterie {

// For each number of clusters (descending, each a cut of both trees): the sums of squares of the contingency table of the two
// cuts, of its rows and of its columns. Both trees are merged side by side; the smaller row or column is poured into the other.
void overlap_curve(const TreeView& first, const TreeView& second, const std::int64_t* n_clusters, std::int64_t n_cuts,
                   std::int64_t* cells, std::int64_t* rows, std::int64_t* columns);

}  // namespace coterie
