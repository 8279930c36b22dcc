// The points of the tree within a radius of every query: how many, and which.
#include "engine.h"
#include "support/parallel.h"
#include "trees/hit_order.h"
#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"
#include "trees/radius_band.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t groups_per_task = 16;

// Walks one group; consume(query, leaf, first, within, reduced) meets each chunk that has points within the radius.
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

template <class T, class Term>
void count_with(const KDTreeView<T>& tree, const RadiusJob<T>& job, const Term& term, int threads) {
  const RadiusBand<T> band = make_band(tree, job.radius);
  for_each_group<T>(tree, job.queries, threads, [&](const QueryGroup<T>& group) {
    std::int64_t counts[group_size] = {};
    auto add = [&](int query, TreeNode, std::int64_t, std::uint32_t within, const T*) { counts[query] += __builtin_popcount(within); };
    RadiusVisitor<T, Term, true, decltype(add)> visitor(tree, group, term, band, add);
    walk<T>(tree, group, term, visitor);
    for (int i = 0; i < group.size(); ++i) job.counts[group.row(i)] = counts[i] + visitor.whole();
  });
}

template <class T, class Term>
void fill_with(const KDTreeView<T>& tree, const RadiusJob<T>& job, const Term& term, int threads) {
  const RadiusBand<T> band = make_band(tree, job.radius);
  for_each_group<T>(tree, job.queries, threads, [&](const QueryGroup<T>& group) {
    std::int64_t ends[group_size];
    for (int i = 0; i < group_size; ++i) ends[i] = job.row_starts[group.row(i)];
    auto append = [&](int query, TreeNode leaf, std::int64_t first, std::uint32_t within, const T* reduced) {
      const std::int32_t* original = tree.original + tree.begin(leaf) + first;
      for (; within != 0; within &= within - 1) {
        const int point = __builtin_ctz(within);
        job.indices[ends[query]] = original[point];
        job.distances[ends[query]++] = reduced[point];
      }
    };
    RadiusVisitor<T, Term, false, decltype(append)> visitor(tree, group, term, band, append);
    walk<T>(tree, group, term, visitor);
    for (int i = 0; i < group.size(); ++i) {
      const std::int64_t start = job.row_starts[group.row(i)];
      sort_hits(job.sort, ends[i] - start, job.indices + start, job.distances + start);
      finish_distances<T>(tree, job.distances + start, ends[i] - start);
    }
  });
}

template <class T>
void count_within(const KDTreeView<T>& tree, const RadiusJob<T>& job, int threads) {
  with_term<T>(tree.metric, tree.p, [&](auto term) { count_with<T>(tree, job, term, threads); });
}

template <class T>
void fill_within(const KDTreeView<T>& tree, const RadiusJob<T>& job, int threads) {
  with_term<T>(tree.metric, tree.p, [&](auto term) { fill_with<T>(tree, job, term, threads); });
}

}  // namespace

void install_kdtree_radius(Engine& engine) {
  engine.float32.kdtree.count_within = count_within<float>;
  engine.float32.kdtree.fill_within = fill_within<float>;
  engine.float64.kdtree.count_within = count_within<double>;
  engine.float64.kdtree.fill_within = fill_within<double>;
}

}  // namespace coterie::COTERIE_ISA
