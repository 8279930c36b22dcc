// DBSCAN over a kd-tree, leaf by leaf: which points are core points, which of them hang together, and whom the others
// belong to. No list of neighbours is ever stored.
#include "density/dbscan_jobs.h"
#include "density/shared_sets.h"
#include "engine.h"
#include "support/parallel.h"
#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"
#include "trees/radius_band.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t leaves_per_task = 16;

template <class T, class Term>
struct LeafContext {
  const KDTreeView<T>& tree;
  const DbscanJob<T>& job;
  const QueryGroup<T>& group;
  const Term& term;
  const RadiusBand<T>& band;
  std::int32_t leaf;  // of the group

  [[gnu::noinline]] bool is_within_reach(TreeNode node) const {
    return largest_between<T>(term, group, tree.box_low(node.id), tree.box_high(node.id)) <= band.inside;
  }
  // calls: inlined for every visitor they would be most of this file's code
  [[gnu::noinline]] std::uint32_t near(TreeNode node, const T* limits) const {
    return queries_near_box<T>(term, group, tree.box_low(node.id), tree.box_high(node.id), limits);
  }
  // Bits of the leaf's points within the radius of query i, all 32.
  [[gnu::noinline]] std::uint32_t within(int i, TreeNode node) const {
    T reduced[chunk_points<T>];
    std::uint32_t bits = 0;
    for (std::int64_t first = 0; first < tree.size(node); first += chunk_points<T>)
      bits |= points_within<T>(tree, group, term, band, i, node, first, reduced) << first;
    return bits;
  }
};

template <class T, class Term>
class MarkVisitor {
 public:
  explicit MarkVisitor(const LeafContext<T, Term>& at) : at_(at), n_open_(at.group.size()) {
    for (int i = 0; i < group_size; ++i) limits_[i] = i < at.group.size() ? at.band.outside : T{-1};
  }

  COTERIE_INLINE T limit() const { return n_open_ == 0 ? T{-1} : at_.band.outside; }

  COTERIE_INLINE bool takes_whole(TreeNode node) {
    if (!at_.is_within_reach(node)) return false;
    const double weight = at_.job.weight == nullptr ? static_cast<double>(at_.tree.size(node)) : at_.job.node_weight[node.id];
    for (int i = 0; i < at_.group.size(); ++i)
      if (limits_[i] >= 0) add(i, weight);
    return true;
  }

  COTERIE_INLINE void leaf(TreeNode node) {
    for (std::uint32_t near = at_.near(node, limits_); near != 0; near &= near - 1) {
      const int i = __builtin_ctz(near);
      add(i, weight_of(at_.within(i, node), node));
    }
  }

  COTERIE_INLINE std::uint32_t core_bits() const {
    std::uint32_t bits = 0;
    for (int i = 0; i < at_.group.size(); ++i)
      if (totals_[i] >= at_.job.least_weight) bits |= 1u << i;
    return bits;
  }

 private:
  COTERIE_INLINE double weight_of(std::uint32_t bits, TreeNode node) const {
    if (at_.job.weight == nullptr) return __builtin_popcount(bits);
    const double* weight = at_.job.weight + at_.tree.begin(node);
    double total = 0;
    for (; bits != 0; bits &= bits - 1) total += weight[__builtin_ctz(bits)];
    return total;
  }

  COTERIE_INLINE void add(int i, double weight) {
    totals_[i] += weight;
    if (!at_.job.may_stop_early || totals_[i] < at_.job.least_weight || limits_[i] < 0) return;
    limits_[i] = T{-1};
    --n_open_;
  }

  const LeafContext<T, Term>& at_;
  int n_open_;
  T limits_[group_size];
  double totals_[group_size] = {};
};

template <class T, class Term>
class JoinVisitor {
 public:
  explicit JoinVisitor(const LeafContext<T, Term>& at)
      : at_(at), own_(at.job.core_bits[at.leaf]), begin_(static_cast<std::int32_t>(at.tree.leaf_capacity) * at.leaf) {
    for (int i = 0; i < group_size; ++i) limits_[i] = (own_ >> i & 1) != 0 ? at.band.outside : T{-1};
  }

  COTERIE_INLINE T limit() const { return at_.band.outside; }

  // Leaves before the own one have met it already.
  COTERIE_INLINE bool takes_whole(TreeNode node) {
    if (node.first_leaf + node.n_leaves <= at_.leaf || at_.job.node_cores[node.id] == 0) return true;
    if (node.is_leaf() || node.first_leaf < at_.leaf || !at_.is_within_reach(node)) return false;
    for (std::int32_t leaf = node.first_leaf; leaf < node.first_leaf + node.n_leaves; ++leaf) unite_all(leaf);
    return true;
  }

  COTERIE_INLINE void leaf(TreeNode node) {
    const std::int32_t there = read_anchor(node.first_leaf), here = read_anchor(at_.leaf);
    if (node.first_leaf != at_.leaf && there >= 0 && here >= 0 &&
        find_shared(at_.job.parent, there) == find_shared(at_.job.parent, here))
      return;
    if (at_.is_within_reach(node)) return unite_all(node.first_leaf);
    const bool one_is_enough = there >= 0 && here >= 0 && node.first_leaf != at_.leaf;
    const std::uint32_t cores = at_.job.core_bits[node.first_leaf];
    const auto begin = static_cast<std::int32_t>(at_.tree.begin(node));
    for (std::uint32_t near = at_.near(node, limits_) & own_; near != 0; near &= near - 1) {
      const int i = __builtin_ctz(near);
      for (std::uint32_t hits = at_.within(i, node) & cores; hits != 0; hits &= hits - 1) {
        unite_shared(at_.job.parent, begin_ + i, begin + __builtin_ctz(hits));
        if (one_is_enough) return;
      }
    }
    if (node.first_leaf == at_.leaf) settle_anchor();
  }

 private:
  COTERIE_INLINE std::int32_t read_anchor(std::int32_t leaf) const { return __atomic_load_n(at_.job.anchor + leaf, __ATOMIC_RELAXED); }
  COTERIE_INLINE void write_anchor(std::int32_t leaf, std::int32_t position) const {
    __atomic_store_n(at_.job.anchor + leaf, position, __ATOMIC_RELAXED);
  }

  // Every core point of the own leaf is near to every one of that leaf.
  COTERIE_INLINE void unite_all(std::int32_t leaf) {
    const auto begin = static_cast<std::int32_t>(at_.tree.leaf_capacity) * leaf;
    const std::uint32_t cores = at_.job.core_bits[leaf];
    if (cores == 0) return;
    const std::int32_t first = begin_ + __builtin_ctz(own_), there = begin + __builtin_ctz(cores);
    if (read_anchor(leaf) < 0)
      for (std::uint32_t bits = cores; bits != 0; bits &= bits - 1) unite_shared(at_.job.parent, first, begin + __builtin_ctz(bits));
    if (read_anchor(at_.leaf) < 0)
      for (std::uint32_t bits = own_; bits != 0; bits &= bits - 1) unite_shared(at_.job.parent, there, begin_ + __builtin_ctz(bits));
    unite_shared(at_.job.parent, first, there);
    write_anchor(leaf, there);
    write_anchor(at_.leaf, first);
  }

  COTERIE_INLINE void settle_anchor() {
    const std::int32_t first = begin_ + __builtin_ctz(own_), root = find_shared(at_.job.parent, first);
    for (std::uint32_t bits = own_; bits != 0; bits &= bits - 1)
      if (find_shared(at_.job.parent, begin_ + __builtin_ctz(bits)) != root) return;
    write_anchor(at_.leaf, first);
  }

  const LeafContext<T, Term>& at_;
  std::uint32_t own_;    // core points of the own leaf
  std::int32_t begin_;   // position of its first point
  T limits_[group_size];
};

// Lowest label of a core point within the radius, for points that are none themselves.
template <class T, class Term>
class ReachVisitor {
 public:
  ReachVisitor(const LeafContext<T, Term>& at, std::uint32_t asked) : at_(at) {
    for (int i = 0; i < group_size; ++i) {
      limits_[i] = (asked >> i & 1) != 0 ? at.band.outside : T{-1};
      best_[i] = (asked >> i & 1) != 0 ? noise_label : -1;
    }
  }

  COTERIE_INLINE T limit() const { return at_.band.outside; }
  COTERIE_INLINE std::int32_t best(int i) const { return best_[i]; }

  COTERIE_INLINE bool takes_whole(TreeNode node) {
    const std::int32_t label = at_.job.node_label[node.id];
    std::int32_t worst = -1;
    for (int i = 0; i < group_size; ++i) worst = best_[i] > worst ? best_[i] : worst;
    if (label >= worst) return true;
    if (!at_.is_within_reach(node)) return false;
    for (int i = 0; i < group_size; ++i) best_[i] = best_[i] > label ? label : best_[i];
    return true;
  }

  COTERIE_INLINE void leaf(TreeNode node) {
    const std::uint32_t cores = at_.job.core_bits[node.first_leaf];
    const std::int32_t* label = at_.job.label + at_.tree.begin(node);
    for (std::uint32_t near = at_.near(node, limits_); near != 0; near &= near - 1) {
      const int i = __builtin_ctz(near);
      for (std::uint32_t hits = at_.within(i, node) & cores; hits != 0; hits &= hits - 1) {
        const std::int32_t found = label[__builtin_ctz(hits)];
        best_[i] = found < best_[i] ? found : best_[i];
      }
    }
  }

 private:
  const LeafContext<T, Term>& at_;
  T limits_[group_size];
  std::int32_t best_[group_size];
};

// Calls body(context) for every leaf for which is_asked(leaf) holds.
template <class T, class IsAsked, class Body>
COTERIE_INLINE void for_leaves(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads, IsAsked is_asked, Body body) {
  const RadiusBand<T> band = make_band(tree, job.radius);
  with_term<T>(tree.metric, tree.p, [&](auto term) {
    parallel_for(block_count(tree.n_leaves, leaves_per_task), threads, [&](std::int64_t task, int) {
      const Range leaves = block_range(tree.n_leaves, leaves_per_task, task);
      QueryGroup<T> group(tree.dims);
      for (std::int64_t leaf = leaves.begin; leaf < leaves.end; ++leaf) {
        if (!is_asked(leaf)) continue;
        group.read(tree, job.queries, leaf);
        body(LeafContext<T, decltype(term)>{tree, job, group, term, band, static_cast<std::int32_t>(leaf)});
      }
    });
  });
}

template <class T>
void mark(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads) {
  for_leaves<T>(
      tree, job, threads, [](std::int64_t) { return true; },
      [&]<class Term>(const LeafContext<T, Term>& at) {
        MarkVisitor<T, Term> visitor(at);
        walk<T>(tree, at.group, at.term, visitor);
        job.core_bits[at.leaf] = visitor.core_bits();
      });
}

template <class T>
void join(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads) {
  const auto has_core = [&](std::int64_t leaf) { return job.core_bits[leaf] != 0; };
  for_leaves<T>(tree, job, threads, has_core, [&]<class Term>(const LeafContext<T, Term>& at) {
    JoinVisitor<T, Term> visitor(at);
    walk<T>(tree, at.group, at.term, visitor);
  });
}

COTERIE_INLINE std::uint32_t existing_bits(std::int64_t size) { return ~0u >> (32 - (size < 32 ? size : 32)); }

template <class T>
void reach(const KDTreeView<T>& tree, const DbscanJob<T>& job, int threads) {
  const auto asked = [&](std::int64_t leaf) {
    return existing_bits(tree.n_points - leaf * tree.leaf_capacity) & ~job.core_bits[leaf];
  };
  for_leaves<T>(
      tree, job, threads, [&](std::int64_t leaf) { return asked(leaf) != 0; },
      [&]<class Term>(const LeafContext<T, Term>& at) {
        ReachVisitor<T, Term> visitor(at, asked(at.leaf));
        walk<T>(tree, at.group, at.term, visitor);
        for (std::uint32_t bits = asked(at.leaf); bits != 0; bits &= bits - 1) {
          const int i = __builtin_ctz(bits);
          job.label[at.leaf * tree.leaf_capacity + i] = visitor.best(i);
        }
      });
}

}  // namespace

void install_dbscan(Engine& engine) {
  engine.float32.dbscan = {mark<float>, join<float>, reach<float>};
  engine.float64.dbscan = {mark<double>, join<double>, reach<double>};
}

}  // namespace coterie::COTERIE_ISA
