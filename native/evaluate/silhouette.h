// For every row: the sum of its distances to its own group, and the least mean distance to another group.
//
// Rows are sorted by group. Every pair of rows is computed once: a tile of distances is summed along its rows and
// along its columns. Pairs of groups of which bounds tell that neither is the nearest of the other's rows do not meet. No
// distance is stored; memory is O(rows x features), and a byte per row and group.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"
#include "tiles/kernel_table.h"

namespace coterie {

// A block of rows of one group against a range of panels.
template <class T>
struct GroupSumTask {
  MatrixView<T> rows;  // as they enter the kernels; twice that where `is_euclidean`
  const T* terms;      // row_term of each row
  bool is_euclidean;   // the fused kernel of Euclidean distances
  const PackedColumns<T>* columns;
  Metric metric;
  std::int64_t first_panel;
  std::int64_t end_panel;
  double* row_sums;     // [group of the range][row], added to
  double* column_sums;  // per packed column of all panels, added to; null: not wanted
  const T* row_weights;     // per row; null: each counts once
  const T* column_weights;  // per packed column of all panels
};

template <class T>
struct SilhouetteKernels {
  void (*add_sums)(const GroupSumTask<T>& task);
};

struct SilhouetteOutput {
  double* own_sum;          // per row
  double* nearest_mean;     // per row; +inf when there is one group only
  std::int32_t* neighbour;  // per row: the group of nearest_mean, the lowest of equals; -1 when there is none
  double* between_sum;      // n_groups x n_groups, sums of all distances; may be null
};

// Rows with their groups, numbered 0..n_groups-1, none of them empty.
template <class T>
struct SilhouetteInput {
  MatrixView<T> X;
  const std::int32_t* group_of_row;
  std::int64_t n_groups;
  const T* weights;  // how many times each row counts; null: once
};

template <class T>
void silhouette(const SilhouetteInput<T>& input, const Metric& metric, int threads, const SilhouetteOutput& out);

}  // namespace coterie
