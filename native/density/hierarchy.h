// From a spanning tree to the hierarchy of density: which components merge at which distance, the same tree without
// components that are too small, and a flat cut through it.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

// Merge m makes node n + m of nodes left[m] and right[m]; nodes below n are rows.
struct MergeTree {
  std::vector<std::int64_t> left, right, size;
};

// Edge m joins rows ends[2m], on the left, and ends[2m + 1]; edges come by distance.
MergeTree merge_components(const std::int64_t* ends, std::int64_t n_edges);

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
