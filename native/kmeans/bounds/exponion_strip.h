// Exponion: one strip of failing rows against the centres around their own: their nearest centre, and new bounds.
#pragma once

#include <limits>

#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/bounds/exponion_candidates.h"
#include "kmeans/two_nearest_centres.h"
#include "kmeans/update_sums.h"

namespace coterie::COTERIE_ISA {

template <class T>
struct ExponionContext {
  const KMeansData<T>& data;
  const SumUnits& units;
  const RowBounds& bounds;
  ClusterSums sums;  // of this thread
  std::int32_t cluster;  // that the rows belong to
  float gap;             // half the distance of its centre to the nearest other one
  float fast;            // distance of its centre to the nearest fast one
  const T* centre;
  const PackedColumns<T>& centres;  // all of them
  double largest_term;
  std::int64_t changed;
};

template <class T>
struct ExponionState {
  Vec<T> best[strip_rows], second[strip_rows];
  Mask<T> at[strip_rows];
};

// As BoundsEnding, but columns come in any order: equal values go to the lowest id.
template <class T>
COTERIE_INLINE void take_panel(ExponionState<T>& state, const Block<T>& values, const LaneIndex<T>* ids) {
  for (int v = 0; v < panel_vectors; ++v) {
    Mask<T> columns;
    __builtin_memcpy(&columns, ids + v * lanes<T>, sizeof(columns));
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> value = values.value[r][v];
      const Mask<T> is_nearer = (value < state.best[r]) | ((value == state.best[r]) & (columns < state.at[r]));
      state.second[r] = minimum<T>(state.second[r], maximum<T>(value, state.best[r]));
      state.best[r] = minimum<T>(value, state.best[r]);
      state.at[r] = select_index<T>(is_nearer, columns, state.at[r]);
    }
  }
}

template <class T>
COTERIE_INLINE void settle_row(ExponionContext<T>& context, const ExponionState<T>& state, int r, const T* row, double term,
                               std::int64_t index, float outside) {
  const LaneWinner<T> first = lowest_lane<T>(state.best[r], state.at[r]);
  const Mask<T> is_first =
      (state.at[r] == broadcast_index<T>(static_cast<LaneIndex<T>>(first.index))) & (state.best[r] == broadcast(first.value));
  const LaneWinner<T> second = lowest_lane<T>(select<T>(is_first, state.second[r], state.best[r]), lane_numbers<T>());
  const BoundedNearest found = bounded_nearest(context.centres, row, term, context.largest_term, first, second.value);
  context.bounds.upper[index] = found.upper;
  context.bounds.lower[index] = found.lower < outside ? found.lower : (outside > 0 ? outside : 0.0f);
  if (context.cluster == found.index) return;
  const double weight = context.data.weights == nullptr ? 1.0 : context.data.weights[index];
  move_row(context.sums, context.units, context.cluster, found.index, row, weight);
  context.bounds.label[index] = static_cast<std::int32_t>(found.index);
  ++context.changed;
}

// One strip of gathered rows against as many panels as its rows can reach.
template <class T>
COTERIE_INLINE void settle_strip(ExponionContext<T>& context, const Candidates<T>& columns, const StripRows<T>& strip, int count,
                                 const std::int32_t* indices) {
  const std::int64_t cols = context.data.X.cols;
  double term[strip_rows];
  float own[strip_rows] = {};  // upper bound of the distance to the old centre
  ExponionState<T> state;
  for (int r = 0; r < strip_rows; ++r) {
    term[r] = static_cast<double>(squared_length(strip.row[r], cols));
    state.best[r] = state.second[r] = broadcast(std::numeric_limits<T>::infinity());
    state.at[r] = Mask<T>{};
  }
  float reach = std::numeric_limits<float>::infinity();
  std::int64_t q = 0;
  for (; q < columns.n_panels; ++q) {
    if (q > 0 && columns.neighbours[q * panel_width<T>].distance > reach) break;
    Block<T> values;
    dot_block<T>(strip, columns.panels + q * cols * panel_width<T>, columns.start + q * panel_width<T>, cols, values);
    if (q == 0) {
      reach = 0;
      for (int r = 0; r < count; ++r) {
        const double error = squared_error<T>(cols, term[r], context.largest_term);
        own[r] = upper_distance(term[r] + 2 * static_cast<double>(values.value[r][0][0]), error);
        if (2 * own[r] > reach) reach = 2 * own[r];
      }
      reach *= round_up;
    }
    take_panel(state, values, columns.ids + q * panel_width<T>);
  }
  const float next = q < columns.n_panels ? columns.neighbours[q * panel_width<T>].distance : columns.beyond;
  for (int r = 0; r < count; ++r) settle_row(context, state, r, strip.row[r], term[r], indices[r], (next - own[r]) * round_down);
}

}  // namespace coterie::COTERIE_ISA
