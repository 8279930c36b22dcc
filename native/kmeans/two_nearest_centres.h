// The nearest centre of a row with bounds: from the two least values that it met.
#pragma once

#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/kmeans_kernels.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {

template <class T>
double largest_column_term(const PackedColumns<T>& centres) {
  double largest = 0;
  for (std::int64_t j = 0; j < centres.n_panels * panel_width<T>; ++j)
    largest = centres.term[j] > largest ? static_cast<double>(centres.term[j]) : largest;
  return largest;
}

// The nearest centre of a row: at most `upper` away, the others at least `lower`.
struct BoundedNearest {
  std::int64_t index;
  float upper, lower;
};

// `term` is the squared length of the row, `second` the second least value. A centre that was settled against the order of the values
// may be a little farther than `first`, which then is the nearest of the others.
template <class T>
COTERIE_INLINE BoundedNearest bounded_nearest(const PackedColumns<T>& centres, const T* row, double term, double largest_term,
                                              LaneWinner<T> first, T second) {
  const double error = squared_error<T>(centres.cols, term, largest_term);
  const std::int64_t index = settled(squared_metric, centres, row, first.index, first.value, second, static_cast<T>(error));
  const bool is_first = index == first.index;
  const double slack = is_first ? error : 4 * error;
  return {index, upper_distance(term + 2 * static_cast<double>(first.value), slack),
          lower_distance(term + 2 * static_cast<double>(is_first ? second : first.value), slack)};
}

}  // namespace coterie::COTERIE_ISA
