// Endings that keep the nearest column of each row, the nearest two, or the m nearest.
#include <limits>

#include "engine.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {
namespace {

// The nearest column by difference: where the two smallest values of the dot kernel are within its error, the row is
// searched again without it.
template <class T>
struct ExactNearestEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  NearestOutput<T> out;
  NearestTwoEnding<T> two{Y, metric, {}};
  T largest = largest_term(Y);
  using State = TwoNearest<T>;
  static constexpr bool needs_terms = true;

  COTERIE_INLINE void begin(State& state, const Strip<T>& strip) const { two.begin(state, strip); }
  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    two.consume(state, strip, values, panel);
  }

  std::int64_t search(const T* row) const {
    Vec<T> best = broadcast(std::numeric_limits<T>::infinity());
    Mask<T> at{};
    for (std::int64_t column = 0; column < Y.n_columns; column += lanes<T>) {
      const Mask<T> columns = column_numbers<T>(column / panel_width<T>, column % panel_width<T> / lanes<T>);
      const Vec<T> squared = squared_distances_to_packed(row, packed_column(Y, column), Y.cols);
      const Mask<T> is_nearer = (squared < best) & (columns < broadcast_index<T>(static_cast<LaneIndex<T>>(Y.n_columns)));
      best = select<T>(is_nearer, squared, best);
      at = select_index<T>(is_nearer, columns, at);
    }
    const LaneWinner<T> first = lowest_lane<T>(best, at);
    return kernels_fuse ? first.index : settle_by_difference(row, first);
  }

  // Of the columns that are nearest but for rounding, the one that kernels that fuse would find.
  std::int64_t settle_by_difference(const T* row, LaneWinner<T> first) const {
    const T rounding = static_cast<T>(4 * (Y.cols + 4)) * std::numeric_limits<T>::epsilon();
    const Vec<T> limit = broadcast(first.value + rounding * first.value);
    FusedWinner<T> winner{first.index};
    for (std::int64_t column = 0; column < Y.n_columns; column += lanes<T>) {
      const T* packed = packed_column(Y, column);
      std::uint32_t near = lane_bits<T>(squared_distances_to_packed(row, packed, Y.cols) <= limit);
      for (; near != 0; near &= near - 1) {
        const int lane = __builtin_ctz(near);
        if (column + lane >= Y.n_columns) break;
        const auto difference = [&](std::int64_t t) { return row[t] - packed[t * panel_width<T> + lane]; };
        winner.offer(fused_sum_of_squares<T>(Y.cols, difference), column + lane);
      }
    }
    return winner.index;
  }

  COTERIE_INLINE void end(const State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const LaneWinner<T> first = two.first_of(state, r), second = two.second_of(state, r, first);
      const T error = raw_error(metric, Y.cols, strip.term[r], largest);
      const bool is_clear = second.value - first.value > 2 * error;
      const std::int64_t row = strip.first_row + r, winner = is_clear ? first.index : search(strip.rows.row[r]);
      out.index[row] = static_cast<std::int32_t>(winner);
      const T value = recomputed(metric, Y, strip.rows.row[r], winner);
      out.value[row] = metric.finish == Finish::norm ? std::sqrt(value) : value;
    }
  }
};

// The m smallest. Where the dot kernel's values suffer from cancellation, those that may belong to the list are computed
// again by difference before they are compared: near-duplicates far from the origin come in the right order.
template <class T>
struct SmallestEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  SmallestOutput<T> out;
  bool recompute = is_recomputable(metric);
  T largest = recompute ? largest_term(Y) : T(0);
  static constexpr bool needs_terms = true;

  struct State {
    Vec<T> limit[strip_rows];  // values beyond it cannot belong to the list
  };

  void begin(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip_rows; ++r)
      state.limit[r] = broadcast(r < strip.count ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
    for (std::int64_t i = strip.first_row * out.m; i < (strip.first_row + strip.count) * out.m; ++i) {
      out.value[i] = std::numeric_limits<T>::infinity();
      out.index[i] = -1;
    }
  }

  // Keeps the row's list sorted; columns come in rising order, so equal values keep the lowest index.
  void insert(std::int64_t row, T value, std::int64_t column) const {
    T* values = out.value + row * out.m;
    std::int32_t* indices = out.index + row * out.m;
    std::int64_t at = out.m - 1;
    for (; at > 0 && values[at - 1] > value; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = static_cast<std::int32_t>(column);
  }

  T limit_of(const Strip<T>& strip, int r, T last) const {
    if (!recompute) return last;
    const T term = strip.term[r];
    return raw_of(metric, last, term) + raw_error(metric, Y.cols, term, largest);
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    for (int r = 0; r < strip_rows; ++r) {
      for (int v = 0; v < panel_vectors; ++v) {
        const std::uint32_t smaller = lane_bits<T>(values.value[r][v] < state.limit[r]);
        if (__builtin_expect(smaller == 0, 1)) continue;
        state.limit[r] = broadcast(take(strip, r, values.value[r][v], panel * panel_width<T> + v * lanes<T>, smaller));
      }
    }
  }

  // Offers the lanes of `smaller` to the list of row r and returns its new limit.
  T take(const Strip<T>& strip, int r, Vec<T> values, std::int64_t first, std::uint32_t smaller) const {
    const std::int64_t row = strip.first_row + r;
    const T* last = out.value + row * out.m + out.m - 1;
    for (; smaller != 0; smaller &= smaller - 1) {
      const std::int64_t column = first + __builtin_ctz(smaller);
      if (out.skip_same_index && column == row) continue;
      const T value = recompute ? recomputed(metric, Y, strip.rows.row[r], column) : values[column - first];
      if (value < *last) insert(row, value, column);
    }
    return limit_of(strip, r, *last);
  }

  void end(const State&, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r)
      for (std::int64_t i = (strip.first_row + r) * out.m; i < (strip.first_row + r + 1) * out.m; ++i) {
        if (out.index[i] < 0) continue;
        if (!recompute)
          out.value[i] = finish_one(metric, Y, out.value[i], strip.rows.row[r], strip.term[r], out.index[i]);
        else if (metric.finish == Finish::norm)
          out.value[i] = std::sqrt(out.value[i]);
      }
  }
};

template <class T>
void nearest_exact(const TileProblem<T>& problem, const NearestOutput<T>& out) {
  if (is_recomputable(problem.metric))
    walk(problem, FusedDot<T>{problem.Y}, ExactNearestEnding<T>{problem.Y, problem.metric, out});
  else
    walk_ordered<T, NearestEnding>(problem, out);
}

template <class T>
void install_for(TileKernels<T>& kernels) {
  kernels.nearest = [](const TileProblem<T>& problem, const NearestOutput<T>& out) { walk_ordered<T, NearestEnding>(problem, out); };
  kernels.nearest_exact = nearest_exact<T>;
  kernels.nearest_two = [](const TileProblem<T>& problem, const NearestTwoOutput<T>& out) {
    walk_ordered<T, NearestTwoEnding>(problem, out);
  };
  kernels.smallest = [](const TileProblem<T>& problem, const SmallestOutput<T>& out) {
    walk_ordered<T, SmallestEnding>(problem, out);
  };
}

}  // namespace

void install_nearest(Engine& engine) {
  install_for(engine.float32.tiles);
  install_for(engine.float64.tiles);
}

}  // namespace coterie::COTERIE_ISA
