// One row by itself: its distance to its own centre, and a place to gather rows for a strip.
#pragma once

#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/kmeans_kernels.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {

// Upper bound of the distance of row `index` to `centre`.
template <class T>
COTERIE_INLINE float own_distance(const KMeansData<T>& data, const T* centre, double largest_term, std::int64_t index) {
  const std::int64_t cols = data.X.cols;
  const T *row = data.X.row(index), *shift = data.shift;
  Vec<T> squares = Vec<T>{}, lengths = Vec<T>{};
  std::int64_t t = 0;
  for (; t + lanes<T> <= cols; t += lanes<T>) {
    const Vec<T> value = load(row + t) - load(shift + t), difference = value - load(centre + t);
    squares += difference * difference;
    lengths += value * value;
  }
  T squared = sum_of_lanes<T>(squares), term = sum_of_lanes<T>(lengths);
  for (; t < cols; ++t) {
    const T value = row[t] - shift[t], difference = value - centre[t];
    squared += difference * difference;
    term += value * value;
  }
  return upper_distance(static_cast<double>(squared), squared_error<T>(cols, static_cast<double>(term), largest_term));
}

// Where rows are gathered; a short strip leaves old rows behind, which are never written back.
template <class T>
struct GatheredStrip {
  Scratch<T> buffer;
  StripRows<T> rows;

  explicit GatheredStrip(std::int64_t cols) : buffer(strip_rows * cols) {
    for (std::int64_t i = 0; i < strip_rows * cols; ++i) buffer[i] = 0;
    for (int r = 0; r < strip_rows; ++r) rows.row[r] = buffer.data() + r * cols;
  }

  COTERIE_INLINE void load(const KMeansData<T>& data, int r, std::int64_t index) {
    load_rows(data.X, data.shift, {index, index + 1}, buffer.data() + r * data.X.cols);
  }
};

}  // namespace coterie::COTERIE_ISA
