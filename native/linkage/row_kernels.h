// What is done with rows of a matrix of cluster distances, one function per instruction set.
#pragma once

#include <cstdint>

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

// The least of a row, where it is (the lowest such column), and what all others are at least.
template <class T>
struct RowMinimum {
  T least, others;
  std::int32_t at;
};

template <class T>
struct LinkageKernels {
  // penalty: 0 for live columns, +inf for dead ones.
  void (*least_of_row)(const T* row, const T* penalty, std::int64_t n, RowMinimum<T>& out);
  // row_first becomes the row of the merged cluster; sizes and inner sums are those of the columns.
  void (*combine_rows)(LinkageRule rule, const ColumnMerge<T>& merge, T* row_first, const T* row_second, const T* sizes,
                       const T* inner, std::int64_t n);
  // The same merges seen from the row of a cluster that takes no part in them.
  void (*merge_columns)(LinkageRule rule, const ColumnMerge<T>* merges, std::int64_t count, T size, T inner, T* row);
  // row[q] = row[kept[q]], kept rising.
  void (*keep_columns)(const std::int32_t* kept, std::int64_t n, T* row);
};

}  // namespace coterie
