// What lies within a radius of every query, group by group: the walk that kernels for counting, listing and summing share.
#pragma once

#include <cstdint>

#include "support/parallel.h"
#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"
#include "trees/radius_band.h"

namespace coterie::COTERIE_ISA {

inline constexpr std::int64_t groups_per_task = 16;

// Walks one group; consume(query, leaf, first, within, reduced) meets each chunk that may have points within the radius. With
// takes_nodes, nodes within the radius of all queries are settled whole: they are counted, and consume.take(node) hears of them where
// it exists.
template <class T, class Term, bool takes_nodes, class Consume>
class RadiusVisitor {
 public:
  RadiusVisitor(const KDTreeView<T>& tree, const QueryGroup<T>& group, const Term& term, const RadiusBand<T>& band, Consume& consume)
      : tree_(tree), group_(group), term_(term), band_(band), consume_(consume) {
    for (int i = 0; i < group_size; ++i) limits_[i] = i < group.size() ? band.outside : T{-1};
  }

  COTERIE_INLINE T limit() const { return band_.outside; }
  COTERIE_INLINE std::int64_t whole() const { return whole_; }

  COTERIE_INLINE bool takes_whole(TreeNode node) {
    if constexpr (!takes_nodes) return false;
    if (largest_between<T>(term_, group_, tree_.box_low(node.id), tree_.box_high(node.id)) > band_.inside) return false;
    whole_ += tree_.size(node);
    if constexpr (requires { consume_.take(node); }) consume_.take(node);
    return true;
  }

  COTERIE_INLINE void leaf(TreeNode node) {
    std::uint32_t near = queries_near_box<T>(term_, group_, tree_.box_low(node.id), tree_.box_high(node.id), limits_);
    const std::int64_t size = tree_.size(node);
    T reduced[chunk_points<T>];
    for (; near != 0; near &= near - 1) {
      const int query = __builtin_ctz(near);
      for (std::int64_t first = 0; first < size; first += chunk_points<T>) {
        const std::uint32_t within = points_within<T>(tree_, group_, term_, band_, query, node, first, reduced);
        consume_(query, node, first, within, reduced);
      }
    }
  }

 private:
  const KDTreeView<T>& tree_;
  const QueryGroup<T>& group_;
  const Term& term_;
  const RadiusBand<T>& band_;
  Consume& consume_;
  std::int64_t whole_ = 0;  // points of nodes that lie within the radius of all queries
  T limits_[group_size];
};

template <class T, class Body>
COTERIE_INLINE void for_each_group(const KDTreeView<T>& tree, const QueryGroups<T>& queries, int threads, Body&& body) {
  parallel_for(block_count(queries.n_groups, groups_per_task), threads, [&](std::int64_t task, int) {
    const Range groups = block_range(queries.n_groups, groups_per_task, task);
    QueryGroup<T> group(tree.dims);
    for (std::int64_t g = groups.begin; g < groups.end; ++g) {
      group.read(tree, queries, g);
      body(group);
    }
  });
}

}  // namespace coterie::COTERIE_ISA
