// A square matrix of cluster distances that shrinks as clusters merge.
//
// A merge writes one row, that of the merged cluster. All other rows take in the merged columns when they are next
// looked at, or when the matrix is compacted: writing every column at once would touch one line of memory per row and
// merge. Every row takes in all merges in their order, so that mirrored cells stay equal to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/row_kernels.h"

namespace coterie {

// Positions of two live clusters, first < second, and their distance.
template <class T>
struct PositionPair {
  std::int32_t first, second;
  T height;
};

// What the rows of a matrix stand for: per position the lowest row of a cluster, and its size.
template <class T>
struct StartingClusters {
  std::vector<std::int32_t> slots;
  std::vector<T> sizes;
};

template <class T>
class MergeMatrix {
 public:
  // Works in place: `square` is symmetric, with a row per cluster; its diagonal is ignored.
  MergeMatrix(T* square, StartingClusters<T> clusters, LinkageRule rule, int threads);

  std::int64_t width() const { return static_cast<std::int64_t>(rows_.size()); }  // positions, dead ones included
  std::int64_t n_live() const { return n_live_; }
  bool is_live(std::int64_t position) const { return penalty_[static_cast<std::size_t>(position)] == 0; }
  std::int32_t slot(std::int64_t position) const { return slots_[static_cast<std::size_t>(position)]; }

  // From the row of a cluster that has just been merged, to one that has not.
  T distance(std::int64_t merged, std::int64_t other) const { return rows_[static_cast<std::size_t>(merged)][other]; }

  RowMinimum<T> nearest(std::int64_t position);

  // Merges disjoint pairs; each result lives at the position of its first part.
  void merge(const std::vector<PositionPair<T>>& pairs);

  // When many columns are dead, drops them. Returns where each position has gone (-1: dead), empty if nothing moved.
  std::vector<std::int32_t> compact_if_worthwhile();

 private:
  void take_in(std::int64_t position, std::int64_t up_to);
  void combine(const std::vector<PositionPair<T>>& pairs, std::int64_t start);
  int threads_for(std::int64_t cells) const;

  LinkageRule rule_;
  int threads_;
  std::int64_t n_live_;
  std::vector<T*> rows_;
  std::vector<std::int32_t> slots_;
  std::vector<T> sizes_, inner_, penalty_;
  ColumnMerges<T> merges_;              // since the last compaction
  std::vector<std::int64_t> taken_in_;  // per position: how many of them its row knows
};

}  // namespace coterie
