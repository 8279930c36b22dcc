// What a kd-tree kernel is asked to do: the queries, cut into groups of neighbours, and where the answers go.
#pragma once

#include <cstdint>

#include "trees/kdtree_view.h"

namespace coterie {

// Queries of one group walk the tree together; one vector register row per dimension holds a group.
inline constexpr std::int64_t query_group_size = 32;

// Query t of the sorted order is row order[t] of `rows`; with order == nullptr, the point at tree position t.
template <class T>
struct QueryGroups {
  const T* rows;
  std::int64_t stride;
  const std::int64_t* order;
  const std::int64_t* starts;       // n_groups + 1 entries
  const std::int32_t* home_leaves;  // per group: the leaf to search first
  std::int64_t n_groups;
};

template <class T>
struct NearestJob {
  QueryGroups<T> queries;
  std::int64_t k;
  bool exclude_self;            // row i is point i of the data: leave it out
  const T* upper_bounds;        // per row, inclusive; or nullptr
  std::int64_t* indices;        // rows x k; -1 where fewer than k points qualify
  T* distances;                 // rows x k; infinity there
};

enum class HitOrder { none, index, distance };

template <class T>
struct RadiusJob {
  QueryGroups<T> queries;
  double radius;                // inclusive
  std::int64_t* counts;         // per row; written by count
  const std::int64_t* row_starts;  // per row; read by fill
  std::int64_t* indices;        // written by fill
  T* distances;
  HitOrder sort;
};

template <class T>
struct KDTreeKernels {
  void (*nearest)(const KDTreeView<T>& tree, const NearestJob<T>& job, int threads);
  void (*count_within)(const KDTreeView<T>& tree, const RadiusJob<T>& job, int threads);
  void (*fill_within)(const KDTreeView<T>& tree, const RadiusJob<T>& job, int threads);
};

}  // namespace coterie
