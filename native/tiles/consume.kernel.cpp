// Endings that need distances themselves: lists below a threshold, sums and extremes per group, the matrix.
#include <limits>

#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

// Pairs at most `threshold` apart. From the dot kernel, values within rounding of the threshold are decided in float64, by
// squares, as trees decide.
template <class T>
struct BelowEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  BelowOutput<T> out;
  bool is_fused;
  T largest;
  static constexpr bool needs_terms = true;

  struct State {
    Vec<T> surely[strip_rows], maybe[strip_rows];
    std::int64_t found[strip_rows];
  };

  double squared_threshold() const { return metric.finish == Finish::norm ? out.threshold * out.threshold : out.threshold; }

  void begin(State& state, const Strip<T>& strip) const {
    const double squared = squared_threshold();
    for (int r = 0; r < strip_rows; ++r) {
      state.found[r] = 0;
      double limit = out.threshold, slack = 0;
      if (is_fused) {
        const double term = strip.term[r < strip.count ? r : 0];
        limit = (squared - term) / 2;
        slack = static_cast<double>(Y.cols + 8) * std::numeric_limits<T>::epsilon() * (term + largest);
      }
      state.surely[r] = broadcast(static_cast<T>(limit - slack));
      // nothing is at most a NaN: rows beyond the last have no pairs
      state.maybe[r] = broadcast(r < strip.count ? static_cast<T>(limit + slack) : std::numeric_limits<T>::quiet_NaN());
    }
  }

  double exact_square(const T* row, std::int64_t column) const {
    const T* other = packed_column(Y, column);
    double sum = 0;
    for (std::int64_t t = 0; t < Y.cols; ++t) {
      const double difference = static_cast<double>(row[t]) - static_cast<double>(other[t * panel_width<T>]);
      sum += difference * difference;
      keep_fused(sum);
    }
    return sum;
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v) {
        const Vec<T> value = values.value[r][v];
        std::uint32_t candidates = lane_bits<T>(value <= state.maybe[r]);
        if (candidates == 0) continue;
        const std::uint32_t sure = is_fused ? lane_bits<T>(value <= state.surely[r]) : candidates;
        for (; candidates != 0; candidates &= candidates - 1) {
          const int lane = __builtin_ctz(candidates);
          const std::int64_t column = panel * panel_width<T> + v * lanes<T> + lane;
          if (column >= Y.n_columns) break;  // padding is infinitely far: it is within an infinite threshold
          if ((sure >> lane & 1u) != 0 || exact_square(strip.rows.row[r], column) <= squared_threshold())
            keep(state, strip, r, value[lane], column);
        }
      }
  }

  COTERIE_INLINE void keep(State& state, const Strip<T>& strip, int r, T value, std::int64_t column) const {
    if (out.index != nullptr) {
      const std::int64_t at = out.starts[strip.first_row + r] + state.found[r];
      if (at >= out.starts[strip.first_row + r + 1]) return;  // starts of other data: there is no room for more
      out.index[at] = static_cast<std::int32_t>(column);
      out.value[at] = is_fused ? finish_one(metric, Y, value, strip.rows.row[r], strip.term[r], column) : value;
    }
    ++state.found[r];
  }

  void end(const State& state, const Strip<T>& strip) const {
    if (out.count == nullptr) return;
    for (int r = 0; r < strip.count; ++r) out.count[strip.first_row + r] = state.found[r];
  }
};

// Sums per group of columns, in float64 after at most `columns_per_flush` columns.
template <class T>
struct GroupSumEnding {
  const PackedColumns<T>& Y;
  GroupSumOutput out;
  static constexpr bool needs_terms = false;
  static constexpr std::int64_t columns_per_flush = 16 * group_columns<T>;

  struct State {
    WideSum<T> sum[strip_rows];
    std::int32_t group;
    std::int32_t panels;
  };

  void begin(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip_rows; ++r) state.sum[r] = {};
    state.group = Y.group[0];
    state.panels = 0;
    for (std::int64_t i = strip.first_row * out.n_groups; i < (strip.first_row + strip.count) * out.n_groups; ++i) out.sum[i] = 0;
  }

  void flush(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      out.sum[(strip.first_row + r) * out.n_groups + state.group] += state.sum[r].total();
      state.sum[r] = {};
    }
    state.panels = 0;
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    if (Y.group[panel] != state.group || state.panels == columns_per_flush / panel_width<T>) {
      flush(state, strip);
      state.group = Y.group[panel];
    }
    const Vec<T> infinite = broadcast(std::numeric_limits<T>::infinity());
    for (int v = 0; v < panel_vectors; ++v)
      for (int r = 0; r < strip_rows; ++r)
        state.sum[r].vector(panel * panel_vectors + v) += select<T>(values.value[r][v] < infinite, values.value[r][v], Vec<T>{});
    ++state.panels;
  }

  void end(State& state, const Strip<T>& strip) const { flush(state, strip); }
};

// Smallest and largest distance between every two groups; one matrix per thread, for minima do not mind the order.
template <class T>
struct GroupExtremesEnding {
  const PackedColumns<T>& Y;
  GroupExtremesOutput<T> out;
  T* smallest_of_thread;
  T* largest_of_thread;
  static constexpr bool needs_terms = false;

  struct State {
    Vec<T> low[strip_rows], high[strip_rows];
    std::int32_t group;
  };

  static void clear(State& state) {
    for (int r = 0; r < strip_rows; ++r) {
      state.low[r] = broadcast(std::numeric_limits<T>::infinity());
      state.high[r] = broadcast(-std::numeric_limits<T>::infinity());
    }
  }

  void begin(State& state, const Strip<T>&) const {
    clear(state);
    state.group = Y.group[0];
  }

  void flush(State& state, const Strip<T>& strip) const {
    const std::int64_t cells = out.n_groups * out.n_groups;
    for (int r = 0; r < strip.count; ++r) {
      const std::int64_t cell = strip.thread * cells + out.row_group[strip.first_row + r] * out.n_groups + state.group;
      for (int lane = 0; lane < lanes<T>; ++lane) {
        if (state.low[r][lane] < smallest_of_thread[cell]) smallest_of_thread[cell] = state.low[r][lane];
        if (state.high[r][lane] > largest_of_thread[cell]) largest_of_thread[cell] = state.high[r][lane];
      }
    }
    clear(state);
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    if (Y.group[panel] != state.group) {
      flush(state, strip);
      state.group = Y.group[panel];
    }
    const Vec<T> infinite = broadcast(std::numeric_limits<T>::infinity());
    for (int v = 0; v < panel_vectors; ++v)
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> value = values.value[r][v];
        state.low[r] = minimum<T>(value, state.low[r]);
        state.high[r] = maximum<T>(select<T>(value < infinite, value, state.high[r]), state.high[r]);
      }
  }

  void end(State& state, const Strip<T>& strip) const { flush(state, strip); }
};

template <class T>
struct StoreEnding {
  const PackedColumns<T>& Y;
  MutableMatrixView<T> out;
  static constexpr bool needs_terms = false;
  struct State {};

  void begin(State&, const Strip<T>&) const {}
  void end(State&, const Strip<T>&) const {}

  COTERIE_INLINE void consume(State&, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    const std::int64_t first = panel * panel_width<T>, left = Y.n_columns - first;
    for (int r = 0; r < strip.count; ++r) {
      T* to = out.row(strip.first_row + r) + first;
      for (int v = 0; v < panel_vectors; ++v) {
        if (left >= (v + 1) * lanes<T>)
          store(to + v * lanes<T>, values.value[r][v]);
        else
          for (std::int64_t lane = 0; lane < left - v * lanes<T>; ++lane) to[v * lanes<T> + lane] = values.value[r][v][lane];
      }
    }
  }
};

template <class T>
void below(const TileProblem<T>& problem, const BelowOutput<T>& out) {
  const PackedColumns<T>& Y = problem.Y;
  const bool is_fused = wants_centring(problem.metric);
  const BelowEnding<T> ending{Y, problem.metric, out, is_fused, is_fused ? largest_term(Y) : T(0)};
  if (is_fused)
    walk(problem, FusedDot<T>{Y}, ending);
  else
    walk_finished(problem, ending);
}

template <class T>
void group_extremes(const TileProblem<T>& problem, const GroupExtremesOutput<T>& out) {
  const std::int64_t cells = out.n_groups * out.n_groups, threads = resolve_threads(problem.threads);
  const Scratch<T> smallest(threads * cells), largest(threads * cells);
  for (std::int64_t i = 0; i < threads * cells; ++i) {
    smallest[i] = std::numeric_limits<T>::infinity();
    largest[i] = -std::numeric_limits<T>::infinity();
  }
  walk_finished(problem, GroupExtremesEnding<T>{problem.Y, out, smallest.data(), largest.data()});
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    out.smallest[cell] = smallest[cell];
    out.largest[cell] = largest[cell];
    for (std::int64_t thread = 1; thread < threads; ++thread) {
      if (smallest[thread * cells + cell] < out.smallest[cell]) out.smallest[cell] = smallest[thread * cells + cell];
      if (largest[thread * cells + cell] > out.largest[cell]) out.largest[cell] = largest[thread * cells + cell];
    }
  }
}

template <class T>
void install_for(TileKernels<T>& kernels) {
  kernels.below = below<T>;
  kernels.group_sums = [](const TileProblem<T>& problem, const GroupSumOutput& out) {
    walk_finished(problem, GroupSumEnding<T>{problem.Y, out});
  };
  kernels.group_extremes = group_extremes<T>;
  kernels.store = [](const TileProblem<T>& problem, const MutableMatrixView<T>& out) {
    walk_finished(problem, StoreEnding<T>{problem.Y, out});
  };
}

}  // namespace

void install_consume(Engine& engine) {
  install_for(engine.float32.tiles);
  install_for(engine.float64.tiles);
}

}  // namespace coterie::COTERIE_ISA
