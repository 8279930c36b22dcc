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

// The distance to a row's own column, by difference, and that to the nearest other one: from the dot kernel's value, or by
// difference where that has lost digits.
template <class T>
struct OwnAndOtherEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  OwnAndOtherOutput<T> out;
  T largest = largest_term(Y);
  static constexpr bool needs_terms = true;

  struct State {
    Vec<T> best[strip_rows];  // of the columns that are not the row's own
    Mask<T> own[strip_rows];
  };

  COTERIE_INLINE void begin(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip_rows; ++r) {
      const std::int64_t row = strip.first_row + (r < strip.count ? r : strip.count - 1);
      state.best[r] = broadcast(std::numeric_limits<T>::infinity());
      state.own[r] = broadcast_index<T>(static_cast<LaneIndex<T>>(out.own_column[row]));
    }
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>&, const Block<T>& values, std::int64_t panel) const {
    const Vec<T> none = broadcast(std::numeric_limits<T>::infinity());
    for (int v = 0; v < panel_vectors; ++v) {
      const Mask<T> columns = column_numbers<T>(panel, v);
      for (int r = 0; r < strip_rows; ++r)
        state.best[r] = minimum<T>(select<T>(columns == state.own[r], none, values.value[r][v]), state.best[r]);
    }
  }

  COTERIE_INLINE void end(const State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const std::int64_t row = strip.first_row + r;
      const T own = recomputed(metric, Y, strip.rows.row[r], out.own_column[row]);
      const T other = other_of(strip.rows.row[r], strip.term[r], smallest_lane<T>(state.best[r]), out.own_column[row]);
      out.own[row] = metric.finish == Finish::norm ? std::sqrt(own) : own;
      out.other[row] = metric.finish == Finish::norm ? std::sqrt(other) : other;
    }
  }

  // What raw_of is the raw value of; +inf stays.
  COTERIE_INLINE T other_of(const T* row, T term, T raw, std::int64_t own_column) const {
    const bool is_cosine = metric.finish == Finish::cosine;
    const T value = is_cosine ? raw : term + (raw + raw);
    const bool has_digits = is_cosine ? value >= cosine_cancelled<T> : value >= cancellation_share<T> * (term + largest);
    return has_digits ? value : search(row, own_column);
  }

  __attribute__((noinline)) T search(const T* row, std::int64_t own_column) const {
    T least = std::numeric_limits<T>::infinity();
    for (std::int64_t first = 0; first < Y.n_columns; first += lanes<T>) {
      const Vec<T> squared = squared_distances_to_packed(row, packed_column(Y, first), Y.cols);
      for (int lane = 0; lane < lanes<T> && first + lane < Y.n_columns; ++lane)
        if (first + lane != own_column && squared[lane] < least) least = squared[lane];
    }
    return metric.finish == Finish::cosine ? least / 2 : least;
  }
};

template <class T>
void own_and_other(const TileProblem<T>& problem, const OwnAndOtherOutput<T>& out) {
  walk(problem, FusedDot<T>{problem.Y}, OwnAndOtherEnding<T>{problem.Y, problem.metric, out});
}

// The m smallest of one row, sorted; columns come in rising order, so equal values keep the lowest index.
template <class T>
struct ListOfRow {
  T* values;
  std::int32_t* indices;
  std::int64_t length;

  void clear() const {
    for (std::int64_t i = 0; i < length; ++i) {
      values[i] = std::numeric_limits<T>::infinity();
      indices[i] = -1;
    }
  }

  T last() const { return values[length - 1]; }

  void insert(T value, std::int64_t column) const {
    std::int64_t at = length - 1;
    for (; at > 0 && values[at - 1] > value; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = static_cast<std::int32_t>(column);
  }
};

template <class T>
COTERIE_INLINE ListOfRow<T> list_of(const SmallestOutput<T>& out, std::int64_t row) {
  return {out.value + row * out.m, out.index + row * out.m, out.m};
}

// Values beyond the limits cannot belong to the lists; rows that only fill a strip have none.
template <class T>
struct Limits {
  Vec<T> of[strip_rows];

  COTERIE_INLINE void begin(int count) {
    for (int r = 0; r < strip_rows; ++r)
      of[r] = broadcast(r < count ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
  }

  // Calls take(r, values, first column, lanes), which returns the row's new limit, where some lane is below the old one.
  template <class Take>
  COTERIE_INLINE void consume(const Block<T>& values, std::int64_t panel, const Take& take) {
    for (int r = 0; r < strip_rows; ++r) {
      for (int v = 0; v < panel_vectors; ++v) {
        const std::uint32_t smaller = lane_bits<T>(values.value[r][v] < of[r]);
        if (__builtin_expect(smaller == 0, 1)) continue;
        of[r] = broadcast(take(r, values.value[r][v], panel * panel_width<T> + v * lanes<T>, smaller));
      }
    }
  }
};

// The m smallest by the values of the kernel.
template <class T>
struct SmallestEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  SmallestOutput<T> out;
  using State = Limits<T>;
  static constexpr bool needs_terms = true;

  void begin(State& state, const Strip<T>& strip) const {
    state.begin(strip.count);
    for (int r = 0; r < strip.count; ++r) list_of(out, strip.first_row + r).clear();
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    state.consume(values, panel, [&](int r, Vec<T> found, std::int64_t first, std::uint32_t smaller) {
      const std::int64_t row = strip.first_row + r;
      const ListOfRow<T> list = list_of(out, row);
      for (; smaller != 0; smaller &= smaller - 1) {
        const int lane = __builtin_ctz(smaller);
        if (out.skip_same_index && first + lane == row) continue;
        if (found[lane] < list.last()) list.insert(found[lane], first + lane);
      }
      return list.last();
    });
  }

  void end(const State&, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const ListOfRow<T> list = list_of(out, strip.first_row + r);
      for (std::int64_t i = 0; i < out.m && list.indices[i] >= 0; ++i)
        list.values[i] = finish_one(metric, Y, list.values[i], strip.rows.row[r], strip.term[r], list.indices[i]);
    }
  }
};

// The m smallest by difference: near-duplicates far from the origin come in the right order. More columns than m are kept by the
// values of the dot kernel; those within its error of the m-th are computed again and compared. Where even more are as near,
// the row is searched again.
template <class T>
struct SmallestByDifferenceEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  SmallestOutput<T> out;
  std::int64_t n_kept, n_block;  // columns kept of a row, rows of a block
  T* kept_values;                // threads x n_block x n_kept
  std::int32_t* kept_indices;    // the same
  T largest = largest_term(Y);
  static constexpr bool needs_terms = true;

  struct State {
    Limits<T> limits;
    T dropped[strip_rows];  // the least value that was below a limit and found no place
  };

  COTERIE_INLINE ListOfRow<T> kept_of(const Strip<T>& strip, int r) const {
    const std::int64_t at = (strip.thread * n_block + (strip.first_row + r) % n_block) * n_kept;
    return {kept_values + at, kept_indices + at, n_kept};
  }

  COTERIE_INLINE T limit_of(const Strip<T>& strip, int r, T last) const {
    return last + 2 * raw_error(metric, Y.cols, strip.term[r], largest);
  }

  void begin(State& state, const Strip<T>& strip) const {
    state.limits.begin(strip.count);
    for (int r = 0; r < strip.count; ++r) {
      state.dropped[r] = std::numeric_limits<T>::infinity();
      kept_of(strip, r).clear();
      list_of(out, strip.first_row + r).clear();
    }
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    state.limits.consume(values, panel, [&](int r, Vec<T> found, std::int64_t first, std::uint32_t smaller) {
      return take(state, strip, r, found, first, smaller);
    });
  }

  T take(State& state, const Strip<T>& strip, int r, Vec<T> found, std::int64_t first, std::uint32_t smaller) const {
    const ListOfRow<T> kept = kept_of(strip, r);
    for (; smaller != 0; smaller &= smaller - 1) {
      const int lane = __builtin_ctz(smaller);
      if (first + lane >= Y.n_columns || (out.skip_same_index && first + lane == strip.first_row + r)) continue;
      const T falls = found[lane] < kept.last() ? kept.last() : found[lane];
      if (falls < state.dropped[r]) state.dropped[r] = falls;
      if (found[lane] < kept.last()) kept.insert(found[lane], first + lane);
    }
    return limit_of(strip, r, kept.values[out.m - 1]);
  }

  void end(const State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const ListOfRow<T> kept = kept_of(strip, r), list = list_of(out, strip.first_row + r);
      const T limit = limit_of(strip, r, kept.values[out.m - 1]);
      if (state.dropped[r] <= limit && state.dropped[r] < std::numeric_limits<T>::infinity())
        search(strip, r, list);
      else
        compare(strip.rows.row[r], kept, limit, list);
      if (metric.finish != Finish::norm) continue;
      for (std::int64_t i = 0; i < out.m; ++i) list.values[i] = std::sqrt(list.values[i]);
    }
  }

  // The kept columns within the limit, by difference; among equals the lowest index first.
  void compare(const T* row, const ListOfRow<T>& kept, T limit, const ListOfRow<T>& list) const {
    for (std::int64_t i = 0; i < n_kept && kept.indices[i] >= 0; ++i) {
      if (!(kept.values[i] <= limit)) break;
      const T value = recomputed(metric, Y, row, kept.indices[i]);
      std::int64_t at = out.m;
      for (; at > 0; --at) {
        const bool is_before = list.values[at - 1] < value ||
                               (list.values[at - 1] == value && list.indices[at - 1] >= 0 && list.indices[at - 1] < kept.indices[i]);
        if (is_before) break;
        if (at == out.m) continue;
        list.values[at] = list.values[at - 1];
        list.indices[at] = list.indices[at - 1];
      }
      if (at == out.m) continue;
      list.values[at] = value;
      list.indices[at] = kept.indices[i];
    }
  }

  // All columns by difference.
  __attribute__((noinline)) void search(const Strip<T>& strip, int r, const ListOfRow<T>& list) const {
    const std::int64_t row = strip.first_row + r;
    const T share = metric.finish == Finish::cosine ? T(0.5) : T(1);
    for (std::int64_t first = 0; first < Y.n_columns; first += lanes<T>) {
      const Vec<T> found = squared_distances_to_packed(strip.rows.row[r], packed_column(Y, first), Y.cols) * share;
      for (std::uint32_t smaller = lane_bits<T>(found < broadcast(list.last())); smaller != 0; smaller &= smaller - 1) {
        const int lane = __builtin_ctz(smaller);
        if (first + lane >= Y.n_columns || (out.skip_same_index && first + lane == row)) continue;
        if (found[lane] < list.last()) list.insert(found[lane], first + lane);
      }
    }
  }
};

template <class T>
void smallest(const TileProblem<T>& problem, const SmallestOutput<T>& out) {
  if (!is_recomputable(problem.metric)) return walk_ordered<T, SmallestEnding>(problem, out);
  const std::int64_t spare = out.m / 2 < 8 ? 8 : out.m / 2, all = problem.Y.n_columns;
  const std::int64_t n_kept = out.m + spare < all ? out.m + spare : (all < out.m ? out.m : all);
  const std::int64_t n_block = rows_per_block<T>(problem.X.cols), n_rows = resolve_threads(problem.threads) * n_block;
  const Scratch<T> values(n_rows * n_kept);
  const Scratch<std::int32_t> indices(n_rows * n_kept);
  walk(problem, FusedDot<T>{problem.Y},
       SmallestByDifferenceEnding<T>{problem.Y, problem.metric, out, n_kept, n_block, values.data(), indices.data()});
}

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
  kernels.own_and_other = own_and_other<T>;
  kernels.smallest = smallest<T>;
}

}  // namespace

void install_nearest(Engine& engine) {
  install_for(engine.float32.tiles);
  install_for(engine.float64.tiles);
}

}  // namespace coterie::COTERIE_ISA
