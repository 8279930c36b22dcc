// For every row: the sum of its distances to its own group, and the least mean distance to another group.
//
// Rows are sorted by group. Every pair of rows is computed once: a tile of distances is summed along its rows and
// along its columns. No distance is stored; memory is O(rows x features).
#pragma once

#include <cstdint>

#include "support/matrix_view.h"
#include "tiles/kernel_table.h"

namespace coterie {

// A block of rows of one group against a range of panels.
template <class T>
struct GroupSumTask {
  MatrixView<T> rows;  // as they enter the kernels
  const T* terms;      // row_term of each row
  double largest_term;  // of all rows
  const PackedColumns<T>* columns;
  Metric metric;
  std::int64_t first_panel;
  std::int64_t end_panel;
  double* row_sums;     // [group of the range][row], added to
  double* column_sums;  // per packed column of all panels, added to; null: not wanted
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

// Groups are numbered 0..n_groups-1 and none is empty.
template <class T>
void silhouette(const MatrixView<T>& X, const std::int32_t* group_of_row, std::int64_t n_groups, const Metric& metric, int threads,
                const SilhouetteOutput& out);

}  // namespace coterie
