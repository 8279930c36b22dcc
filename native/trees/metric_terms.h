// The metrics of the kd-tree as what one coordinate difference adds to a running total.
//
// Totals order like distances but lack the final root ("reduced" distances). Every term grows with |difference|, so
// that adding the gaps between two boxes in the same order of dimensions bounds the total of any two points in them,
// rounding included; only `pow` is not exactly monotone, hence `slack`.
#pragma once

#include "support/arc.h"
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

inline constexpr int largest_whole_power = 16;

COTERIE_INLINE bool is_whole_power(double p) { return p <= largest_whole_power && static_cast<int>(p) == p; }

// |difference|^p: a product for a small whole p, otherwise pow in double precision, whose rounding stays below the slack.
// Not inlined into every kernel: it is slow anyway.
template <class T>
struct PowerTerm {
  static constexpr T slack = sizeof(T) == 4 ? static_cast<T>(1e-5) : static_cast<T>(1e-13);
  double p;

  __attribute__((noinline)) T power(T difference) const {
    const T size = difference < 0 ? -difference : difference;
    if (!is_whole_power(p)) return static_cast<T>(__builtin_pow(static_cast<double>(size), p));
    T product = size;
    for (int factor = 1; factor < static_cast<int>(p); ++factor) product *= size;
    return product;
  }
  __attribute__((noinline)) void raise(T* differences) const {
    if (is_whole_power(p)) {
      const Vec<T> size = absolute<T>(load<T>(differences));
      Vec<T> product = size;
      for (int factor = 1; factor < static_cast<int>(p); ++factor) product *= size;
      store<T>(differences, product);
    } else {
      for (int lane = 0; lane < lanes<T>; ++lane) differences[lane] = power(differences[lane]);
    }
  }

  COTERIE_INLINE T add(T total, T difference) const { return total + power(difference); }
  COTERIE_INLINE Vec<T> add(Vec<T> total, Vec<T> difference) const {
    T powers[lanes<T>];
    store<T>(powers, difference);
    raise(powers);
    return total + load<T>(powers);
  }
};

// Calls body with the term of a metric.
template <class T, class Body>
COTERIE_INLINE void with_term(TreeMetric metric, double p, Body&& body) {
  switch (metric) {
    case TreeMetric::euclidean:
    case TreeMetric::sqeuclidean:
    case TreeMetric::great_circle:
      return body(SquaredTerm<T>{});
    case TreeMetric::manhattan:
      return body(AbsoluteTerm<T>{});
    case TreeMetric::chebyshev:
      return body(LargestTerm<T>{});
    case TreeMetric::minkowski:
      return body(PowerTerm<T>{p});
  }
}

// Reduced distances -> distances.
template <class T>
COTERIE_INLINE void finish_distances(const KDTreeView<T>& tree, T* reduced, std::int64_t n) {
  if (tree.metric == TreeMetric::euclidean) {
    for (std::int64_t i = 0; i < n; ++i) reduced[i] = sizeof(T) == 4 ? __builtin_sqrtf(reduced[i]) : __builtin_sqrt(reduced[i]);
  } else if (tree.metric == TreeMetric::minkowski) {
    for (std::int64_t i = 0; i < n; ++i) reduced[i] = static_cast<T>(__builtin_pow(static_cast<double>(reduced[i]), 1 / tree.p));
  } else if (tree.metric == TreeMetric::great_circle) {
    for (std::int64_t i = 0; i < n; ++i) reduced[i] = static_cast<T>(arc_of(static_cast<double>(reduced[i])) * tree.p);
  }
}

// Distance -> reduced distance, by the same operations as the term's.
template <class T>
COTERIE_INLINE double reduce_distance(const KDTreeView<T>& tree, double distance) {
  if (tree.metric == TreeMetric::euclidean) return distance * distance;
  if (tree.metric == TreeMetric::great_circle) return squared_chord_of(distance / tree.p);
  if (tree.metric != TreeMetric::minkowski) return distance;
  return PowerTerm<double>{tree.p}.power(distance);
}

}  // namespace coterie::COTERIE_ISA
