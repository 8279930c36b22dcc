// How many of the centres that moved most a row had better meet in a Hamerly pass.
//
// Centres are sorted by how far they moved, the farthest first. A row whose own centre is `slack` nearer than its lower bound of
// all others is safe from those that moved by less: it meets the panels before them, and its bound shrinks by the movement of the
// fastest that it left out. Leaving out more is cheaper now, and uses up the slack sooner; meeting all gives the row a new slack, which
// spares it the passes until the fastest centres have used that up.
#pragma once

#include <bit>
#include <cstdint>

#include "kmeans/kmeans_kernels.h"
#include "support/simd.h"

namespace coterie {

struct HamerlyLevel {
  std::int64_t panels;  // of the sorted centres
  float missed;  // how far the fastest of the others moved; 0: there are no others
};

struct HamerlyLevels {
  static constexpr int capacity = 24, buckets = 512, bits_per_bucket = 20;  // eight buckets for a doubling of the slack
  HamerlyLevel levels[capacity];
  int count;  // the first level meets no centre, the last one all
  std::int32_t first_bucket;
  std::uint8_t of_bucket[buckets];  // the level for a slack

  static COTERIE_INLINE std::int32_t bucket(float slack) { return std::bit_cast<std::int32_t>(slack) >> bits_per_bucket; }
  COTERIE_INLINE int all() const { return count - 1; }
  COTERIE_INLINE int choose(float slack) const {
    const std::int32_t at = bucket(slack) - first_bucket;  // a negative slack has a negative bucket
    return at < 0 ? all() : of_bucket[at < buckets ? at : buckets - 1];
  }
};

// `moved` per column of the sorted centres, falling; `new_slack`: that of a failing row after it met all, as a guess.
HamerlyLevels plan_hamerly_levels(const float* moved, std::int64_t n_centres, std::int64_t panel_width, std::int64_t cols,
                                  float new_slack);

// The lower quartile of the slacks of a sample of the rows: those that fail had less than most.
float lesser_slack(const RowBounds& bounds, std::int64_t n_rows);

// What a pass in the order of the rows will cost, in panels per row, by the bounds of a sample of them.
double cost_of_hamerly_pass(const HamerlyLevels& levels, const ClusterDrift* drift, const RowBounds& bounds, std::int64_t n_rows,
                            std::int64_t cols);

}  // namespace coterie
