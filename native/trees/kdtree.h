// The kd-tree: the engine for neighbours in low dimensions.
//
// Answers are exact and do not depend on the number of threads: distances come from direct differences summed in the
// order of the dimensions, and equal distances go by the lower row number. Equal means equal before the final root.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "support/matrix_view.h"
#include "trees/kdtree_jobs.h"
#include "trees/kdtree_view.h"

namespace coterie {

// Measured in 2, 3 and 8 dimensions: 16 is slower everywhere, 64 in low dimensions.
inline constexpr std::int64_t default_leaf_size = 32;

struct FreeAligned {
  void operator()(void* memory) const noexcept;
};

template <class T>
class KDTree {
 public:
  // Copies the rows, which must be finite (std::invalid_argument otherwise), at least one and fewer than 2^31. leaf_size
  // is rounded up to a multiple of 32. The tree is a function of the rows and the leaf size only.
  KDTree(MatrixView<T> rows, TreeMetric metric, double p, std::int64_t leaf_size, int threads);

  const KDTreeView<T>& view() const { return view_; }

 private:
  std::unique_ptr<T[], FreeAligned> points_;
  std::vector<std::int32_t> original_;
  std::vector<T> boxes_;
  std::vector<TreeSplit<T>> splits_;
  KDTreeView<T> view_;
};

// Queries sorted so that those of a group are neighbours; make once, ask often. Row i of every answer belongs to row i
// of the queries. Keeps a pointer to the rows.
template <class T>
class TreeQueries {
 public:
  // The points of the tree themselves; row i is row i of the data.
  explicit TreeQueries(const KDTree<T>& tree);
  TreeQueries(const KDTree<T>& tree, MatrixView<T> rows, int threads);

  std::int64_t n_rows() const { return n_rows_; }
  QueryGroups<T> groups() const;

 private:
  MatrixView<T> rows_;
  std::int64_t n_rows_;
  bool is_self_;
  std::vector<std::int64_t> order_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> home_leaves_;
};

// The k nearest rows of the data per query, by (distance, row). Where fewer than k points lie within upper_bounds[row]
// (inclusive; nullptr: no bound), index -1 and distance infinity fill up.
template <class T>
void find_nearest(const KDTree<T>& tree, const TreeQueries<T>& queries, std::int64_t k, bool exclude_self, const T* upper_bounds,
                  std::int64_t* indices, T* distances, int threads);

// How many points lie within the radius, inclusive.
template <class T>
void count_within(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, std::int64_t* counts, int threads);

// Which points lie within the radius: row i writes to places row_starts[i] on, as many as count_within says.
template <class T>
void list_within(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, HitOrder sort, const std::int64_t* row_starts,
                 std::int64_t* indices, T* distances, int threads);

}  // namespace coterie
