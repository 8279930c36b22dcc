// A Hamerly pass: rows in their order, two bounds each. Rows whose bounds fail are tried by the distance to their own centre, then by
// the centres that moved most, and meet all centres at last. Also for Exponion, when its balls hold most of the centres.
#include "engine.h"
#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/bounds/hamerly_levels.h"
#include "kmeans/own_distance.h"
#include "kmeans/two_nearest_centres.h"
#include "kmeans/update_sums.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t rows_per_task = 256 * strip_rows;

template <class T>
struct HamerlyContext {
  const KMeansData<T>& data;
  const HamerlyWork<T>& work;
  const SumUnits& units;
  const RowBounds& bounds;
  ClusterSums sums;  // of this thread
  double largest_term;
  std::int64_t changed;
};

// Rows of a task whose bounds fail, few enough to stay in the second-level cache once they are fetched.
struct FailingList {
  Scratch<std::int32_t> rows;
  std::int64_t count = 0;

  FailingList() : rows(rows_per_task) {}
  COTERIE_INLINE void add(std::int64_t row) { rows[count++] = static_cast<std::int32_t>(row); }
};

// Brings the bounds of a range up to date; the lower bounds of failing rows stay as they were. No branches, for the compiler to
// use vectors.
template <class T>
void drift_bounds(const HamerlyContext<T>& context, Range range, std::uint8_t* is_failing) {
  const ClusterDrift* drift = context.work.drift;
  const std::int32_t* label = context.bounds.label + range.begin;
  float *upper = context.bounds.upper + range.begin, *lower = context.bounds.lower + range.begin;
  const std::int64_t n = range.size();
  for (std::int64_t i = 0; i < n; ++i) {
    const ClusterDrift& moves = drift[label[i]];
    const float now = (upper[i] + moves.moved) * round_up;
    const float left = lower[i] - moves.others, outside = moves.beyond - now;
    const float bound = (outside < left ? outside : left) * round_down;  // in this order: inf - inf is not a bound
    const float safe = bound > moves.gap ? bound : moves.gap;
    upper[i] = now;
    is_failing[i] = now > safe ? 1 : 0;
    lower[i] = now > safe ? lower[i] : bound > 0 ? bound : 0.0f;
  }
}

template <class T>
void list_failing(const HamerlyContext<T>& context, Range range, const std::uint8_t* is_failing, FailingList& failing) {
  const auto bytes = context.data.X.cols * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < range.size(); ++i) {
    if (!is_failing[i]) continue;
    failing.add(range.begin + i);
    const auto* row = reinterpret_cast<const char*>(context.data.X.row(range.begin + i));
    for (std::int64_t byte = 0; byte < bytes && byte < 512; byte += 64) __builtin_prefetch(row + byte);
  }
}

// Keeps the rows that are not settled by the distance to their own centre, and writes down how many centres each should meet.
template <class T>
void test_own_distances(const HamerlyContext<T>& context, FailingList& failing, std::uint8_t* level) {
  const HamerlyLevels& levels = context.work.levels;
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < failing.count; ++i) {
    const std::int32_t index = failing.rows[i], label = context.bounds.label[index];
    const ClusterDrift& moves = context.work.drift[label];
    const float own = own_distance(context.data, context.work.centre_rows.row(label), context.largest_term, index);
    const float lower = context.bounds.lower[index], left = lower - moves.others, outside = moves.beyond - own;
    const float bound = (outside < left ? outside : left) * round_down;
    context.bounds.upper[index] = own;
    if (own <= moves.gap || own <= bound) {
      context.bounds.lower[index] = bound > 0 ? bound : 0.0f;
    } else {
      failing.rows[kept] = index;
      level[kept++] = static_cast<std::uint8_t>(levels.choose(lower - own));
    }
  }
  failing.count = kept;
}

// Sorts the rows by level; `starts` has one more entry than there are levels.
void sort_by_level(const FailingList& failing, const std::uint8_t* level, int n_levels, std::int64_t* starts, std::int32_t* sorted) {
  for (int l = 0; l <= n_levels; ++l) starts[l] = 0;
  for (std::int64_t i = 0; i < failing.count; ++i) ++starts[level[i] + 1];
  for (int l = 0; l < n_levels; ++l) starts[l + 1] += starts[l];
  std::int64_t next[HamerlyLevels::capacity];
  for (int l = 0; l < n_levels; ++l) next[l] = starts[l];
  for (std::int64_t i = 0; i < failing.count; ++i) sorted[next[level[i]]++] = failing.rows[i];
}

// The two least values of each row of a strip, wherever they stand.
template <class T>
struct LeastValues {
  Vec<T> best[strip_rows], next[strip_rows];

  COTERIE_INLINE LeastValues() {
    for (int r = 0; r < strip_rows; ++r) best[r] = next[r] = broadcast(std::numeric_limits<T>::infinity());
  }

  COTERIE_INLINE void meet(const StripRows<T>& rows, const PackedColumns<T>& centres, std::int64_t n_panels, std::int64_t cols) {
    for (std::int64_t q = 0; q < n_panels; ++q) {
      Block<T> values;
      dot_block<T>(rows, centres.panels + q * cols * panel_width<T>, centres.start + q * panel_width<T>, cols, values);
      for (int r = 0; r < strip_rows; ++r)
        for (int v = 0; v < panel_vectors; ++v) {
          next[r] = minimum<T>(next[r], maximum<T>(values.value[r][v], best[r]));
          best[r] = minimum<T>(values.value[r][v], best[r]);
        }
    }
  }

  // Of values that are not the least, the least; equal to it if it stands in several lanes.
  COTERIE_INLINE T second(int r, T first) const {
    const Mask<T> is_first = best[r] == broadcast(first);
    if ((lane_bits<T>(is_first) & (lane_bits<T>(is_first) - 1)) != 0) return first;
    return smallest_lane<T>(select<T>(is_first, next[r], best[r]));
  }
};

// Takes the centres that a strip's row has met into account; returns whether its bounds fail still. If the own centre was met, the
// second least value bounds the others: were the least another's, the second would be no farther than the own and the row would fail.
template <class T>
COTERIE_INLINE bool include_met(const HamerlyContext<T>& context, const HamerlyLevel& level, const LeastValues<T>& found, int r,
                                const T* row, std::int64_t index) {
  const std::int32_t label = context.bounds.label[index];
  const std::int64_t cols = context.data.X.cols;
  const double term = static_cast<double>(squared_length(row, cols)), error = squared_error<T>(cols, term, context.largest_term);
  const float upper = context.bounds.upper[index], left = (context.bounds.lower[index] - level.missed) * round_down;
  T nearest = smallest_lane<T>(found.best[r]);
  if (context.work.column_of[label] < level.panels * panel_width<T>) nearest = found.second(r, nearest);
  const float near = lower_distance(term + 2 * static_cast<double>(nearest), error);
  const float lower = near < left ? near : left;
  context.bounds.lower[index] = lower > 0 ? lower : 0.0f;
  return upper > lower && upper > context.work.drift[label].gap;
}

// Lets rows meet the centres of a level; those whose bounds fail still are added to `rest`.
template <class T>
void meet_some(const HamerlyContext<T>& context, const HamerlyLevel& level, GatheredStrip<T>& strip, const std::int32_t* rows,
               int count, FailingList& rest) {
  for (int r = 0; r < count; ++r) strip.load(context.data, r, rows[r]);
  LeastValues<T> found;
  found.meet(strip.rows, context.work.sorted, level.panels, context.data.X.cols);
  for (int r = 0; r < count; ++r)
    if (include_met(context, level, found, r, strip.rows.row[r], rows[r])) rest.add(rows[r]);
}

template <class T>
void meet_all(HamerlyContext<T>& context, GatheredStrip<T>& strip, const std::int32_t* rows, int count) {
  const PackedColumns<T>& centres = context.work.centres;
  const std::int64_t cols = context.data.X.cols;
  for (int r = 0; r < count; ++r) strip.load(context.data, r, rows[r]);
  TwoNearestCentres<T> state;
  state.begin();
  for (std::int64_t q = 0; q < centres.n_panels; ++q) {
    Block<T> values;
    dot_block<T>(strip.rows, centres.panels + q * cols * panel_width<T>, centres.start + q * panel_width<T>, cols, values);
    state.consume(values, q);
  }
  for (int r = 0; r < count; ++r) {
    const std::int64_t index = rows[r];
    const T* row = strip.rows.row[r];
    const LaneWinner<T> first = state.first(r);
    const double term = static_cast<double>(squared_length(row, cols));
    const BoundedNearest found = bounded_nearest(centres, row, term, context.largest_term, first, state.second_value(r, first));
    std::int32_t& label = context.bounds.label[index];
    context.bounds.upper[index] = found.upper;
    context.bounds.lower[index] = found.lower;
    if (label == found.index) continue;
    const double weight = context.data.weights == nullptr ? 1.0 : context.data.weights[index];
    move_row(context.sums, context.units, label, found.index, row, weight);
    label = static_cast<std::int32_t>(found.index);
    ++context.changed;
  }
}

// Calls body(rows, count) for one strip of rows after the other.
template <class Body>
COTERIE_INLINE void for_strips(const std::int32_t* rows, std::int64_t count, Body body) {
  for (std::int64_t first = 0; first < count; first += strip_rows) {
    const std::int64_t left = count - first;
    body(rows + first, static_cast<int>(left < strip_rows ? left : strip_rows));
  }
}

template <class T>
void hamerly_range(HamerlyContext<T>& context, Range range) {
  const HamerlyLevels& levels = context.work.levels;
  const Scratch<std::uint8_t> is_failing(rows_per_task), level(rows_per_task);
  const Scratch<std::int32_t> sorted(rows_per_task);
  std::int64_t starts[HamerlyLevels::capacity + 1];
  GatheredStrip<T> strip(context.data.X.cols);
  FailingList failing, rest;
  drift_bounds(context, range, is_failing.data());
  list_failing(context, range, is_failing.data(), failing);
  test_own_distances(context, failing, level.data());
  sort_by_level(failing, level.data(), levels.count, starts, sorted.data());
  for (std::int64_t i = starts[levels.all()]; i < failing.count; ++i) rest.add(sorted[i]);
  for (int l = 0; l < levels.all(); ++l)
    for_strips(sorted.data() + starts[l], starts[l + 1] - starts[l],
               [&](const std::int32_t* rows, int count) { meet_some(context, levels.levels[l], strip, rows, count, rest); });
  for_strips(rest.rows.data(), rest.count, [&](const std::int32_t* rows, int count) { meet_all(context, strip, rows, count); });
}

template <class T>
std::int64_t hamerly_pass(const KMeansData<T>& data, const HamerlyWork<T>& work, const SumUnits& units, const RowBounds& bounds,
                          const ClusterSums& deltas) {
  const std::int64_t n_tasks = block_count(data.X.rows, rows_per_task);
  const Scratch<std::int64_t> changed(n_tasks);
  const double largest_term = largest_column_term(work.centres);
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int thread) {
    HamerlyContext<T> context{data, work, units, bounds, sums_of_thread(deltas, thread), largest_term, 0};
    hamerly_range(context, block_range(data.X.rows, rows_per_task, task));
    changed[task] = context.changed;
  });
  std::int64_t moved = 0;
  for (std::int64_t task = 0; task < n_tasks; ++task) moved += changed[task];
  return moved;
}

}  // namespace

void install_hamerly_pass(Engine& engine) {
  engine.float32.kmeans.hamerly_pass = hamerly_pass<float>;
  engine.float64.kmeans.hamerly_pass = hamerly_pass<double>;
}

}  // namespace coterie::COTERIE_ISA
