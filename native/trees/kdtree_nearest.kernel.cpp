// The k nearest points of the tree for every query.
#include "engine.h"
#include "support/parallel.h"
#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"
#include "trees/nearest_lists.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t groups_per_task = 16;

template <class T, class Term>
class NearestVisitor {
 public:
  NearestVisitor(const KDTreeView<T>& tree, const QueryGroup<T>& group, const Term& term, const NearestLists<T>& lists,
                 bool exclude_self)
      : tree_(tree), group_(group), term_(term), lists_(lists), exclude_self_(exclude_self) {
    update_limit();
  }

  COTERIE_INLINE T limit() const { return limit_; }
  COTERIE_INLINE bool takes_whole(TreeNode) const { return false; }

  COTERIE_INLINE void leaf(TreeNode node) {
    const T* low = tree_.box_low(node.id);
    const T* high = tree_.box_high(node.id);
    std::uint32_t near = queries_near_box<T>(term_, group_, low, high, lists_.limits());
    if (near == 0) return;
    for (; near != 0; near &= near - 1) meet(__builtin_ctz(near), node);
    update_limit();
  }

 private:
  COTERIE_INLINE void meet(int query, TreeNode node) {
    const T* points = tree_.leaf_points(node.first_leaf);
    const std::int32_t* original = tree_.original + tree_.begin(node);
    const std::int64_t size = tree_.size(node);
    const std::int64_t self = exclude_self_ ? group_.row(query) : -1;
    T reduced[chunk_points<T>];
    for (std::int64_t first = 0; first < size; first += chunk_points<T>) {
      const T limit = lists_.limits()[query];
      std::uint32_t within = scan_chunk<T>(term_, group_, query, points + first, tree_.leaf_capacity, limit, reduced);
      within &= existing_points<T>(size - first);
      // an empty list would take every point; most would soon fall out again
      if (within == existing_points<T>(chunk_points<T>) && limit == std::numeric_limits<T>::infinity())
        within = points_up_to<T>(reduced, bound_of_rank<T>(reduced, lists_.k() + exclude_self_));
      if (within != 0) lists_.offer(query, {within, reduced, original + first, self});
    }
  }

  COTERIE_INLINE void update_limit() {
    limit_ = lists_.limits()[0];
    for (int i = 1; i < group_.size(); ++i) limit_ = lists_.limits()[i] > limit_ ? lists_.limits()[i] : limit_;
  }

  const KDTreeView<T>& tree_;
  const QueryGroup<T>& group_;
  const Term& term_;
  const NearestLists<T>& lists_;
  bool exclude_self_;
  T limit_ = 0;
};

// Rounded up, so that a distance that this tree returned is within itself; write_row trims.
template <class T>
COTERIE_INLINE T generous_limit(const KDTreeView<T>& tree, const NearestJob<T>& job, std::int64_t row) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (job.upper_bounds == nullptr) return infinity;
  const double reduced = reduce_distance<T>(tree, static_cast<double>(job.upper_bounds[row]));
  return static_cast<T>(reduced * (sizeof(T) == 4 ? 1 + 1e-5 : 1 + 1e-13));
}

template <class T>
void write_row(const KDTreeView<T>& tree, const NearestJob<T>& job, const NearestLists<T>& lists, int list, std::int64_t row) {
  std::int64_t* indices = job.indices + row * job.k;
  T* distances = job.distances + row * job.k;
  lists.copy(list, indices, distances);
  finish_distances<T>(tree, distances, job.k);
  if (job.upper_bounds == nullptr && indices[job.k - 1] != nobody) return;
  const T bound = job.upper_bounds == nullptr ? std::numeric_limits<T>::infinity() : job.upper_bounds[row];
  for (std::int64_t i = 0; i < job.k; ++i)
    if (indices[i] == nobody || distances[i] > bound) {
      indices[i] = -1;
      distances[i] = std::numeric_limits<T>::infinity();
    }
}

template <class T, class Term>
void nearest_with(const KDTreeView<T>& tree, const NearestJob<T>& job, const Term& term, int threads) {
  parallel_for(block_count(job.queries.n_groups, groups_per_task), threads, [&](std::int64_t task, int) {
    const Range groups = block_range(job.queries.n_groups, groups_per_task, task);
    QueryGroup<T> group(tree.dims);
    const NearestLists<T> lists(group_size, job.k);
    for (std::int64_t g = groups.begin; g < groups.end; ++g) {
      group.read(tree, job.queries, g);
      for (int i = 0; i < group.size(); ++i) lists.clear(i, generous_limit<T>(tree, job, group.row(i)));
      for (int i = group.size(); i < group_size; ++i) lists.clear(i, T{-1});  // padding accepts nothing
      NearestVisitor<T, Term> visitor(tree, group, term, lists, job.exclude_self);
      walk<T>(tree, group, term, visitor);
      for (int i = 0; i < group.size(); ++i) write_row<T>(tree, job, lists, i, group.row(i));
    }
  });
}

template <class T>
void nearest(const KDTreeView<T>& tree, const NearestJob<T>& job, int threads) {
  with_term<T>(tree.metric, tree.p, [&](auto term) { nearest_with<T>(tree, job, term, threads); });
}

}  // namespace

void install_kdtree_nearest(Engine& engine) {
  engine.float32.kdtree.nearest = nearest<float>;
  engine.float64.kdtree.nearest = nearest<double>;
}

}  // namespace coterie::COTERIE_ISA
