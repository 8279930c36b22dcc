// From a spanning tree to the hierarchy of density: which components merge at which distance, the same tree without
// components that are too small, and a flat cut through it.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

// Merge m makes node n + m of nodes left[m] and right[m]; nodes below n are rows. `Size` is std::int64_t, or double for sums of
// weights.
template <class Size>
struct MergeTree {
  std::vector<std::int64_t> left, right;
  std::vector<Size> size;
};

// What rows weigh, and the distances within which copies of a row reach each other: w equal rows are one row of weight w.
// Without weights every row is one.
struct Copies {
  const double* weight = nullptr;
  const double* core = nullptr;
};

// Edge m joins rows ends[2m], on the left, and ends[2m + 1]; edges come by distance.
template <class Size>
MergeTree<Size> merge_components(const std::int64_t* ends, std::int64_t n_edges, const double* weight = nullptr);

// A tree of merges from elsewhere.
template <class Size>
struct MergeView {
  const std::int64_t *left, *right;
  const double* distance;
  const Size* size;
  std::int64_t n_merges;
};

// One row per child: a cluster (n_rows or higher; n_rows is the root) or a row of the data that leaves its parent at
// that density, 1 / distance.
template <class Size>
struct CondensedRows {
  std::vector<std::int64_t> parent, child;
  std::vector<Size> size;
  std::vector<double> density;
};

// A merge is a split into two clusters when both sides have at least min_cluster_size rows; the rows of a smaller side
// merely leave. Clusters are numbered level by level, left before right. A row that is heavy enough is a cluster by itself
// until its copies part, at its core distance; where they part at the very distance at which it merges, it merely leaves.
template <class Size>
CondensedRows<Size> condense(const MergeView<Size>& merges, std::int64_t min_cluster_size, const Copies& copies = {});

// Labels of the components of merges below the distance; components of fewer rows than min_cluster_size are -1.
std::vector<std::int64_t> cut_below(const std::int64_t* left, const std::int64_t* right, const double* distance, std::int64_t n_merges,
                                    double cut, std::int64_t min_cluster_size, const Copies& copies = {});

}  // namespace coterie
