// The metrics of the kd-tree as what one coordinate difference adds to a running total.
//
// Totals order like distances but lack the final root ("reduced" distances). Every term grows with |difference|, so
// that adding the gaps between two boxes in the same order of dimensions bounds the total of any two points in them,
// rounding included; only `pow` is not exactly monotone, hence `slack`.
#pragma once

#include "support/simd.h"
#include "trees/kdtree_view.h"

namespace coterie::COTERIE_ISA {

template <class T>
struct SquaredTerm {
  static constexpr T slack = 0;
  COTERIE_INLINE T add(T total, T difference) const { return total + difference * difference; }
  COTERIE_INLINE Vec<T> add(Vec<T> total, Vec<T> difference) const { return total + difference * difference; }
};

template <class T>
struct AbsoluteTerm {
  static constexpr T slack = 0;
  COTERIE_INLINE T add(T total, T difference) const { return total + (difference < 0 ? -difference : difference); }
  COTERIE_INLINE Vec<T> add(Vec<T> total, Vec<T> difference) const { return total + absolute<T>(difference); }
};

template <class T>
struct LargestTerm {
  static constexpr T slack = 0;
  COTERIE_INLINE T add(T total, T difference) const {
    const T size = difference < 0 ? -difference : difference;
    return size > total ? size : total;
  }
  COTERIE_INLINE Vec<T> add(Vec<T> total, Vec<T> difference) const { return maximum<T>(absolute<T>(difference), total); }
};

// |difference|^p for a whole p: products instead of pow.
template <class T>
struct WholePowerTerm {
  static constexpr T slack = 0;
  int p;
  COTERIE_INLINE T add(T total, T difference) const {
    const T size = difference < 0 ? -difference : difference;
    T power = size;
    for (int factor = 1; factor < p; ++factor) power *= size;
    return total + power;
  }
  COTERIE_INLINE Vec<T> add(Vec<T> total, Vec<T> difference) const {
    const Vec<T> size = absolute<T>(difference);
    Vec<T> power = size;
    for (int factor = 1; factor < p; ++factor) power *= size;
    return total + power;
  }
};

// In double precision for both types: the rounding of pow must stay below the slack.
template <class T>
struct PowerTerm {
  static constexpr T slack = sizeof(T) == 4 ? static_cast<T>(1e-5) : static_cast<T>(1e-13);
  double p;
  COTERIE_INLINE T add(T total, T difference) const {
    return total + static_cast<T>(__builtin_pow(__builtin_fabs(static_cast<double>(difference)), p));
  }
  COTERIE_INLINE Vec<T> add(Vec<T> total, Vec<T> difference) const {
    Vec<T> result;
    for (int lane = 0; lane < lanes<T>; ++lane) result[lane] = add(T{total[lane]}, T{difference[lane]});
    return result;
  }
};

inline constexpr int largest_whole_power = 16;

COTERIE_INLINE bool is_whole_power(double p) { return p <= largest_whole_power && static_cast<int>(p) == p; }

// Calls body with the term of a metric.
template <class T, class Body>
COTERIE_INLINE void with_term(TreeMetric metric, double p, Body&& body) {
  switch (metric) {
    case TreeMetric::euclidean:
    case TreeMetric::sqeuclidean:
      return body(SquaredTerm<T>{});
    case TreeMetric::manhattan:
      return body(AbsoluteTerm<T>{});
    case TreeMetric::chebyshev:
      return body(LargestTerm<T>{});
    case TreeMetric::minkowski:
      if (is_whole_power(p)) return body(WholePowerTerm<T>{static_cast<int>(p)});
      return body(PowerTerm<T>{p});
  }
}

// Reduced distance -> distance.
template <class T>
COTERIE_INLINE T finish_distance(const KDTreeView<T>& tree, T reduced) {
  if (tree.metric == TreeMetric::euclidean) return sizeof(T) == 4 ? __builtin_sqrtf(reduced) : __builtin_sqrt(reduced);
  if (tree.metric != TreeMetric::minkowski) return reduced;
  return static_cast<T>(__builtin_pow(static_cast<double>(reduced), 1 / tree.p));
}

// Distance -> reduced distance, by the same operations as the term's.
template <class T>
COTERIE_INLINE double reduce_distance(const KDTreeView<T>& tree, double distance) {
  if (tree.metric == TreeMetric::euclidean) return distance * distance;
  if (tree.metric != TreeMetric::minkowski) return distance;
  if (!is_whole_power(tree.p)) return __builtin_pow(distance, tree.p);
  return WholePowerTerm<double>{static_cast<int>(tree.p)}.add(0.0, distance);
}

}  // namespace coterie::COTERIE_ISA
