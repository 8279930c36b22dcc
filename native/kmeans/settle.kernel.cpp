// Accelerated iterations: which rows may have changed their nearest centre, and what it is now.
//
// Hamerly's two bounds per row; the rows that fail are sorted by their label, so that the rows of one cluster meet only the
// centres around it (Newling and Fleuret's ball), packed once, in tiles.
#include "engine.h"
#include "kmeans/bounds.h"
#include "kmeans/exact_sums.h"
#include "kmeans/neighbours.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t rows_per_task = 1536;

// Updates one row's bounds; true if its label is still certain.
COTERIE_INLINE bool is_settled(const ClusterDrift& drift, float& upper, float& lower) {
  upper = (upper + drift.moved) * round_up;
  const float left = lower - drift.others, outside = drift.beyond - upper;
  lower = (left < outside ? left : outside) * round_down;
  return upper <= (lower > drift.gap ? lower : drift.gap);
}

// Counts a block's failing rows per cluster (into starts[cluster + 1]) and marks them.
std::int64_t mark_failing(Range range, const ClusterDrift* drift, const RowBounds& bounds, std::int32_t* starts, float* largest,
                          float* failing) {
  std::int64_t total = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const std::int32_t label = bounds.label[i];
    float upper = bounds.upper[i], lower = bounds.lower[i];
    const bool settled = is_settled(drift[label], upper, lower);
    bounds.upper[i] = upper;
    bounds.lower[i] = lower > 0 ? lower : 0.0f;
    if (upper > largest[label]) largest[label] = upper;
    if (settled) continue;
    bounds.upper[i] = -upper;  // the mark
    ++starts[label + 1];
    ++total;
    if (upper > failing[label]) failing[label] = upper;
  }
  return total;
}

void sort_failing(Range range, const RowBounds& bounds, std::int64_t n_clusters, std::int32_t* starts, std::int32_t* rows) {
  const Scratch<std::int32_t> next(n_clusters);
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster) {
    next[cluster] = starts[cluster];
    starts[cluster + 1] += starts[cluster];
  }
  for (std::int64_t i = range.begin; i < range.end; ++i)
    if (bounds.upper[i] < 0) {
      bounds.upper[i] = -bounds.upper[i];
      rows[next[bounds.label[i]]++] = static_cast<std::int32_t>(i);
    }
}

// Largest over the threads, cluster by cluster.
void reduce_largest(const float* of_threads, int threads, std::int64_t n_clusters, float* out) {
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster) {
    out[cluster] = 0;
    for (int thread = 0; thread < threads; ++thread)
      if (of_threads[thread * n_clusters + cluster] > out[cluster]) out[cluster] = of_threads[thread * n_clusters + cluster];
  }
}

std::int64_t find_failing(std::int64_t n, std::int64_t n_clusters, const ClusterDrift* drift, const RowBounds& bounds,
                          const FailingRows& failing, int threads) {
  const std::int64_t n_blocks = block_count(n, failing.block);
  const int team = resolve_threads(threads);
  const Scratch<float> largest(team * n_clusters), largest_failing(team * n_clusters);
  const Scratch<std::int64_t> counts(n_blocks);
  for (std::int64_t i = 0; i < team * n_clusters; ++i) largest[i] = largest_failing[i] = 0;
  parallel_for(n_blocks, team, [&](std::int64_t task, int thread) {
    const Range range = block_range(n, failing.block, task);
    std::int32_t* starts = failing.starts + task * (n_clusters + 1);
    for (std::int64_t cluster = 0; cluster <= n_clusters; ++cluster) starts[cluster] = 0;
    counts[task] = mark_failing(range, drift, bounds, starts, largest.data() + thread * n_clusters,
                                largest_failing.data() + thread * n_clusters);
    if (counts[task] > 0) sort_failing(range, bounds, n_clusters, starts, failing.rows + range.begin);
  });
  reduce_largest(largest.data(), team, n_clusters, failing.largest_upper);
  reduce_largest(largest_failing.data(), team, n_clusters, failing.failing_upper);
  std::int64_t total = 0;
  for (std::int64_t task = 0; task < n_blocks; ++task) total += counts[task];
  return total;
}

// Columns that the rows of one cluster meet: all centres in their order, or those around its centre, nearest first.
template <class T>
struct Candidates {
  const T* panels;
  const T* start;
  const LaneIndex<T>* ids;         // centre of each packed column
  const Neighbour* neighbours;     // null: all centres, no order
  std::int64_t count;
  std::int64_t n_panels;
  float beyond;                    // distance of the nearest centre that is not among them
};

template <class T>
struct SettleContext {
  const KMeansData<T>& data;
  const SumUnits& units;
  const RowBounds& bounds;
  ClusterSums sums;  // of this thread
  std::int32_t cluster;  // that the rows belong to
  float gap;             // half the distance of its centre to the nearest other one
  const T* centre;
  double largest_term;
  std::int64_t changed;
};

template <class T>
struct SettleState {
  Vec<T> best[strip_rows], second[strip_rows];
  Mask<T> at[strip_rows];
};

// As BoundsEnding, but columns come in any order: equal values go to the lowest id.
template <class T>
COTERIE_INLINE void take_panel(SettleState<T>& state, const Block<T>& values, const LaneIndex<T>* ids) {
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
COTERIE_INLINE void settle_row(SettleContext<T>& context, const SettleState<T>& state, int r, const T* row, double term,
                               std::int64_t index, float outside) {
  const LaneWinner<T> first = lowest_lane<T>(state.best[r], state.at[r]);
  const Mask<T> is_first = (state.at[r] == broadcast_index<T>(static_cast<LaneIndex<T>>(first.index))) &
                           (state.best[r] == broadcast(first.value));
  const LaneWinner<T> second = lowest_lane<T>(select<T>(is_first, state.second[r], state.best[r]), lane_numbers<T>());
  const double error = squared_error<T>(context.data.X.cols, term, context.largest_term);
  const float lower = lower_distance(term + 2 * static_cast<double>(second.value), error);
  context.bounds.upper[index] = upper_distance(term + 2 * static_cast<double>(first.value), error);
  context.bounds.lower[index] = lower < outside ? lower : (outside > 0 ? outside : 0.0f);
  if (context.cluster == first.index) return;
  const double weight = context.data.weights == nullptr ? 1.0 : context.data.weights[index];
  move_row(context.sums, context.units, context.cluster, first.index, row, weight);
  context.bounds.label[index] = static_cast<std::int32_t>(first.index);
  ++context.changed;
}

// One strip of gathered rows against as many panels as its rows can reach.
template <class T>
COTERIE_INLINE void settle_strip(SettleContext<T>& context, const Candidates<T>& columns, const StripRows<T>& strip, int count,
                                 const std::int32_t* indices) {
  const std::int64_t cols = context.data.X.cols;
  double term[strip_rows];
  float own[strip_rows] = {};  // upper bound of the distance to the old centre
  SettleState<T> state;
  for (int r = 0; r < strip_rows; ++r) {
    term[r] = static_cast<double>(squared_length(strip.row[r], cols));
    state.best[r] = state.second[r] = broadcast(std::numeric_limits<T>::infinity());
    state.at[r] = Mask<T>{};
  }
  float reach = std::numeric_limits<float>::infinity();
  std::int64_t q = 0;
  for (; q < columns.n_panels; ++q) {
    if (q > 0 && columns.neighbours != nullptr && columns.neighbours[q * panel_width<T>].distance > reach) break;
    Block<T> values;
    dot_block<T>(strip, columns.panels + q * cols * panel_width<T>, columns.start + q * panel_width<T>, cols, values);
    if (q == 0 && columns.neighbours != nullptr) {
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

// Computes the distance of a row to its own centre; true if that already settles it. `own` becomes its upper bound.
template <class T>
COTERIE_INLINE bool is_settled_by_own_distance(const SettleContext<T>& context, std::int64_t index, float& own) {
  const std::int64_t cols = context.data.X.cols;
  const T *row = context.data.X.row(index), *shift = context.data.shift, *centre = context.centre;
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
  const double error = squared_error<T>(cols, static_cast<double>(term), context.largest_term);
  own = upper_distance(static_cast<double>(squared), error);
  const float lower = context.bounds.lower[index];
  if (own > (lower > context.gap ? lower : context.gap)) return false;
  context.bounds.upper[index] = own;
  return true;
}

// Rows that must meet other centres, sorted by how many panels they can reach: a strip works for its farthest row.
struct Waiting {
  std::int32_t row;
  std::int32_t n_panels;
};

template <class T>
COTERIE_INLINE std::int32_t panels_within(const Candidates<T>& columns, float reach) {
  if (columns.neighbours == nullptr) return static_cast<std::int32_t>(columns.n_panels);
  std::int32_t n = 1;
  while (n < columns.n_panels && columns.neighbours[n * panel_width<T>].distance <= reach) ++n;
  return n;
}

template <class T>
std::int64_t sort_waiting(const SettleContext<T>& context, const Candidates<T>& columns, const std::int32_t* indices, std::int64_t n,
                          Waiting* unsorted, std::int32_t* starts, std::int32_t* sorted) {
  constexpr std::int64_t lookahead = 16;
  for (std::int64_t p = 0; p <= columns.n_panels + 1; ++p) starts[p] = 0;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + lookahead < n) {
      const std::int64_t ahead = indices[i + lookahead];
      __builtin_prefetch(context.data.X.row(ahead));
      __builtin_prefetch(context.bounds.lower + ahead);
      __builtin_prefetch(context.bounds.upper + ahead);
    }
    float own;
    if (is_settled_by_own_distance(context, indices[i], own)) continue;
    const std::int32_t n_panels = panels_within(columns, 2 * own * round_up);
    unsorted[count++] = {indices[i], n_panels};
    ++starts[n_panels + 1];
  }
  for (std::int64_t p = 0; p <= columns.n_panels; ++p) starts[p + 1] += starts[p];
  for (std::int64_t i = 0; i < count; ++i) sorted[starts[unsorted[i].n_panels]++] = unsorted[i].row;
  return count;
}

template <class T>
void settle_rows(SettleContext<T>& context, const Candidates<T>& columns, const std::int32_t* rows, std::int64_t n, T* buffer) {
  const std::int64_t cols = context.data.X.cols;
  StripRows<T> strip;
  for (int r = 0; r < strip_rows; ++r) strip.row[r] = buffer + r * cols;
  for (std::int64_t first = 0; first < n; first += strip_rows) {
    const int count = static_cast<int>(n - first < strip_rows ? n - first : strip_rows);
    for (int r = 0; r < count; ++r) load_rows(context.data.X, context.data.shift, {rows[first + r], rows[first + r] + 1}, buffer + r * cols);
    settle_strip(context, columns, strip, count, rows + first);  // a short strip leaves old rows behind: never written back
  }
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
      T* to = panels.data() + (j / panel_width<T>) * rows.cols * panel_width<T> + j % panel_width<T>;
      const bool is_real = j < count;
      const std::int64_t centre = is_real ? near[j].centre : 0;
      ids[j] = is_real ? static_cast<LaneIndex<T>>(centre) : std::numeric_limits<std::int32_t>::max();
      start[j] = is_real ? centres.start[centre] : std::numeric_limits<T>::infinity();
      for (std::int64_t t = 0; t < rows.cols; ++t) to[t * panel_width<T>] = is_real ? rows.row(centre)[t] : T(0);
    }
    return {panels.data(), start.data(), ids.data(), near, count, padded(count) / panel_width<T>, all.beyond[cluster]};
  }

  Candidates<T> everything(const PackedColumns<T>& centres) {
    for (std::int64_t j = 0; j < centres.n_panels * panel_width<T>; ++j) ids[j] = static_cast<LaneIndex<T>>(j);
    return {centres.panels, centres.start, ids.data(), nullptr, centres.n_columns, centres.n_panels,
            std::numeric_limits<float>::infinity()};
  }
};

// A run of failing rows of one cluster in one block.
struct SettleTask {
  std::int32_t cluster;
  std::int64_t begin, end;
};

// Writes the tasks when `tasks` is given; returns their number.
std::int64_t list_tasks(const FailingRows& failing, std::int64_t n_blocks, std::int64_t n_clusters, SettleTask* tasks) {
  std::int64_t count = 0;
  for (std::int64_t block = 0; block < n_blocks; ++block) {
    const std::int32_t* starts = failing.starts + block * (n_clusters + 1);
    const std::int64_t offset = block * failing.block;
    for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster)
      for (std::int64_t begin = starts[cluster]; begin < starts[cluster + 1]; begin += rows_per_task, ++count) {
        const std::int64_t end = begin + rows_per_task < starts[cluster + 1] ? begin + rows_per_task : starts[cluster + 1];
        if (tasks != nullptr) tasks[count] = {static_cast<std::int32_t>(cluster), offset + begin, offset + end};
      }
  }
  return count;
}

template <class T>
std::int64_t settle(const KMeansData<T>& data, const PackedColumns<T>& centres, const MatrixView<T>& centre_rows,
                    const Neighbourhoods* around, const ClusterDrift* drift, const SumUnits& units, const RowBounds& bounds,
                    const FailingRows& failing, const ClusterSums& deltas) {
  const std::int64_t n_clusters = centre_rows.rows, n_blocks = block_count(data.X.rows, failing.block);
  const std::int64_t n_tasks = list_tasks(failing, n_blocks, n_clusters, nullptr);
  const Scratch<SettleTask> tasks(n_tasks);
  list_tasks(failing, n_blocks, n_clusters, tasks.data());
  const Scratch<std::int64_t> changed(n_tasks);
  double largest_term = 0;
  for (std::int64_t j = 0; j < centres.n_columns; ++j)
    largest_term = centres.term[j] > largest_term ? static_cast<double>(centres.term[j]) : largest_term;
  parallel_for(n_tasks, data.threads, [&](std::int64_t t, int thread) {
    const SettleTask task = tasks[t];
    const std::int64_t listed = around == nullptr ? n_clusters : around->starts[task.cluster + 1] - around->starts[task.cluster];
    CandidatePack<T> pack(listed, around == nullptr ? 0 : data.X.cols);
    const Scratch<T> buffer(strip_rows * data.X.cols);
    for (std::int64_t i = 0; i < strip_rows * data.X.cols; ++i) buffer[i] = 0;
    const Candidates<T> columns =
        around == nullptr ? pack.everything(centres) : pack.around(*around, task.cluster, centres, centre_rows);
    SettleContext<T> context{data,         units, bounds, sums_of_thread(deltas, thread), task.cluster, drift[task.cluster].gap,
                             centre_rows.row(task.cluster), largest_term, 0};
    const std::int64_t n = task.end - task.begin;
    const Scratch<Waiting> unsorted(n);
    const Scratch<std::int32_t> sorted(n), starts(columns.n_panels + 2);
    const std::int64_t waiting = sort_waiting(context, columns, failing.rows + task.begin, n, unsorted.data(), starts.data(), sorted.data());
    settle_rows(context, columns, sorted.data(), waiting, buffer.data());
    changed[t] = context.changed;
  });
  std::int64_t moved = 0;
  for (std::int64_t t = 0; t < n_tasks; ++t) moved += changed[t];
  return moved;
}

template <class T>
void install_for(KMeansKernels<T>& kernels) {
  kernels.find_failing = find_failing;
  kernels.settle = settle<T>;
}

}  // namespace

void install_kmeans_settle(Engine& engine) {
  install_for(engine.float32.kmeans);
  install_for(engine.float64.kmeans);
}

}  // namespace coterie::COTERIE_ISA
