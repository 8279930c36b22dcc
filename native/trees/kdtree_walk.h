// A group of nearby queries walks the tree together: one descent for all, then each query against each leaf it needs.
//
// Inner nodes are pruned by the gap between the box of the group and the box of the node. At a leaf the gap of every
// query is computed at once, one query per lane; then each query that is near enough meets the leaf's points, one point
// per lane.
#pragma once

#include <cstdint>
#include <limits>

#include "support/scratch.h"
#include "support/simd.h"
#include "trees/kdtree_jobs.h"
#include "trees/kdtree_view.h"

namespace coterie::COTERIE_ISA {

inline constexpr int group_size = static_cast<int>(query_group_size);

// Leaves are scanned in chunks that fit the registers, at most 32 points: one bit for each.
template <class T>
inline constexpr int chunk_points = lanes<T> < 4 ? 16 : 32;

template <class T>
class QueryGroup {
 public:
  explicit QueryGroup(std::int64_t dims) : dims_(dims), coordinates_(dims * group_size), box_(2 * dims) {}

  void read(const KDTreeView<T>& tree, const QueryGroups<T>& queries, std::int64_t group) {
    const std::int64_t start = queries.starts[group];
    size_ = static_cast<int>(queries.starts[group + 1] - start);
    home_leaf_ = queries.home_leaves[group];
    for (int i = 0; i < group_size; ++i) {
      const std::int64_t query = start + (i < size_ ? i : 0);
      rows_[i] = queries.order != nullptr ? queries.order[query] : tree.original[query];
      for (std::int64_t j = 0; j < dims_; ++j)
        coordinates_[j * group_size + i] =
            queries.order != nullptr ? queries.rows[rows_[i] * queries.stride + j] : tree.coordinate(query, j);
    }
    measure_box();
  }

  COTERIE_INLINE int size() const { return size_; }
  COTERIE_INLINE std::int32_t home_leaf() const { return home_leaf_; }
  COTERIE_INLINE std::int64_t row(int i) const { return rows_[i]; }
  COTERIE_INLINE std::int64_t dims() const { return dims_; }
  COTERIE_INLINE const T* low() const { return box_.data(); }
  COTERIE_INLINE const T* high() const { return box_.data() + dims_; }
  // Coordinate j of query i is coordinates()[j * group_size + i]; places beyond size() repeat the first query.
  COTERIE_INLINE const T* coordinates() const { return coordinates_.data(); }

 private:
  void measure_box() {
    for (std::int64_t j = 0; j < dims_; ++j) {
      const T* values = coordinates_.data() + j * group_size;
      T low = values[0], high = values[0];
      for (int i = 1; i < group_size; ++i) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
      }
      box_[j] = low;
      box_[dims_ + j] = high;
    }
  }

  std::int64_t dims_;
  Scratch<T> coordinates_;
  Scratch<T> box_;
  std::int64_t rows_[group_size];
  int size_ = 0;
  std::int32_t home_leaf_ = 0;
};

// Reduced distance that no pair of points of the two boxes can undercut.
template <class T, class Term>
COTERIE_INLINE T smallest_between(const Term& term, const QueryGroup<T>& group, const T* low, const T* high) {
  T total = 0;
  for (std::int64_t j = 0; j < group.dims(); ++j) {
    const T above = low[j] - group.high()[j], below = group.low()[j] - high[j];
    const T gap = above > below ? above : below;
    total = term.add(total, gap > 0 ? gap : T{0});
  }
  return total * (1 - Term::slack);
}

// Reduced distance that no pair of points of the two boxes can exceed.
template <class T, class Term>
COTERIE_INLINE T largest_between(const Term& term, const QueryGroup<T>& group, const T* low, const T* high) {
  T total = 0;
  for (std::int64_t j = 0; j < group.dims(); ++j) {
    const T up = high[j] - group.low()[j], down = group.high()[j] - low[j];
    total = term.add(total, up > down ? up : down);
  }
  return total * (1 + Term::slack);
}

// Bit i is set when query i can have a point of the box within limits[i].
template <class T, class Term>
COTERIE_INLINE std::uint32_t queries_near_box(const Term& term, const QueryGroup<T>& group, const T* low, const T* high,
                                              const T* limits) {
  std::uint32_t near = 0;
  for (int first = 0; first < group_size; first += lanes<T>) {
    Vec<T> total{};
    for (std::int64_t j = 0; j < group.dims(); ++j) {
      const Vec<T> query = load<T>(group.coordinates() + j * group_size + first);
      const Vec<T> gap = maximum<T>(broadcast<T>(low[j]) - query, query - broadcast<T>(high[j]));
      total = term.add(total, maximum<T>(gap, Vec<T>{}));
    }
    total = total * broadcast<T>(1 - Term::slack);
    near |= lane_bits<T>(total <= load<T>(limits + first)) << first;
  }
  return near;
}

// Reduced distances of query i to a chunk of a leaf; bit p is set where point p is within limit. Padding included.
template <class T, class Term>
COTERIE_INLINE std::uint32_t scan_chunk(const Term& term, const QueryGroup<T>& group, int i, const T* chunk, std::int64_t capacity,
                                        T limit, T* reduced) {
  constexpr int parts = chunk_points<T> / lanes<T>;
  Vec<T> total[parts] = {};
  for (std::int64_t j = 0; j < group.dims(); ++j) {
    const Vec<T> query = broadcast<T>(group.coordinates()[j * group_size + i]);
    for (int part = 0; part < parts; ++part)
      total[part] = term.add(total[part], load<T>(chunk + j * capacity + part * lanes<T>) - query);
  }
  std::uint32_t within = 0;
  for (int part = 0; part < parts; ++part) {
    store<T>(reduced + part * lanes<T>, total[part]);
    within |= lane_bits<T>(total[part] <= broadcast<T>(limit)) << (part * lanes<T>);
  }
  return within;
}

// At least the rank-th smallest (from 1) of a chunk's reduced distances, and not much more: sorts the lanes, each by
// itself, and takes the largest of as many rows as hold that many numbers.
template <class T>
COTERIE_INLINE T bound_of_rank(const T* reduced, std::int64_t rank) {
  constexpr int parts = chunk_points<T> / lanes<T>;
  if (rank > chunk_points<T>) return std::numeric_limits<T>::infinity();
  Vec<T> rows[parts];
  for (int part = 0; part < parts; ++part) rows[part] = load<T>(reduced + part * lanes<T>);
#pragma GCC unroll 8
  for (int sorted = parts - 1; sorted > 0; --sorted)
#pragma GCC unroll 8
    for (int part = 0; part < sorted; ++part) {
      const Vec<T> smaller = minimum<T>(rows[part], rows[part + 1]);
      rows[part + 1] = maximum<T>(rows[part], rows[part + 1]);
      rows[part] = smaller;
    }
  T numbers[chunk_points<T>];
  for (int part = 0; part < parts; ++part) store<T>(numbers + part * lanes<T>, rows[part]);
  const T* row = numbers + (rank - 1) / lanes<T> * lanes<T>;
  T bound = row[0];
  for (int lane = 1; lane < lanes<T>; ++lane) bound = row[lane] > bound ? row[lane] : bound;
  return bound;
}

template <class T>
COTERIE_INLINE std::uint32_t points_up_to(const T* reduced, T limit) {
  std::uint32_t within = 0;
  for (int first = 0; first < chunk_points<T>; first += lanes<T>)
    within |= lane_bits<T>(load<T>(reduced + first) <= broadcast<T>(limit)) << first;
  return within;
}

// The bits of a chunk's points that exist, given how many points the leaf has from the chunk's first on.
template <class T>
COTERIE_INLINE std::uint32_t existing_points(std::int64_t remaining) {
  return ~0u >> (32 - (remaining < chunk_points<T> ? remaining : chunk_points<T>));
}

// Visits the leaves that come within visitor.limit(), the group's own first. visitor.takes_whole(node) may settle a
// node without descending; visitor.leaf(node) meets a leaf.
template <class T, class Term, class Visitor>
void walk(const KDTreeView<T>& tree, const QueryGroup<T>& group, const Term& term, Visitor& visitor) {
  struct Pending {
    TreeNode node;
    T gap;
  };
  constexpr int deepest = 64;  // more than twice the depth of a tree of 2^31 points
  Pending pending[deepest];
  int n_pending = 0;
  pending[n_pending++] = {tree.root(), T{0}};
  while (n_pending > 0) {
    const Pending next = pending[--n_pending];
    if (next.gap > visitor.limit() || visitor.takes_whole(next.node)) continue;
    if (next.node.is_leaf()) {
      visitor.leaf(next.node);
      continue;
    }
    const auto with_gap = [&](TreeNode node) {
      return Pending{node, smallest_between<T>(term, group, tree.box_low(node.id), tree.box_high(node.id))};
    };
    const Pending left = with_gap(next.node.left()), right = with_gap(next.node.right());
    const bool left_first =
        left.node.has_leaf(group.home_leaf()) || (!right.node.has_leaf(group.home_leaf()) && left.gap <= right.gap);
    pending[n_pending++] = left_first ? right : left;
    pending[n_pending++] = left_first ? left : right;
  }
}

}  // namespace coterie::COTERIE_ISA
