// Lloyd's pass for rows with few columns: rows stand side by side in the lanes, so that no lanes have to be compared in the end.
#pragma once

#include <limits>

#include "kmeans/update_sums.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {

inline constexpr std::int64_t most_narrow_columns = 16;  // estimate: turning a row costs less than comparing its lanes
inline constexpr std::int64_t narrow_rows_per_task = 512;
inline constexpr int narrow_vectors = 2, narrow_centres = 4;  // 4 x 2 accumulators, 2 vectors of rows, one centre
template <class T>
inline constexpr int narrow_group = narrow_vectors * lanes<T>;

// The nearest centre of each row of a group, and, where steps are not fused, its two least values.
template <class T>
struct NarrowNearest {
  static constexpr int values = kernels_fuse ? 1 : narrow_group<T>;
  LaneIndex<T> index[narrow_group<T>];
  T least[values], second[values];
};

// Rows of a group are given as [column][row]. The value of a pair has the bits that dot_block gives it.
template <class T>
COTERIE_INLINE void nearest_of_group(const PackedColumns<T>& centres, const T* turned, NarrowNearest<T>& nearest) {
  Vec<T> best[narrow_vectors], next[narrow_vectors];
  Mask<T> at[narrow_vectors];
  for (int v = 0; v < narrow_vectors; ++v) {
    best[v] = next[v] = broadcast(std::numeric_limits<T>::infinity());
    at[v] = Mask<T>{};
  }
  for (std::int64_t column = 0; column < centres.n_columns; column += narrow_centres) {
    const T* panel = centres.panels + column / panel_width<T> * centres.cols * panel_width<T> + column % panel_width<T>;
    Vec<T> acc[narrow_centres][narrow_vectors];
    for (int c = 0; c < narrow_centres; ++c)
      for (int v = 0; v < narrow_vectors; ++v) acc[c][v] = broadcast(centres.start[column + c]);
    for (std::int64_t t = 0; t < centres.cols; ++t)
      for (int c = 0; c < narrow_centres; ++c) {
        const Vec<T> y = broadcast(panel[t * panel_width<T> + c]);
        for (int v = 0; v < narrow_vectors; ++v) acc[c][v] -= load(turned + t * narrow_group<T> + v * lanes<T>) * y;
      }
    for (int c = 0; c < narrow_centres; ++c)
      for (int v = 0; v < narrow_vectors; ++v) {
        const Mask<T> is_nearer = acc[c][v] < best[v];
        if constexpr (!kernels_fuse) next[v] = minimum<T>(next[v], maximum<T>(acc[c][v], best[v]));
        best[v] = select<T>(is_nearer, acc[c][v], best[v]);
        at[v] = select_index<T>(is_nearer, broadcast_index<T>(static_cast<LaneIndex<T>>(column + c)), at[v]);
      }
  }
  for (int v = 0; v < narrow_vectors; ++v)
    for (int lane = 0; lane < lanes<T>; ++lane) {
      nearest.index[v * lanes<T> + lane] = at[v][lane];
      if constexpr (!kernels_fuse) {
        nearest.least[v * lanes<T> + lane] = best[v][lane];
        nearest.second[v * lanes<T> + lane] = next[v][lane];
      }
    }
}

// Assigns the rows of a range; returns how many labels changed.
template <class T>
std::int64_t assign_narrow_range(const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units, Range range,
                                 std::int32_t* labels, const ClusterSums& sums) {
  constexpr std::int64_t group = narrow_group<T>;
  const std::int64_t cols = data.X.cols;
  const Scratch<T> loaded(group * cols), turned(group * cols);
  NarrowNearest<T> nearest;
  const T largest = kernels_fuse ? T(0) : largest_term(centres);
  std::int64_t changed = 0;
  for (std::int64_t i = 0; i < group * cols; ++i) turned[i] = 0;
  for (std::int64_t first = range.begin; first < range.end; first += group) {
    const std::int64_t count = range.end - first < group ? range.end - first : group;
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t t = 0; t < cols; ++t) {
        const T value = data.X.row(first + r)[t] - data.shift[t];
        loaded[r * cols + t] = value;
        turned[t * group + r] = value;
      }
    nearest_of_group(centres, turned.data(), nearest);
    for (std::int64_t r = 0; r < count; ++r) {
      const T* row = loaded.data() + r * cols;
      std::int64_t index = nearest.index[r];
      if constexpr (!kernels_fuse)
        index = settled(squared_metric, centres, row, index, nearest.least[r], nearest.second[r],
                        raw_error(squared_metric, cols, squared_length(row, cols), largest));
      const std::int32_t old = labels[first + r], label = static_cast<std::int32_t>(index);
      if (old == label) continue;
      move_row(sums, units, old, label, row, data.weights == nullptr ? 1.0 : data.weights[first + r]);
      labels[first + r] = label;
      ++changed;
    }
  }
  return changed;
}

}  // namespace coterie::COTERIE_ISA
