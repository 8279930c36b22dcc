// The bounding box of rows: `dims` lower ends, then `dims` upper ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "support/simd.h"
#include "trees/median_split.h"

namespace coterie {

template <class T>
void clear_box(T* box, std::int64_t dims) {
  std::fill(box, box + dims, std::numeric_limits<T>::infinity());
  std::fill(box + dims, box + 2 * dims, -std::numeric_limits<T>::infinity());
}

template <class T>
void widen_box_by_row(T* box, const T* row, std::int64_t dims) {
  for (std::int64_t j = 0; j < dims; ++j) {
    box[j] = row[j] < box[j] ? row[j] : box[j];
    box[dims + j] = row[j] > box[dims + j] ? row[j] : box[dims + j];
  }
}

// As many rows as a vector has lanes fill `dims` vectors, in which each place always holds the same dimension.
template <class T>
void widen_box(T* box, const T* rows, std::int64_t n_rows, std::int64_t dims) {
  using namespace COTERIE_ISA;
  constexpr std::int64_t most_dims = 32;
  const std::int64_t n_whole = dims <= most_dims ? n_rows / lanes<T> * lanes<T> : 0;
  if (n_whole > 0)
    with_dims(dims, [&](auto fixed) {
      Vec<T> low[most_dims], high[most_dims];
      for (std::int64_t v = 0; v < fixed; ++v) low[v] = high[v] = load<T>(rows + v * lanes<T>);
      for (const T* next = rows + fixed * lanes<T>; next < rows + n_whole * fixed; next += fixed * lanes<T>)
        for (std::int64_t v = 0; v < fixed; ++v) {
          low[v] = minimum<T>(low[v], load<T>(next + v * lanes<T>));
          high[v] = maximum<T>(high[v], load<T>(next + v * lanes<T>));
        }
      for (std::int64_t i = 0; i < lanes<T>; ++i) {
        widen_box_by_row(box, reinterpret_cast<const T*>(low) + i * fixed, fixed);
        widen_box_by_row(box, reinterpret_cast<const T*>(high) + i * fixed, fixed);
      }
    });
  for (std::int64_t i = n_whole; i < n_rows; ++i) widen_box_by_row(box, rows + i * dims, dims);
}

// Halves, because the width of a box may overflow.
template <class T>
std::int32_t widest_side(const T* box, std::int64_t dims) {
  std::int32_t widest = 0;
  T width = -1;
  for (std::int64_t j = 0; j < dims; ++j) {
    const T half = box[dims + j] / 2 - box[j] / 2;
    if (half > width) {
      width = half;
      widest = static_cast<std::int32_t>(j);
    }
  }
  return widest;
}

}  // namespace coterie
