// What the passes of k-means work on, as plain data, and what they offer: one table of functions per instruction set.
#pragma once

#include <cstdint>

#include "kmeans/bounds/centre_neighbours.h"
#include "kmeans/bounds/filter_tree_view.h"
#include "kmeans/coded_rows.h"
#include "support/matrix_view.h"
#include "tiles/kernel_table.h"

namespace coterie {

constexpr Metric squared_metric = {Kernel::dot, Finish::squared_norm, 2};

// The data as every pass sees it: rows minus `shift`, with weights or without.
template <class T>
struct KMeansData {
  MatrixView<T> X;
  const T* shift;          // cols; a point in the middle of the data
  const double* weights;   // per row, or null
  int threads;
};

// Sums of rows per cluster that do not depend on the order of addition.
//
// A number becomes a whole multiple of a tiny unit of its column (float64: of a coarse and a fine unit), and whole numbers
// add up the same in any order. So the centres do not depend on threads, blocks, or the history of moves.
struct SumUnits {
  const double* scale;  // cols + 1: 1 / coarse unit of each column and of the weight; powers of two
  double fine_scale;    // coarse unit / fine unit; a power of two
};

// One row of cols + 1 sums per cluster, the weight last. Deltas have one such table per thread.
struct ClusterSums {
  std::int64_t* coarse;
  std::int64_t* fine;   // null for float32, whose numbers the coarse unit holds
  std::int64_t* count;  // rows per cluster
  std::int64_t n_clusters;
  std::int64_t cols;
};

// Per cluster, what the test of its points needs; refreshed after each move of the centres.
struct ClusterDrift {
  float moved;       // how far the centre went (rounded up)
  float gap;         // half the distance to the nearest other centre (rounded down)
  float others;      // how far any centre that may matter went (rounded up)
  float beyond;      // distance to the nearest centre that was left out of `others` for being far (rounded down)
  float fast;        // distance to the nearest centre that was left out of `others` for being fast (rounded down)
};

// Bounds per row: the own centre is at most `upper` away, every other one at least `lower`.
struct RowBounds {
  std::int32_t* label;
  float* upper;
  float* lower;
};

// The rows whose bounds failed: sorted by label within each block of rows, so that a block's part stays in cache.
struct FailingRows {
  std::int32_t* rows;     // capacity n; block b writes from b * block on
  std::int32_t* starts;   // blocks x (clusters + 1): where each cluster starts within the block's part
  std::int64_t block;     // rows per block
  float* largest_upper;   // per cluster: over all of its rows
  float* failing_upper;   // per cluster: over its failing rows
};

// For each cluster the centres around its own, nearest first.
struct Neighbourhoods {
  const Neighbour* list;
  const std::int64_t* starts;  // clusters + 1
  const float* beyond;         // per cluster: distance of the nearest centre that is not listed
};

// The few centres that went much farther than the others: rows meet them one by one, for the bounds of the others to live on.
template <class T>
struct FastCentres {
  PackedColumns<T> columns;       // no panels when there are none
  const std::int32_t* column_of;  // per centre: its column, -1 if it is slow
};

struct HamerlyLevels;

// What rows meet in a Hamerly pass, which takes them in their order: all centres, or the first of those sorted by how far they moved.
template <class T>
struct HamerlyWork {
  const PackedColumns<T>& centres;
  const MatrixView<T>& centre_rows;
  const PackedColumns<T>& sorted;
  const std::int32_t* column_of;  // per centre: its column among the sorted
  const HamerlyLevels& levels;
  const ClusterDrift* drift;
};

// What failing rows meet in an Exponion pass, sorted by cluster.
template <class T>
struct ExponionWork {
  const PackedColumns<T>& centres;
  const MatrixView<T>& centre_rows;
  Neighbourhoods around;
  FastCentres<T> fast;
  const ClusterDrift* drift;
};

template <class T>
struct KMeansKernels {
  // Assigns every row to the nearest column; moves its contribution between sums. Returns how many labels changed.
  std::int64_t (*assign)(const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units, std::int32_t* labels,
                         const ClusterSums& deltas);
  // The same for all rows, and sets both bounds.
  std::int64_t (*assign_with_bounds)(const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units,
                                     const RowBounds& bounds, const ClusterSums& deltas);
  // Updates the bounds after the centres moved; lists the rows whose nearest centre is no longer certain.
  std::int64_t (*find_failing)(std::int64_t n, std::int64_t n_clusters, const ClusterDrift* drift, const RowBounds& bounds,
                               const FailingRows& failing, int threads);
  // Updates the bounds after the centres moved; rows whose nearest centre is no longer certain meet all of them. Returns how
  // many labels changed.
  std::int64_t (*hamerly_pass)(const KMeansData<T>& data, const HamerlyWork<T>& work, const SumUnits& units, const RowBounds& bounds,
                               const ClusterSums& deltas);
  // Finds the nearest centre of the listed rows among those around their own; returns how many labels changed.
  std::int64_t (*exponion_pass)(const KMeansData<T>& data, const ExponionWork<T>& work, const SumUnits& units, const RowBounds& bounds,
                                const FailingRows& failing, const ClusterSums& deltas);
  // Sums of every node of the tree (the arrays start at zero).
  void (*sum_leaves)(const FilterTreeView<T>& tree, const KMeansData<T>& data, const SumUnits& units, std::int64_t* coarse,
                     std::int64_t* fine);
  // Adds all rows to the sums of their nearest centre; or, when `labels` is given, writes the labels and leaves the sums.
  void (*filter_rows)(const FilterTreeView<T>& tree, const KMeansData<T>& data, const SumUnits& units, const MatrixView<T>& centres,
                      const PackedColumns<T>& packed, std::int32_t* labels, const ClusterSums& deltas);
  // Gives one row to another cluster.
  void (*move)(const KMeansData<T>& data, const SumUnits& units, std::int64_t row, std::int32_t to, std::int32_t* labels,
               const ClusterSums& deltas);
  // Squared distance of every row to its own centre (`out` may be null); returns their weighted sum.
  double (*own_distances)(const KMeansData<T>& data, const MatrixView<T>& centre_rows, const std::int32_t* labels, T* out);
};

// Passes over rows as codes; both are null where the processor has no products of eight bits.
template <class T>
struct CodedKernels {
  // `groups` has room for whole blocks.
  void (*code_rows)(const KMeansData<T>& data, double step, std::int32_t* groups, float* rest, float* term);
  // As assign, or, when there are `upper` and `lower`, as assign_with_bounds with bounds that are less sharp.
  CodedOutcome (*assign)(const KMeansData<T>& data, const KMeansCodes& rows, const PackedColumns<T>& centres, const SumUnits& units,
                         const RowBounds& bounds, const ClusterSums& deltas);
};

}  // namespace coterie
