// What is done with rows of a matrix of cluster distances, one function per instruction set.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/merges.h"

namespace coterie {

// Column `second` goes into column `first`; sizes and inner sums are those before the merge.
template <class T>
struct ColumnMerge {
  std::int32_t first, second;
  T size_first, size_second;
  T inner_first, inner_second;  // sums of the distances within, for average_merged
  T height;                     // the distance between the two
};

// The same, as short as can be: every row reads all of them.
template <class T>
struct ColumnPair {
  std::int32_t first, second;
  T share_first, share_second;  // of the merged cluster
};

template <class T>
inline __attribute__((always_inline)) ColumnPair<T> pair_of(const ColumnMerge<T>& merge) {
  const T size = merge.size_first + merge.size_second;
  return {merge.first, merge.second, merge.size_first / size, merge.size_second / size};
}

// Merges of columns in their order.
template <class T>
struct ColumnMerges {
  std::vector<ColumnMerge<T>> all;
  std::vector<ColumnPair<T>> pairs;

  std::int64_t count() const { return static_cast<std::int64_t>(all.size()); }
  void push_back(const ColumnMerge<T>& merge) {
    all.push_back(merge);
    pairs.push_back(pair_of(merge));
  }
  void clear() {
    all.clear();
    pairs.clear();
  }
};

// Some of them, for kernels.
template <class T>
struct ColumnMergeSpan {
  const ColumnMerge<T>* all;
  const ColumnPair<T>* pairs;
  std::int64_t count;
};

template <class T>
ColumnMergeSpan<T> span_of(const ColumnMerges<T>& merges, std::int64_t from, std::int64_t to) {
  return {merges.all.data() + from, merges.pairs.data() + from, to - from};
}

// The least of a row and the least of all others, and where they are (the lowest such column; -1: there is none).
template <class T>
struct RowMinimum {
  T least, others;
  std::int32_t at, others_at;
};

template <class T>
struct LinkageKernels {
  // penalty: 0 for live columns, +inf for dead ones.
  void (*least_of_row)(const T* row, const T* penalty, std::int64_t n, RowMinimum<T>& out);
  // row_first becomes the row of the merged cluster; sizes and inner sums are those of the columns.
  void (*combine_rows)(LinkageRule rule, const ColumnMerge<T>& merge, T* row_first, const T* row_second, const T* sizes,
                       const T* inner, std::int64_t n);
  // The same merges seen from the row of a cluster that takes no part in them.
  void (*merge_columns)(LinkageRule rule, const ColumnMergeSpan<T>& merges, T size, T inner, T* row);
  // row[q] = row[kept[q]], kept rising.
  void (*keep_columns)(const std::int32_t* kept, std::int64_t n, T* row);
  // Distances of the `count` members of one cluster to n rows, a row of `stride` for each, become one row: that of the first.
  void (*fold_members)(LinkageRule rule, T* distances, std::int64_t stride, const T* weights, std::int64_t count, std::int64_t n);
  // Distances of a cluster to rows become those to the clusters of these rows: cluster q has the rows from starts[q] - starts[0] on.
  void (*fold_columns)(LinkageRule rule, const T* row, const std::int64_t* starts, const T* weights, std::int64_t n_clusters,
                       double cluster_size, T* out);
  // The places where a + b is at most `limit`, in their order; returns how many.
  std::int64_t (*places_within)(const T* a, const T* b, std::int64_t n, T limit, std::int32_t* out);
};

}  // namespace coterie
