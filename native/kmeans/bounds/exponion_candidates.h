// The ball of Exponion: the centres that failing rows of one cluster meet, packed once for all of them.
#pragma once

#include <limits>

#include "kmeans/kmeans_kernels.h"
#include "support/scratch.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {

// Columns that the rows of one cluster meet: the centres around its own, nearest first.
template <class T>
struct Candidates {
  const T* panels;
  const T* start;
  const LaneIndex<T>* ids;         // centre of each packed column
  const Neighbour* neighbours;
  std::int64_t n_panels;
  float beyond;                    // distance of the nearest centre that is not among them
};

template <class T>
COTERIE_INLINE std::int32_t panels_within(const Candidates<T>& columns, float reach) {
  std::int32_t n = 1;
  while (n < columns.n_panels && columns.neighbours[n * panel_width<T>].distance <= reach) ++n;
  return n;
}

// Packs the listed centres; their start values are those of the global pack, so equal pairs give equal bits.
template <class T>
struct CandidatePack {
  Scratch<T> panels, start;
  Scratch<LaneIndex<T>> ids;

  CandidatePack(std::int64_t n_columns, std::int64_t cols)
      : panels(padded(n_columns) * cols), start(padded(n_columns)), ids(padded(n_columns)) {}

  static std::int64_t padded(std::int64_t n) { return block_count(n, panel_width<T>) * panel_width<T>; }

  Candidates<T> around(const Neighbourhoods& all, std::int32_t cluster, const PackedColumns<T>& centres, const MatrixView<T>& rows) {
    const Neighbour* near = all.list + all.starts[cluster];
    const std::int64_t count = all.starts[cluster + 1] - all.starts[cluster];
    for (std::int64_t j = 0; j < padded(count); ++j) {
      T* to = panels.data() + (j / panel_width<T>)*rows.cols * panel_width<T> + j % panel_width<T>;
      const bool is_real = j < count;
      const std::int64_t centre = is_real ? near[j].centre : 0;
      ids[j] = is_real ? static_cast<LaneIndex<T>>(centre) : std::numeric_limits<std::int32_t>::max();
      start[j] = is_real ? centres.start[centre] : std::numeric_limits<T>::infinity();
      for (std::int64_t t = 0; t < rows.cols; ++t) to[t * panel_width<T>] = is_real ? rows.row(centre)[t] : T(0);
    }
    return {panels.data(), start.data(), ids.data(), near, padded(count) / panel_width<T>, all.beyond[cluster]};
  }
};

}  // namespace coterie::COTERIE_ISA
