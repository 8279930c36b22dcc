// One point of a kd-tree on its way to the nearest point of another component, by (distance, row of the data).
#pragma once

#include <limits>

#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"
#include "trees/spanning_jobs.h"

namespace coterie::COTERIE_ISA {

template <class T>
COTERIE_INLINE T read_bound(const T* bound) {
  T value;
  __atomic_load(bound, &value, __ATOMIC_RELAXED);
  return value;
}

template <class T>
COTERIE_INLINE void lower_bound_to(T* bound, T value) {
  T old = read_bound(bound);
  while (value < old && !__atomic_compare_exchange(bound, &old, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// A total that no pair within `distance` exceeds: rounded up, for finished distances decide.
template <class T>
COTERIE_INLINE T generous_total(const KDTreeView<T>& tree, const SpanningSearch<T>& job, T distance) {
  const double reduced = reduce_distance<T>(tree, static_cast<double>(distance) * job.alpha);
  return static_cast<T>(reduced * (sizeof(T) == 4 ? 1 + 1e-5 : 1 + 1e-13));
}

// One query on its way through the tree.
template <class T, class Term>
class SpanningWalk {
 public:
  SpanningWalk(const KDTreeView<T>& tree, const SpanningSearch<T>& job, const Term& term, T* coordinates)
      : tree_(tree), job_(job), term_(term), coordinates_(coordinates) {}

  void run(std::int32_t query) {
    if (job_.distance[query] > read_bound(job_.component_bound + job_.component[query])) return;
    start(query);
    if (own_core_ <= best_) descend();
    job_.partner[query] = partner_;
    job_.distance[query] = partner_ == no_partner && own_core_ > best_ ? own_core_ : best_;
    if (partner_ != no_partner) lower_bound_to(job_.component_bound + component_, best_);
  }

 private:
  struct Pending {
    TreeNode node;
    T gap;
  };

  COTERIE_INLINE void start(std::int32_t query) {
    component_ = job_.component[query];
    own_core_ = job_.core == nullptr ? T{0} : job_.core[query];
    for (std::int64_t j = 0; j < tree_.dims; ++j) coordinates_[j] = tree_.coordinate(query, j);
    partner_ = no_partner;
    partner_row_ = std::numeric_limits<std::int32_t>::max();
    best_total_ = std::numeric_limits<T>::infinity();
    set_best(read_bound(job_.component_bound + component_));
  }

  COTERIE_INLINE void set_best(T best) {
    best_ = best;
    limit_ = generous_total(tree_, job_, best);
  }

  COTERIE_INLINE T gap_to(std::int32_t node) const {
    const T* low = tree_.box_low(node);
    const T* high = tree_.box_high(node);
    T total = 0;
    for (std::int64_t j = 0; j < tree_.dims; ++j) {
      const T above = low[j] - coordinates_[j], below = coordinates_[j] - high[j];
      const T gap = above > below ? above : below;
      total = term_.add(total, gap > 0 ? gap : T{0});
    }
    return total * (1 - Term::slack);
  }

  COTERIE_INLINE bool is_hopeless(const Pending& next) const {
    const std::int32_t id = next.node.id;
    if (next.gap > limit_ || job_.node_component[id] == component_) return true;
    const T least = job_.node_core == nullptr || job_.node_core[id] < own_core_ ? own_core_ : job_.node_core[id];
    if (least > best_) return true;
    // equally far points help only if their row is lower
    return job_.node_lowest[id] >= partner_row_ && (least >= best_ || next.gap >= best_total_);
  }

  COTERIE_INLINE bool is_first(const Pending& left, const Pending& right) const {
    if (left.gap != right.gap) return left.gap < right.gap;
    return job_.node_lowest[left.node.id] <= job_.node_lowest[right.node.id];
  }

  COTERIE_INLINE void descend() {
    constexpr int deepest = 64;  // more than twice the depth of a tree of 2^31 points
    Pending pending[deepest];
    int n_pending = 0;
    pending[n_pending++] = {tree_.root(), T{0}};
    while (n_pending > 0) {
      const Pending next = pending[--n_pending];
      if (is_hopeless(next)) continue;
      if (next.node.is_leaf()) {
        scan(next.node);
        continue;
      }
      const TreeNode left_node = next.node.left(), right_node = next.node.right();
      const Pending left{left_node, gap_to(left_node.id)}, right{right_node, gap_to(right_node.id)};
      const bool left_first = is_first(left, right);
      pending[n_pending++] = left_first ? right : left;
      pending[n_pending++] = left_first ? left : right;
    }
  }

  COTERIE_INLINE void scan(TreeNode leaf) {
    const T shared = read_bound(job_.component_bound + component_);
    if (shared < best_) {  // others of the component found something nearer than what this query has
      partner_ = no_partner;
      partner_row_ = std::numeric_limits<std::int32_t>::max();
      best_total_ = std::numeric_limits<T>::infinity();
      set_best(shared);
    }
    const std::int64_t size = tree_.size(leaf);
    const std::int64_t begin = tree_.begin(leaf);
    T totals[chunk_points<T>];
    for (std::int64_t first = 0; first < size; first += chunk_points<T>) {
      std::uint32_t near = near_points(tree_.leaf_points(leaf.first_leaf) + first, totals);
      near &= existing_points<T>(size - first);
      for (; near != 0; near &= near - 1) {
        const int point = __builtin_ctz(near);
        meet(static_cast<std::int32_t>(begin + first) + point, totals[point]);
      }
    }
  }

  COTERIE_INLINE std::uint32_t near_points(const T* chunk, T* totals) const {
    constexpr int parts = chunk_points<T> / lanes<T>;
    Vec<T> total[parts] = {};
    for (std::int64_t j = 0; j < tree_.dims; ++j) {
      const Vec<T> query = broadcast<T>(coordinates_[j]);
      for (int part = 0; part < parts; ++part)
        total[part] = term_.add(total[part], load<T>(chunk + j * tree_.leaf_capacity + part * lanes<T>) - query);
    }
    std::uint32_t near = 0;
    for (int part = 0; part < parts; ++part) {
      store<T>(totals + part * lanes<T>, total[part]);
      near |= lane_bits<T>(total[part] <= broadcast<T>(limit_)) << (part * lanes<T>);
    }
    return near;
  }

  COTERIE_INLINE void meet(std::int32_t position, T total) {
    if (total > limit_ || job_.component[position] == component_) return;
    T pair = total;
    finish_distances<T>(tree_, &pair, 1);
    if (job_.alpha != 1) pair = static_cast<T>(static_cast<double>(pair) / job_.alpha);
    T distance = pair > own_core_ ? pair : own_core_;
    if (job_.core != nullptr && job_.core[position] > distance) distance = job_.core[position];
    const std::int32_t row = tree_.original[position];
    if (distance > best_ || (distance == best_ && row >= partner_row_)) return;
    partner_ = position;
    partner_row_ = row;
    best_total_ = distance == pair ? total : std::numeric_limits<T>::infinity();
    set_best(distance);
  }

  const KDTreeView<T>& tree_;
  const SpanningSearch<T>& job_;
  const Term& term_;
  T* coordinates_;
  std::int32_t component_ = 0;
  std::int32_t partner_ = no_partner;
  std::int32_t partner_row_ = 0;
  T own_core_ = 0;
  T best_ = 0;        // of the partner, or the bound of the component
  T best_total_ = 0;  // the partner's distance before the root where it decides; infinity otherwise
  T limit_ = 0;
};

}  // namespace coterie::COTERIE_ISA
