// Lloyd's passes over all rows: every row meets every centre, with or without new bounds for Hamerly and Exponion; and the distances
// of rows to their own centres.
#include "engine.h"
#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/lloyd_few_columns.h"
#include "kmeans/two_nearest_centres.h"
#include "kmeans/update_sums.h"

namespace coterie::COTERIE_ISA {
namespace {

// Counters of different threads must not share a cache line.
constexpr std::int64_t counter_stride = 8;

template <class T>
COTERIE_INLINE double weight_of(const KMeansData<T>& data, std::int64_t row) {
  return data.weights == nullptr ? 1.0 : data.weights[row];
}

template <class T>
struct AssignOutput {
  const KMeansData<T>& data;
  const SumUnits& units;
  const ClusterSums& deltas;
  std::int32_t* labels;
  std::int64_t* changed;  // per thread

  COTERIE_INLINE void set(const Strip<T>& strip, int r, std::int64_t label) const {
    const std::int64_t row = strip.first_row + r;
    const std::int32_t old = labels[row];
    if (old == label) return;
    move_row(sums_of_thread(deltas, strip.thread), units, old, label, strip.rows.row[r], weight_of(data, row));
    labels[row] = static_cast<std::int32_t>(label);
    ++changed[strip.thread * counter_stride];
  }
};

template <class T>
struct AssignEnding {
  NearestEnding<T> nearest;
  AssignOutput<T> out;
  using State = typename NearestEnding<T>::State;
  static constexpr bool needs_terms = NearestEnding<T>::needs_terms;

  COTERIE_INLINE void begin(State& state, const Strip<T>& strip) const { nearest.begin(state, strip); }
  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    nearest.consume(state, strip, values, panel);
  }
  COTERIE_INLINE void end(const State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) out.set(strip, r, nearest.winner_of(state, strip, r).index);
  }
};

template <class T>
struct BoundsEnding {
  AssignOutput<T> out;
  RowBounds bounds;
  const PackedColumns<T>& centres;
  double largest_term;
  static constexpr bool needs_terms = true;

  using State = TwoNearestCentres<T>;

  COTERIE_INLINE void begin(State& state, const Strip<T>&) const { state.begin(); }
  COTERIE_INLINE void consume(State& state, const Strip<T>&, const Block<T>& values, std::int64_t panel) const {
    state.consume(values, panel);
  }
  COTERIE_INLINE void end(const State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r) {
      const LaneWinner<T> first = state.first(r);
      const std::int64_t row = strip.first_row + r;
      const BoundedNearest found = bounded_nearest(centres, strip.rows.row[r], static_cast<double>(strip.term[r]), largest_term, first,
                                                   state.second_value(r, first));
      bounds.upper[row] = found.upper;
      bounds.lower[row] = found.lower;
      out.set(strip, r, found.index);
    }
  }
};

std::int64_t total_of(const Scratch<std::int64_t>& counters, int threads) {
  std::int64_t total = 0;
  for (int thread = 0; thread < threads; ++thread) total += counters[thread * counter_stride];
  return total;
}

template <class T, class MakeEnding>
std::int64_t run(const KMeansData<T>& data, const PackedColumns<T>& centres, const MakeEnding& make_ending) {
  const int threads = resolve_threads(data.threads);
  const Scratch<std::int64_t> changed(threads * counter_stride);
  for (int i = 0; i < threads * counter_stride; ++i) changed[i] = 0;
  const TileProblem<T> problem{data.X, data.shift, centres, squared_metric, threads};
  walk(problem, FusedDot<T>{problem.Y}, make_ending(changed.data()));
  return total_of(changed, threads);
}

template <class T>
std::int64_t assign_narrow(const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units, std::int32_t* labels,
                           const ClusterSums& deltas) {
  const int threads = resolve_threads(data.threads);
  const Scratch<std::int64_t> changed(threads * counter_stride);
  for (int i = 0; i < threads * counter_stride; ++i) changed[i] = 0;
  const std::int64_t n = data.X.rows;
  parallel_for(block_count(n, narrow_rows_per_task), threads, [&](std::int64_t task, int thread) {
    const Range range = block_range(n, narrow_rows_per_task, task);
    changed[thread * counter_stride] += assign_narrow_range(data, centres, units, range, labels, sums_of_thread(deltas, thread));
  });
  return total_of(changed, threads);
}

template <class T>
std::int64_t assign(const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units, std::int32_t* labels,
                    const ClusterSums& deltas) {
  if (data.X.cols <= most_narrow_columns) return assign_narrow(data, centres, units, labels, deltas);
  return run(data, centres, [&](std::int64_t* changed) {
    return AssignEnding<T>{{centres, squared_metric, {nullptr, nullptr}}, {data, units, deltas, labels, changed}};
  });
}

template <class T>
std::int64_t assign_with_bounds(const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units,
                                const RowBounds& bounds, const ClusterSums& deltas) {
  return run(data, centres, [&](std::int64_t* changed) {
    return BoundsEnding<T>{{data, units, deltas, bounds.label, changed}, bounds, centres, largest_column_term(centres)};
  });
}

template <class T>
void move(const KMeansData<T>& data, const SumUnits& units, std::int64_t row, std::int32_t to, std::int32_t* labels,
          const ClusterSums& deltas) {
  const Scratch<T> loaded(data.X.cols);
  const MatrixView<T> one = load_rows(data.X, data.shift, {row, row + 1}, loaded.data());
  move_row(deltas, units, labels[row], to, one.row(0), weight_of(data, row));
  labels[row] = to;
}

template <class T>
double own_distances(const KMeansData<T>& data, const MatrixView<T>& centre_rows, const std::int32_t* labels, T* out) {
  constexpr std::int64_t block = 1024;  // fixed: the sum must not depend on the thread count
  const std::int64_t n = data.X.rows, cols = data.X.cols, n_blocks = block_count(n, block);
  const Scratch<double> sums(n_blocks);
  parallel_for(n_blocks, data.threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, block, task);
    double sum = 0;
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const T *row = data.X.row(i), *centre = centre_rows.row(labels[i]), *shift = data.shift;
      const T squared =
          sum_of_squares<T>(cols, [=](std::int64_t t) __attribute__((always_inline)) { return (row[t] - shift[t]) - centre[t]; });
      if (out != nullptr) out[i] = squared;
      sum += weight_of(data, i) * static_cast<double>(squared);
    }
    sums[task] = sum;
  });
  double total = 0;
  for (std::int64_t task = 0; task < n_blocks; ++task) total += sums[task];
  return total;
}

template <class T>
void install_for(KMeansKernels<T>& kernels) {
  kernels.assign = assign<T>;
  kernels.assign_with_bounds = assign_with_bounds<T>;
  kernels.move = move<T>;
  kernels.own_distances = own_distances<T>;
}

}  // namespace

void install_lloyd_pass(Engine& engine) {
  install_for(engine.float32.kmeans);
  install_for(engine.float64.kmeans);
}

}  // namespace coterie::COTERIE_ISA
