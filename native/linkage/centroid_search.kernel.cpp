// Groups of clusters look for their nearest ones in a kd-tree over centroids.
#include <limits>

#include "engine.h"
#include "support/parallel.h"
#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"

namespace coterie::COTERIE_ISA {
namespace {

using Number = double;
constexpr std::int64_t groups_per_task = 4;
constexpr Number infinity = std::numeric_limits<Number>::infinity();

struct WardDistance {
  template <class V>
  static COTERIE_INLINE V of(V squared, V size, V other_size, V, V other_spread) {
    return ward_of<V>(squared, size, other_size) + other_spread;  // 0, or +inf for the dead
  }
  // The squared distance beyond which clusters of at least these sizes are farther than `limit`.
  static COTERIE_INLINE Number reach(Number limit, Number size, Number other_size, Number, Number) {
    return limit * (size + other_size) / (size * other_size) / 2 * (1 + 1e-12);
  }
};

struct AverageDistance {
  template <class V>
  static COTERIE_INLINE V of(V squared, V, V, V spread, V other_spread) {
    return average_of<V>(squared, spread, other_spread);
  }
  static COTERIE_INLINE Number reach(Number limit, Number, Number, Number spread, Number other_spread) {
    return limit - (spread + other_spread) + (1e-12 * limit);
  }
};

template <class Distance>
class ClusterVisitor {
 public:
  ClusterVisitor(const ClusterTree& clusters, const ClusterQueries& queries, const QueryGroup<Number>& group)
      : clusters_(clusters), queries_(queries), group_(group) {
    for (int i = 0; i < group_size; ++i) limits_[i] = i < group.size() ? infinity : -1;
    for (int i = 0; i < group.size(); ++i) {
      least_size_ = minimum_of(least_size_, queries.sizes[group.row(i)]);
      least_spread_ = minimum_of(least_spread_, queries.spreads[group.row(i)]);
      Candidate* list = queries_.found + group.row(i) * queries_.k;
      for (std::int64_t k = 0; k < queries_.k; ++k) list[k] = {infinity, -1, 0};
    }
  }

  COTERIE_INLINE Number limit() const { return infinity; }

  // Skips nodes that are too far for every query of the group.
  COTERIE_INLINE bool takes_whole(TreeNode node) const {
    const KDTreeView<Number>& tree = clusters_.tree;
    const Number spread = clusters_.least_spreads[node.id];
    if (spread == infinity) return true;  // all dead
    const Number gap = smallest_between<Number>(SquaredTerm<Number>{}, group_, tree.box_low(node.id), tree.box_high(node.id));
    return gap > Distance::reach(limit_, least_size_, clusters_.least_sizes[node.id], least_spread_, spread);
  }

  COTERIE_INLINE void leaf(TreeNode node) {
    const KDTreeView<Number>& tree = clusters_.tree;
    Number reach[group_size];
    for (int i = 0; i < group_size; ++i) {
      const std::int64_t row = group_.row(i);
      reach[i] = limits_[i] < 0 ? -1
                                : Distance::reach(limits_[i], queries_.sizes[row], clusters_.least_sizes[node.id],
                                                  queries_.spreads[row], clusters_.least_spreads[node.id]);
    }
    std::uint32_t near = queries_near_box<Number>(SquaredTerm<Number>{}, group_, tree.box_low(node.id), tree.box_high(node.id), reach);
    if (near == 0) return;
    for (; near != 0; near &= near - 1) meet(__builtin_ctz(near), node);
    limit_ = limits_[0];
    for (int i = 1; i < group_.size(); ++i) limit_ = limits_[i] > limit_ ? limits_[i] : limit_;
  }

 private:
  static COTERIE_INLINE Number minimum_of(Number a, Number b) { return a < b ? a : b; }

  COTERIE_INLINE void meet(int query, TreeNode node) {
    const KDTreeView<Number>& tree = clusters_.tree;
    const Number* points = tree.leaf_points(node.first_leaf);
    const std::int64_t begin = tree.begin(node), size = tree.size(node), row = group_.row(query);
    const Vec<Number> own_size = broadcast(queries_.sizes[row]), own_spread = broadcast(queries_.spreads[row]);
    Number values[chunk_points<Number>];
    for (std::int64_t first = 0; first < size; first += chunk_points<Number>) {
      scan_chunk<Number>(SquaredTerm<Number>{}, group_, query, points + first, tree.leaf_capacity, infinity, values);
      std::uint32_t near = 0;
      const Vec<Number> limit = broadcast(limits_[query]);
      for (int lane = 0; lane < chunk_points<Number>; lane += lanes<Number>) {
        const std::int64_t at = begin + first + lane;
        const Vec<Number> value = Distance::template of<Vec<Number>>(load(values + lane), own_size, load(clusters_.sizes + at),
                                                                     own_spread, load(clusters_.spreads + at));
        store(values + lane, value);
        near |= lane_bits<Number>(value <= limit) << lane;
      }
      for (; near != 0; near &= near - 1) {
        const int point = __builtin_ctz(near);
        insert(query, values[point], clusters_.slots[begin + first + point]);
      }
    }
  }

  COTERIE_INLINE void insert(int query, Number distance, std::int32_t slot) {
    const std::int64_t row = group_.row(query);
    if (slot == queries_.slots[row] || distance == infinity) return;
    Candidate* list = queries_.found + row * queries_.k;
    std::int64_t place = queries_.k;
    while (place > 0 && (list[place - 1].slot < 0 || distance < list[place - 1].distance ||
                         (distance == list[place - 1].distance && slot < list[place - 1].slot))) {
      --place;
      if (place + 1 < queries_.k) list[place + 1] = list[place];
    }
    if (place < queries_.k) list[place] = {distance, slot, 0};
    limits_[query] = list[queries_.k - 1].distance;
  }

  const ClusterTree& clusters_;
  const ClusterQueries& queries_;
  const QueryGroup<Number>& group_;
  Number limits_[group_size];
  Number limit_ = infinity, least_size_ = infinity, least_spread_ = infinity;
};

template <class Distance>
void nearest_by(const ClusterTree& clusters, const ClusterQueries& queries, int threads) {
  parallel_for(block_count(queries.groups.n_groups, groups_per_task), threads, [&](std::int64_t task, int) {
    const Range groups = block_range(queries.groups.n_groups, groups_per_task, task);
    QueryGroup<Number> group(clusters.tree.dims);
    for (std::int64_t g = groups.begin; g < groups.end; ++g) {
      group.read(clusters.tree, queries.groups, g);
      ClusterVisitor<Distance> visitor(clusters, queries, group);
      walk<Number>(clusters.tree, group, SquaredTerm<Number>{}, visitor);
    }
  });
}

void nearest(const ClusterTree& clusters, const ClusterQueries& queries, CentroidRule rule, int threads) {
  if (rule == CentroidRule::ward)
    nearest_by<WardDistance>(clusters, queries, threads);
  else
    nearest_by<AverageDistance>(clusters, queries, threads);
}

}  // namespace

void install_centroid_search(Engine& engine) { engine.centroids.nearest = nearest; }

}  // namespace coterie::COTERIE_ISA
