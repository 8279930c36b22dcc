// Which points lie within a radius, decided exactly: single precision asks double precision where it is in doubt.
#pragma once

#include <limits>

#include "trees/close_calls.h"
#include "trees/kdtree_walk.h"
#include "trees/metric_terms.h"

namespace coterie::COTERIE_ISA {

// Reduced distances up to `inside` are within the radius, above `outside` they are not, between them double precision
// decides. In double precision itself there is nothing between.
template <class T>
struct RadiusBand {
  T inside;
  T outside;
  double reduced_radius;
};

COTERIE_INLINE RadiusBand<double> make_band(const KDTreeView<double>& tree, double radius) {
  const double reduced = reduce_distance<double>(tree, radius);
  return {reduced, reduced, reduced};
}

COTERIE_INLINE RadiusBand<float> make_band(const KDTreeView<float>& tree, double radius) {
  constexpr double largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::min();
  const double reduced = reduce_distance<float>(tree, radius);
  // a sum of dims terms, each a power: so many roundings of 2^-24 at most; below the normal range nothing is sure
  const double roundings = static_cast<double>(tree.dims) + 4 + 2 * (tree.metric == TreeMetric::minkowski ? tree.p : 2);
  const double doubt = roundings * 0x1.0p-23;
  const double inside = reduced * (1 - doubt), outside = reduced * (1 + doubt) + smallest * static_cast<double>(tree.dims);
  return {inside > smallest * 0x1.0p24 ? static_cast<float>(inside < largest ? inside : largest) : -1.0f,
          outside < largest ? static_cast<float>(outside) : std::numeric_limits<float>::infinity(), reduced};
}

// The bits of the points of a chunk that are within the radius of query i; their reduced distances are in `reduced`.
template <class T, class Term>
COTERIE_INLINE std::uint32_t points_within(const KDTreeView<T>& tree, const QueryGroup<T>& group, const Term& term,
                                           const RadiusBand<T>& band, int i, TreeNode leaf, std::int64_t first, T* reduced) {
  const T* chunk = tree.leaf_points(leaf.first_leaf) + first;
  std::uint32_t within = scan_chunk<T>(term, group, i, chunk, tree.leaf_capacity, band.outside, reduced);
  within &= existing_points<T>(tree.size(leaf) - first);
  if constexpr (sizeof(T) == 4) {
    std::uint32_t doubtful = within;
    for (int part = 0; part < chunk_points<T>; part += lanes<T>)
      doubtful &= ~(lane_bits<T>(load<T>(reduced + part) <= broadcast<T>(band.inside)) << part);
    for (; doubtful != 0; doubtful &= doubtful - 1) {
      const int point = __builtin_ctz(doubtful);
      if (!is_within(tree, group.coordinates() + i, group_size, chunk + point, tree.leaf_capacity, band.reduced_radius))
        within &= ~(1u << point);
    }
  }
  return within;
}

}  // namespace coterie::COTERIE_ISA
