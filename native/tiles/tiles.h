// The pairwise engine: for all rows, over all columns, a distance, then something.
//
// A *kernel* computes the distances of a strip of rows and a panel of columns in registers; an *ending* consumes them
// there. This header is what the rest of the core sees; the kernels behind it are chosen by cpu_dispatch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "support/matrix_view.h"
#include "tiles/kernel_table.h"
#include "tiles/metric.h"

namespace coterie {

// Owns packed columns.
template <class T>
class ColumnPack {
 public:
  ColumnPack(const MatrixView<T>& Y, const T* shift, const Metric& metric, int threads);
  // Columns sorted by group, each group padded to a multiple of `group_columns`: what the per-group endings need.
  ColumnPack(const MatrixView<T>& Y, const T* shift, const Metric& metric, const std::int32_t* group_of_row, std::int64_t n_groups,
             int threads);

  const PackedColumns<T>& columns() const { return columns_; }

 private:
  void allocate(std::int64_t n_panels, std::int64_t cols);

  PackedColumns<T> columns_{};
  std::shared_ptr<void> memory_;
  std::vector<std::int32_t> ids_;
  std::vector<std::int32_t> panel_group_;
};

// Round numbers near the mean row, as the point to centre on; empty when the metric does not want it.
template <class T>
std::vector<T> centring_shift(const MatrixView<T>& Y, const Metric& metric, int threads);

template <class T>
void nearest(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const NearestOutput<T>& out);

// As nearest, but decided by differences where products are too close to call.
template <class T>
void nearest_exact(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const NearestOutput<T>& out);

template <class T>
void nearest_two(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const NearestTwoOutput<T>& out);

// The distance to a row's own column, and that to the nearest of the others; by metrics that are recomputable.
template <class T>
void own_and_other(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const OwnAndOtherOutput<T>& out);

template <class T>
void smallest(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const SmallestOutput<T>& out);

template <class T>
void below(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const BelowOutput<T>& out);

template <class T>
void group_sums(const MatrixView<T>& X, const MatrixView<T>& Y, const std::int32_t* group_of_column, const Metric& metric, int threads,
                const GroupSumOutput& out);

template <class T>
void group_extremes(const MatrixView<T>& X, const MatrixView<T>& Y, const std::int32_t* group_of_column, const Metric& metric,
                    int threads, const GroupExtremesOutput<T>& out);

template <class T>
void store(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const MutableMatrixView<T>& out);

// Distances along the edges of a graph from rows of X to rows of Y: out[at] is that of row i and row columns[at], for `at` from
// row_starts[i] to row_starts[i + 1].
template <class T>
void store_edges(const MatrixView<T>& X, const MatrixView<T>& Y, const std::int32_t* columns, const std::int64_t* row_starts,
                 const Metric& metric, int threads, T* out);

// Distances among the rows of X: each pair once, exactly symmetric.
template <class T>
void store_self(const MatrixView<T>& X, const Metric& metric, int threads, const SelfStoreOutput<T>& out);

}  // namespace coterie
