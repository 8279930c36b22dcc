// The two nearest centres of each row of a strip: the least value with its column, and the second least value.
#pragma once

#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {

template <class T>
struct TwoNearestCentres {
  Vec<T> best[strip_rows], next[strip_rows];
  Mask<T> at[strip_rows];

  COTERIE_INLINE void begin() {
    for (int r = 0; r < strip_rows; ++r) {
      best[r] = next[r] = broadcast(std::numeric_limits<T>::infinity());
      at[r] = Mask<T>{};
    }
  }

  COTERIE_INLINE void consume(const Block<T>& values, std::int64_t panel) {
    for (int v = 0; v < panel_vectors; ++v) {
      const Mask<T> columns = column_numbers<T>(panel, v);
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> value = values.value[r][v];
        const Mask<T> is_nearer = value < best[r];
        next[r] = minimum<T>(next[r], maximum<T>(value, best[r]));
        best[r] = minimum<T>(value, best[r]);
        at[r] = select_index<T>(is_nearer, columns, at[r]);
      }
    }
  }

  COTERIE_INLINE LaneWinner<T> first(int r) const { return lowest_lane<T>(best[r], at[r]); }

  // Where the winner stood, its lane's second takes part in the search.
  COTERIE_INLINE T second_value(int r, LaneWinner<T> first) const {
    const Mask<T> is_first = at[r] == broadcast_index<T>(static_cast<LaneIndex<T>>(first.index));
    const Mask<T> is_best = is_first & (best[r] == broadcast(first.value));
    return smallest_lane<T>(select<T>(is_best, next[r], best[r]));
  }
};

template <class T>
double largest_column_term(const PackedColumns<T>& centres) {
  double largest = 0;
  for (std::int64_t j = 0; j < centres.n_panels * panel_width<T>; ++j)
    largest = centres.term[j] > largest ? static_cast<double>(centres.term[j]) : largest;
  return largest;
}

}  // namespace coterie::COTERIE_ISA
