// The endings nearest and nearest two; k-means builds on them too.
#pragma once

#include <limits>
#include <type_traits>

#include "tiles/fused_order.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {

template <class T>
COTERIE_INLINE Mask<T> column_numbers(std::int64_t panel, int v) {
  return broadcast_index<T>(static_cast<LaneIndex<T>>(panel * panel_width<T> + v * lanes<T>)) + lane_numbers<T>();
}

// Smallest value over the lanes; among equals the lowest index.
template <class T>
struct LaneWinner {
  T value;
  std::int64_t index;
};

template <class T>
COTERIE_INLINE T smallest_lane(Vec<T> values) {
  return reduce_lanes<lanes<T>>(values, [](Vec<T> x, Vec<T> y) __attribute__((always_inline)) { return minimum<T>(y, x); });
}

template <class T>
COTERIE_INLINE LaneWinner<T> lowest_lane(Vec<T> values, Mask<T> indices) {
  const T value = smallest_lane<T>(values);
  std::uint32_t equal = lane_bits<T>(values == broadcast(value));
  LaneWinner<T> winner{value, indices[equal == 0 ? 0 : __builtin_ctz(equal)]};
  for (equal &= equal - 1; __builtin_expect(equal != 0, 0); equal &= equal - 1) {
    const std::int64_t index = indices[__builtin_ctz(equal)];
    if (index < winner.index) winner.index = index;
  }
  return winner;
}

// The second least value: where the winner stood, its lane's second takes part in the search.
template <class T>
COTERIE_INLINE T second_least(Vec<T> best, Mask<T> at, Vec<T> next, LaneWinner<T> first) {
  const Mask<T> is_first = at == broadcast_index<T>(static_cast<LaneIndex<T>>(first.index));
  const Mask<T> is_best = is_first & (best == broadcast(first.value));
  return smallest_lane<T>(select<T>(is_best, next, best));
}

// The nearest column of each row of a strip.
template <class T>
struct NearestColumn {
  Vec<T> best[strip_rows];
  Mask<T> at[strip_rows];

  COTERIE_INLINE void begin() {
    for (int r = 0; r < strip_rows; ++r) {
      best[r] = broadcast(std::numeric_limits<T>::infinity());
      at[r] = Mask<T>{};
    }
  }

  COTERIE_INLINE void consume(const Block<T>& values, std::int64_t panel) {
    for (int v = 0; v < panel_vectors; ++v) {
      const Mask<T> columns = column_numbers<T>(panel, v);
      for (int r = 0; r < strip_rows; ++r) {
        const Mask<T> is_nearer = values.value[r][v] < best[r];
        best[r] = select<T>(is_nearer, values.value[r][v], best[r]);
        at[r] = select_index<T>(is_nearer, columns, at[r]);
      }
    }
  }

  COTERIE_INLINE LaneWinner<T> first(int r) const { return lowest_lane<T>(best[r], at[r]); }
};

// The least value of each row of a strip with its column, and the second least value.
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

  COTERIE_INLINE T second_value(int r, LaneWinner<T> first) const { return second_least<T>(best[r], at[r], next[r], first); }
};

// Without fused steps the second least value tells whether the nearest column is in doubt.
template <class T>
using NearestState = std::conditional_t<kernels_fuse, NearestColumn<T>, TwoNearestCentres<T>>;

template <class T>
struct NearestEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  NearestOutput<T> out;
  T largest = kernels_fuse ? T(0) : largest_term(Y);
  using State = NearestState<T>;
  static constexpr bool needs_terms = !kernels_fuse;

  COTERIE_INLINE void begin(State& state, const Strip<T>&) const { state.begin(); }
  COTERIE_INLINE void consume(State& state, const Strip<T>&, const Block<T>& values, std::int64_t panel) const {
    state.consume(values, panel);
  }

  // The column of the least value, and that value; as kernels that fuse would choose it.
  COTERIE_INLINE LaneWinner<T> winner_of(const State& state, const Strip<T>& strip, int r) const {
    LaneWinner<T> first = state.first(r);
    if constexpr (!kernels_fuse) {
      if (is_recomputable(metric))
        first.index = settled(metric, Y, strip.rows.row[r], first.index, first.value, state.second_value(r, first),
                              raw_error(metric, Y.cols, strip.term[r], largest));
    }
    return first;
  }

  COTERIE_INLINE void end(const State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const LaneWinner<T> winner = winner_of(state, strip, r);
      const std::int64_t row = strip.first_row + r;
      out.index[row] = static_cast<std::int32_t>(winner.index);
      if (out.value != nullptr) out.value[row] = finish_one(metric, Y, winner.value, strip.rows.row[r], strip.term[r], winner.index);
    }
  }
};

// The nearest and second nearest per lane.
template <class T>
struct TwoNearest {
  Vec<T> best[strip_rows], second[strip_rows];
  Mask<T> at[strip_rows], second_at[strip_rows];
};

template <class T>
struct NearestTwoEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  NearestTwoOutput<T> out;
  using State = TwoNearest<T>;
  static constexpr bool needs_terms = false;

  COTERIE_INLINE void begin(State& state, const Strip<T>&) const {
    for (int r = 0; r < strip_rows; ++r) {
      state.best[r] = state.second[r] = broadcast(std::numeric_limits<T>::infinity());
      state.at[r] = state.second_at[r] = Mask<T>{};
    }
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>&, const Block<T>& values, std::int64_t panel) const {
    for (int v = 0; v < panel_vectors; ++v) {
      const Mask<T> columns = column_numbers<T>(panel, v);
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> value = values.value[r][v];
        const Mask<T> is_nearer = value < state.best[r], is_second = value < state.second[r];
        state.second[r] = select<T>(is_nearer, state.best[r], select<T>(is_second, value, state.second[r]));
        state.second_at[r] = select_index<T>(is_nearer, state.at[r], select_index<T>(is_second, columns, state.second_at[r]));
        state.best[r] = select<T>(is_nearer, value, state.best[r]);
        state.at[r] = select_index<T>(is_nearer, columns, state.at[r]);
      }
    }
  }

  static COTERIE_INLINE LaneWinner<T> first_of(const State& state, int r) { return lowest_lane<T>(state.best[r], state.at[r]); }

  // Where the winner stood, its lane's second takes part in the search for the second.
  static COTERIE_INLINE LaneWinner<T> second_of(const State& state, int r, LaneWinner<T> first) {
    const Mask<T> is_first =
        (state.at[r] == broadcast_index<T>(static_cast<LaneIndex<T>>(first.index))) & (state.best[r] == broadcast(first.value));
    return lowest_lane<T>(select<T>(is_first, state.second[r], state.best[r]),
                          select_index<T>(is_first, state.second_at[r], state.at[r]));
  }

  COTERIE_INLINE void end(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const LaneWinner<T> first = first_of(state, r);
      write(strip, r, first, second_of(state, r, first));
    }
  }

  COTERIE_INLINE void write(const Strip<T>& strip, int r, LaneWinner<T> first, LaneWinner<T> second) const {
    const std::int64_t row = strip.first_row + r;
    out.index[row] = static_cast<std::int32_t>(first.index);
    out.value[row] = finish_one(metric, Y, first.value, strip.rows.row[r], strip.term[r], first.index);
    const bool exists = second.value < std::numeric_limits<T>::infinity();
    out.second_index[row] = exists ? static_cast<std::int32_t>(second.index) : -1;
    out.second_value[row] = exists ? finish_one(metric, Y, second.value, strip.rows.row[r], strip.term[r], second.index)
                                   : std::numeric_limits<T>::infinity();
  }
};

}  // namespace coterie::COTERIE_ISA
