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
constexpr float failed_mark = -1.0f;

// Updates one row's bounds; true if its label is still certain.
COTERIE_INLINE bool is_settled(const ClusterDrift& drift, float& upper, float& lower) {
  upper = (upper + drift.moved) * round_up;
  const float left = lower - drift.others, outside = drift.beyond - upper;
  lower = (left < outside ? left : outside) * round_down;
  return upper <= (lower > drift.gap ? lower : drift.gap);
}

void scan_block(Range range, const ClusterDrift* drift, const RowBounds& bounds, std::int32_t* counts, float* largest_upper) {
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const std::int32_t label = bounds.label[i];
    float upper = bounds.upper[i], lower = bounds.lower[i];
    const bool settled = is_settled(drift[label], upper, lower);
    bounds.upper[i] = upper;
    bounds.lower[i] = settled ? (lower > 0 ? lower : 0.0f) : failed_mark;
    counts[label] += !settled;
    if (upper > largest_upper[label]) largest_upper[label] = upper;
  }
}

// Turns counts per (block, cluster) into where each block writes its rows of each cluster; returns the total.
std::int64_t place_blocks(std::int64_t n_blocks, std::int64_t n_clusters, const FailingRows& failing) {
  std::int64_t total = 0;
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster) {
    failing.starts[cluster] = total;
    for (std::int64_t block = 0; block < n_blocks; ++block) {
      std::int32_t& cell = failing.block_counts[block * n_clusters + cluster];
      const std::int32_t count = cell;
      cell = static_cast<std::int32_t>(total);
      total += count;
    }
  }
  failing.starts[n_clusters] = total;
  return total;
}

std::int64_t find_failing(std::int64_t n, std::int64_t n_clusters, const ClusterDrift* drift, const RowBounds& bounds,
                          const FailingRows& failing, int threads) {
  const std::int64_t n_blocks = block_count(n, failing.block);
  const int team = resolve_threads(threads);
  const Scratch<float> largest(team * n_clusters);
  for (std::int64_t i = 0; i < team * n_clusters; ++i) largest[i] = 0;
  for (std::int64_t i = 0; i < n_blocks * n_clusters; ++i) failing.block_counts[i] = 0;
  parallel_for(n_blocks, team, [&](std::int64_t task, int thread) {
    scan_block(block_range(n, failing.block, task), drift, bounds, failing.block_counts + task * n_clusters,
               largest.data() + thread * n_clusters);
  });
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster) {
    failing.largest_upper[cluster] = 0;
    for (int thread = 0; thread < team; ++thread) {
      const float upper = largest[thread * n_clusters + cluster];
      if (upper > failing.largest_upper[cluster]) failing.largest_upper[cluster] = upper;
    }
  }
  const std::int64_t total = place_blocks(n_blocks, n_clusters, failing);
  if (total == 0) return 0;
  parallel_for(n_blocks, team, [&](std::int64_t task, int) {
    const Range range = block_range(n, failing.block, task);
    std::int32_t* next = failing.block_counts + task * n_clusters;
    for (std::int64_t i = range.begin; i < range.end; ++i)
      if (bounds.lower[i] == failed_mark) failing.rows[next[bounds.label[i]]++] = static_cast<std::int32_t>(i);
  });
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
  const std::int32_t old = context.bounds.label[index];
  if (old == first.index) return;
  const double weight = context.data.weights == nullptr ? 1.0 : context.data.weights[index];
  move_row(context.sums, context.units, old, first.index, row, weight);
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
      for (int r = 0; r < strip_rows; ++r) {
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

template <class T>
void settle_rows(SettleContext<T>& context, const Candidates<T>& columns, const std::int32_t* indices, std::int64_t n, T* buffer) {
  const std::int64_t cols = context.data.X.cols;
  for (std::int64_t first = 0; first < n; first += strip_rows) {
    StripRows<T> strip;
    const int count = static_cast<int>(n - first < strip_rows ? n - first : strip_rows);
    for (int r = 0; r < strip_rows; ++r) {
      const std::int64_t at = first + (r < count ? r : count - 1);
      const std::int64_t ahead = at + 2 * strip_rows < n ? at + 2 * strip_rows : n - 1;
      __builtin_prefetch(context.data.X.row(indices[ahead]));
      T* to = buffer + r * cols;
      const T* from = context.data.X.row(indices[at]);
      for (std::int64_t t = 0; t < cols; ++t) to[t] = from[t] - context.data.shift[t];
      strip.row[r] = to;
    }
    settle_strip(context, columns, strip, count, indices + first);
  }
}

// Packs the listed centres; their start values are those of the global pack, so equal pairs give equal bits.
template <class T>
struct CandidatePack {
  Scratch<T> panels, start;
  Scratch<LaneIndex<T>> ids;
  Scratch<Neighbour> neighbours;

  CandidatePack(std::int64_t n_clusters, std::int64_t cols)
      : panels(padded(n_clusters) * cols), start(padded(n_clusters)), ids(padded(n_clusters)), neighbours(padded(n_clusters)) {}

  static std::int64_t padded(std::int64_t n) { return block_count(n, panel_width<T>) * panel_width<T>; }

  Candidates<T> around(std::int32_t cluster, float reach, const float* between, const PackedColumns<T>& centres,
                       const MatrixView<T>& rows) {
    Candidates<T> result{panels.data(), start.data(), ids.data(), neighbours.data(), 0, 0, 0};
    result.count = list_neighbours(between + cluster * rows.rows, rows.rows, cluster, reach, neighbours.data(), &result.beyond);
    result.n_panels = block_count(result.count, panel_width<T>);
    for (std::int64_t j = 0; j < result.n_panels * panel_width<T>; ++j) {
      T* to = panels.data() + (j / panel_width<T>) * rows.cols * panel_width<T> + j % panel_width<T>;
      const bool is_real = j < result.count;
      const std::int64_t centre = is_real ? neighbours[j].centre : 0;
      ids[j] = is_real ? static_cast<LaneIndex<T>>(centre) : std::numeric_limits<std::int32_t>::max();
      start[j] = is_real ? centres.start[centre] : std::numeric_limits<T>::infinity();
      for (std::int64_t t = 0; t < rows.cols; ++t) to[t * panel_width<T>] = is_real ? rows.row(centre)[t] : T(0);
    }
    return result;
  }

  Candidates<T> everything(const PackedColumns<T>& centres) {
    for (std::int64_t j = 0; j < centres.n_panels * panel_width<T>; ++j) ids[j] = static_cast<LaneIndex<T>>(j);
    return {centres.panels, centres.start, ids.data(), nullptr, centres.n_columns, centres.n_panels,
            std::numeric_limits<float>::infinity()};
  }
};

// A run of failing rows of one cluster.
struct SettleTask {
  std::int32_t cluster;
  std::int64_t begin, end;
};

std::int64_t list_tasks(const FailingRows& failing, std::int64_t n_clusters, SettleTask* tasks) {
  std::int64_t count = 0;
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster)
    for (std::int64_t begin = failing.starts[cluster]; begin < failing.starts[cluster + 1]; begin += rows_per_task) {
      const std::int64_t end = begin + rows_per_task < failing.starts[cluster + 1] ? begin + rows_per_task : failing.starts[cluster + 1];
      tasks[count++] = {static_cast<std::int32_t>(cluster), begin, end};
    }
  return count;
}

template <class T>
std::int64_t settle(const KMeansData<T>& data, const PackedColumns<T>& centres, const MatrixView<T>& centre_rows,
                    const float* between, const SumUnits& units, const RowBounds& bounds, const FailingRows& failing,
                    const ClusterSums& deltas) {
  const std::int64_t n_clusters = centre_rows.rows, total = failing.starts[n_clusters];
  const Scratch<SettleTask> tasks(n_clusters + block_count(total, rows_per_task));
  const std::int64_t n_tasks = list_tasks(failing, n_clusters, tasks.data());
  const Scratch<std::int64_t> changed(n_tasks);
  double largest_term = 0;
  for (std::int64_t j = 0; j < centres.n_columns; ++j)
    largest_term = centres.term[j] > largest_term ? static_cast<double>(centres.term[j]) : largest_term;
  parallel_for(n_tasks, data.threads, [&](std::int64_t t, int thread) {
    const SettleTask task = tasks[t];
    CandidatePack<T> pack(n_clusters, between == nullptr ? 0 : data.X.cols);
    const Scratch<T> buffer(strip_rows * data.X.cols);
    float reach = 0;
    for (std::int64_t i = task.begin; i < task.end; ++i)
      reach = bounds.upper[failing.rows[i]] > reach ? bounds.upper[failing.rows[i]] : reach;
    const Candidates<T> columns = between == nullptr
                                      ? pack.everything(centres)
                                      : pack.around(task.cluster, 2 * reach * round_up, between, centres, centre_rows);
    SettleContext<T> context{data, units, bounds, sums_of_thread(deltas, thread), largest_term, 0};
    settle_rows(context, columns, failing.rows + task.begin, task.end - task.begin, buffer.data());
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
