// What the tile kernels of one instruction set offer, and the plain structs that go in and out of them.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"
#include "tiles/metric.h"

namespace coterie {

// A group of columns begins where a panel of the widest vectors could, whatever vectors are in use: where its sums are cut must not
// depend on the processor.
template <class T>
inline constexpr std::int64_t group_columns = 128 / static_cast<std::int64_t>(sizeof(T));

// Columns packed in panels: panel q holds [feature][lane], padded to a whole number of panels.
template <class T>
struct PackedColumns {
  T* panels;                  // n_panels * cols * panel_width
  T* start;                   // per packed column: what the kernel starts from; +inf in padding, which so never is near
  T* term;                    // per packed column: |y|^2 or the number of ones, as the finish needs it
  const std::int32_t* ids;    // packed column -> row of Y, -1 in padding; null: as they are
  const std::int32_t* group;  // panel -> group of its columns; null: one group
  std::int64_t n_panels;
  std::int64_t cols;
  std::int64_t n_columns;  // without padding
};

// All rows of X against packed columns. Row i is X.row(i) - shift (shift may be null).
template <class T>
struct TileProblem {
  MatrixView<T> X;
  const T* shift;
  PackedColumns<T> Y;
  Metric metric;
  int threads;
};

template <class T>
struct NearestOutput {
  std::int32_t* index;
  T* value;  // may be null
};

template <class T>
struct NearestTwoOutput {
  std::int32_t* index;
  std::int32_t* second_index;
  T* value;
  T* second_value;  // +inf when there is one column only
};

template <class T>
struct OwnAndOtherOutput {
  const std::int32_t* own_column;  // per row
  T* own;
  T* other;  // +inf when there is one column only
};

template <class T>
struct SmallestOutput {
  std::int64_t m;
  std::int32_t* index;  // rows x m, nearest first; -1 where there are fewer than m columns
  T* value;
  bool skip_same_index;  // leaves out column i for row i
};

template <class T>
struct BelowOutput {
  double threshold;             // inclusive
  std::int64_t* count;          // per row; null when lists are wanted
  const std::int64_t* starts;   // per row: where its list starts, then where the last one ends; null when counts are wanted
  std::int32_t* index;
  T* value;
};

struct GroupSumOutput {
  double* sum;  // rows x n_groups
  std::int64_t n_groups;
};

template <class T>
struct GroupExtremesOutput {
  const std::int32_t* row_group;
  T* smallest;  // n_groups x n_groups, +inf where there is no pair; a row that is also a column counts as a pair
  T* largest;   // n_groups x n_groups, -inf where there is no pair
  std::int64_t n_groups;
};

// Distances among the rows of X themselves.
template <class T>
struct SelfStoreOutput {
  T* data;  // n x n, or the n (n - 1) / 2 numbers above the diagonal row by row
  std::int64_t n;
  bool is_condensed;
};

template <class T>
struct TileKernels {
  std::int64_t panel_width;
  void (*pack)(const MatrixView<T>& Y, const T* shift, const Metric& metric, const PackedColumns<T>& out, int threads);
  void (*nearest)(const TileProblem<T>& problem, const NearestOutput<T>& out);
  void (*nearest_exact)(const TileProblem<T>& problem, const NearestOutput<T>& out);
  void (*nearest_two)(const TileProblem<T>& problem, const NearestTwoOutput<T>& out);
  void (*own_and_other)(const TileProblem<T>& problem, const OwnAndOtherOutput<T>& out);
  void (*smallest)(const TileProblem<T>& problem, const SmallestOutput<T>& out);
  void (*below)(const TileProblem<T>& problem, const BelowOutput<T>& out);
  void (*group_sums)(const TileProblem<T>& problem, const GroupSumOutput& out);
  void (*group_extremes)(const TileProblem<T>& problem, const GroupExtremesOutput<T>& out);
  void (*store)(const TileProblem<T>& problem, const MutableMatrixView<T>& out);
  void (*store_self)(const TileProblem<T>& problem, const SelfStoreOutput<T>& out);
};

}  // namespace coterie
