// For points of a kd-tree: the nearest point of another component, by (distance, row of the data).
#include <limits>

#include "engine.h"
#include "support/parallel.h"
#include "support/scratch.h"
#include "trees/metric_terms.h"
#include "trees/spanning_walk.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t queries_per_task = 64;

// Nodes of one component, the nearest to another component first: what it finds rules out most of the others.
template <class T, class Term>
class NodeWalk {
 public:
  NodeWalk(const KDTreeView<T>& tree, const SpanningSearch<T>& job, const Term& term, T* coordinates)
      : tree_(tree), job_(job), term_(term), points_(tree, job, term, coordinates) {}

  void run(const TreeNode* nodes, std::int64_t count) {
    component_ = job_.node_component[nodes[0].id];
    const Scratch<T> gaps(count);
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      gaps[i] = gap_to_others(nodes[i]);
      if (gaps[i] < gaps[first]) first = i;
    }
    visit({nodes[first], gaps[first]});
    for (std::int64_t i = 0; i < count; ++i)
      if (i != first) visit({nodes[i], gaps[i]});
  }

 private:
  struct Pending {
    TreeNode node;
    T gap;
  };
  static constexpr int deepest = 64;  // more than twice the depth of a tree of 2^31 points

  COTERIE_INLINE T bound() const { return read_bound(job_.component_bound + component_); }
  COTERIE_INLINE T limit() const { return generous_total(tree_, job_, bound()); }

  void visit(Pending start) {
    Pending pending[deepest];
    int n_pending = 0;
    pending[n_pending++] = start;
    while (n_pending > 0) {
      const Pending next = pending[--n_pending];
      if (next.gap > limit()) continue;
      if (next.node.is_leaf()) {
        for (std::int64_t i = tree_.begin(next.node); i < tree_.end(next.node); ++i)
          if (job_.partner[i] == no_partner) points_.run(static_cast<std::int32_t>(i));
        continue;
      }
      const Pending left{next.node.left(), gap_to_others(next.node.left())},
          right{next.node.right(), gap_to_others(next.node.right())};
      pending[n_pending++] = left.gap <= right.gap ? right : left;
      pending[n_pending++] = left.gap <= right.gap ? left : right;
    }
  }

  // The least gap to points of other components, or to leaves without points of this one; infinity if none is within the bound.
  T gap_to_others(TreeNode node) const {
    if (job_.node_core != nullptr && job_.node_core[node.id] > bound()) return std::numeric_limits<T>::infinity();
    T least = std::numeric_limits<T>::infinity(), most = limit();
    Pending pending[deepest];
    int n_pending = 0;
    pending[n_pending++] = {tree_.root(), T{0}};
    while (n_pending > 0 && least > 0) {
      const Pending next = pending[--n_pending];
      if (next.gap > most || is_useless(next.node.id)) continue;
      if (next.node.is_leaf()) {
        const T nearest = job_.node_component[next.node.id] == several_components ? gap_to_others_of(node.id, next.node) : next.gap;
        if (nearest <= most) least = most = nearest;
        continue;
      }
      const Pending left{next.node.left(), gap(node.id, next.node.left().id)},
          right{next.node.right(), gap(node.id, next.node.right().id)};
      pending[n_pending++] = left.gap <= right.gap ? right : left;
      pending[n_pending++] = left.gap <= right.gap ? left : right;
    }
    return least;
  }

  // The box of a leaf on the border of two components says little: it spans what is between them.
  T gap_to_others_of(std::int32_t node, TreeNode leaf) const {
    T least = std::numeric_limits<T>::infinity();
    for (std::int64_t i = tree_.begin(leaf); i < tree_.end(leaf); ++i) {
      if (job_.component[i] == component_) continue;
      T total = 0;
      for (std::int64_t j = 0; j < tree_.dims; ++j) {
        const T value = tree_.coordinate(i, j);
        total = term_.add(total, outside(tree_.box_low(node)[j] - value, value - tree_.box_high(node)[j]));
      }
      least = total < least ? total : least;
    }
    return least * (1 - Term::slack);
  }

  static COTERIE_INLINE T outside(T above, T below) {
    const T gap = above > below ? above : below;
    return gap > 0 ? gap : T{0};
  }

  COTERIE_INLINE bool is_useless(std::int32_t id) const {
    return job_.node_component[id] == component_ || (job_.node_core != nullptr && job_.node_core[id] > bound());
  }

  COTERIE_INLINE T gap(std::int32_t a, std::int32_t b) const {
    T total = 0;
    for (std::int64_t j = 0; j < tree_.dims; ++j)
      total = term_.add(total, outside(tree_.box_low(a)[j] - tree_.box_high(b)[j], tree_.box_low(b)[j] - tree_.box_high(a)[j]));
    return total * (1 - Term::slack);
  }

  const KDTreeView<T>& tree_;
  const SpanningSearch<T>& job_;
  const Term& term_;
  SpanningWalk<T, Term> points_;
  std::int32_t component_ = 0;
};

template <class T>
void search(const KDTreeView<T>& tree, const SpanningSearch<T>& job, int threads) {
  with_term<T>(tree.metric, tree.p, [&](auto term) {
    parallel_for(block_count(job.n_queries, queries_per_task), threads, [&](std::int64_t task, int) {
      const Range range = block_range(job.n_queries, queries_per_task, task);
      const Scratch<T> coordinates(tree.dims);
      SpanningWalk<T, decltype(term)> walk(tree, job, term, coordinates.data());
      for (std::int64_t i = range.begin; i < range.end; ++i) walk.run(job.queries[i]);
    });
    parallel_for(job.whole.n_runs, threads, [&](std::int64_t run, int) {
      const Scratch<T> coordinates(tree.dims);
      NodeWalk<T, decltype(term)> walk(tree, job, term, coordinates.data());
      walk.run(job.whole.nodes + job.whole.starts[run], job.whole.starts[run + 1] - job.whole.starts[run]);
    });
  });
}

}  // namespace

void install_spanning_search(Engine& engine) {
  engine.float32.spanning.search = search<float>;
  engine.float64.spanning.search = search<double>;
}

}  // namespace coterie::COTERIE_ISA
