// From a spanning tree to the hierarchy of density: which components merge at which distance, the same tree without
// components that are too small, and a flat cut through it.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

// The spanning tree of max(core[i], core[j], distances / alpha) as Prim's algorithm grows it from row 0: of equally near
// rows the lowest comes first, joined to the row that reached it first, or to the row before it. Edges in that order.
struct GrownTree {
  std::vector<std::int64_t> ends;
  std::vector<double> distance;
};
GrownTree grow_from_first_row(const double* distances, const double* core, std::int64_t n, double alpha, bool join_previous);

// Merge m makes node n + m of nodes left[m] and right[m]; nodes below n are rows.
struct MergeTree {
  std::vector<std::int64_t> left, right, size;
};

// Edge m joins rows ends[2m] and ends[2m + 1]; edges come by distance. With `from_first_row` the side of an edge that is
// nearer to row 0 in the tree is the left one, as if the tree had been grown from there; otherwise that of ends[2m].
MergeTree merge_components(const std::int64_t* ends, std::int64_t n_edges, bool from_first_row);

// One row per child: a cluster (n_rows or higher; n_rows is the root) or a row of the data that leaves its parent at
// that density, 1 / distance.
struct CondensedRows {
  std::vector<std::int64_t> parent, child, size;
  std::vector<double> density;
};

// A merge is a split into two clusters when both sides have at least min_cluster_size rows; the rows of a smaller side
// merely leave. Clusters are numbered level by level, left before right.
CondensedRows condense(const std::int64_t* left, const std::int64_t* right, const double* distance, const std::int64_t* size,
                       std::int64_t n_merges, std::int64_t min_cluster_size);

// Labels of the components of merges below the distance; components of fewer rows than min_cluster_size are -1.
std::vector<std::int64_t> cut_below(const std::int64_t* left, const std::int64_t* right, const double* distance,
                                    std::int64_t n_merges, double cut, std::int64_t min_cluster_size);

}  // namespace coterie
