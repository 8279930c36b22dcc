// Accelerated iterations where balls about centres hold most of the others: rows are taken in their order, and those whose
// bounds fail meet all centres. All in one pass: bounds, the centres that moved fast, the distance to the own centre, the rest.
#include "engine.h"
#include "kmeans/bounds.h"
#include "kmeans/exact_sums.h"
#include "kmeans/least_two.h"
#include "kmeans/own_distance.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t rows_per_task = 256 * strip_rows;

template <class T>
struct FollowContext {
  const KMeansData<T>& data;
  const FollowWork<T>& work;
  const SumUnits& units;
  const RowBounds& bounds;
  ClusterSums sums;  // of this thread
  double largest_term, largest_fast_term;
  std::int64_t changed;
};

// Rows of a task whose bounds fail, few enough to stay in the second-level cache once they are fetched.
struct FailingList {
  Scratch<std::int32_t> rows;
  std::int64_t count = 0;

  FailingList() : rows(rows_per_task) {}
};

// Brings the bounds of a range up to date, the fast centres left aside; no branches, for the compiler to use vectors.
template <class T>
void drift_bounds(const FollowContext<T>& context, Range range, std::uint8_t* is_failing) {
  const ClusterDrift* drift = context.work.drift;
  const std::int32_t* label = context.bounds.label + range.begin;
  float *upper = context.bounds.upper + range.begin, *lower = context.bounds.lower + range.begin;
  const std::int64_t n = range.size();
  for (std::int64_t i = 0; i < n; ++i) {
    const ClusterDrift& moves = drift[label[i]];
    const float now = (upper[i] + moves.moved) * round_up;
    const float left = lower[i] - moves.others, outside = moves.beyond - now;
    const float bound = (outside < left ? outside : left) * round_down;  // in this order: inf - inf is no bound
    const float safe = bound > moves.gap ? bound : moves.gap;
    upper[i] = now;
    lower[i] = bound > 0 ? bound : 0.0f;
    is_failing[i] = now > safe ? 1 : 0;
  }
}

// Takes the fast centres into account: what a strip's row found among them.
template <class T>
COTERIE_INLINE bool include_fast(const FollowContext<T>& context, const LeastTwo<T>& found, int r, const T* row, std::int64_t index) {
  const std::int32_t label = context.bounds.label[index];
  float upper = context.bounds.upper[index], lower = context.bounds.lower[index];
  const std::int64_t cols = context.data.X.cols, own_column = context.work.fast.column_of[label];
  const double term = static_cast<double>(squared_length(row, cols));
  const double error = squared_error<T>(cols, term, context.largest_fast_term);
  T nearest;
  if (own_column < 0) {
    nearest = smallest_lane<T>(found.best[r]);
  } else {
    const LaneWinner<T> first = found.first(r);
    const bool is_own = first.index == own_column;
    nearest = is_own ? found.second_value(r, first) : first.value;
    if (is_own) upper = upper_distance(term + 2 * static_cast<double>(first.value), error);
  }
  const double squared = term + 2 * static_cast<double>(nearest);
  if (!(squared - error > static_cast<double>(lower) * static_cast<double>(lower))) {  // spares most roots
    const float near = lower_distance(squared, error);
    lower = near < lower ? near : lower;
  }
  context.bounds.upper[index] = upper;
  context.bounds.lower[index] = lower;
  return upper > lower && upper > context.work.drift[label].gap;
}

template <class T>
void meet_fast(const FollowContext<T>& context, Range range, GatheredStrip<T>& strip, std::uint8_t* is_failing) {
  const std::int64_t cols = context.data.X.cols;
  const PackedColumns<T>& fast = context.work.fast.columns;
  for (std::int64_t first = range.begin; first < range.end; first += strip_rows) {
    const int count = static_cast<int>(range.end - first < strip_rows ? range.end - first : strip_rows);
    for (int r = 0; r < count; ++r) strip.load(context.data, r, first + r);
    LeastTwo<T> found;
    found.begin();
    for (std::int64_t q = 0; q < fast.n_panels; ++q) {
      Block<T> values;
      dot_block<T>(strip.rows, fast.panels + q * cols * panel_width<T>, fast.start + q * panel_width<T>, cols, values);
      found.consume(values, q);
    }
    for (int r = 0; r < count; ++r) is_failing[first - range.begin + r] = include_fast(context, found, r, strip.rows.row[r], first + r);
  }
}

template <class T>
void list_failing(const FollowContext<T>& context, Range range, const std::uint8_t* is_failing, FailingList& failing) {
  const auto bytes = context.data.X.cols * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < range.size(); ++i) {
    if (!is_failing[i]) continue;
    failing.rows[failing.count++] = static_cast<std::int32_t>(range.begin + i);
    const auto* row = reinterpret_cast<const char*>(context.data.X.row(range.begin + i));
    for (std::int64_t byte = 0; byte < bytes && byte < 512; byte += 64) __builtin_prefetch(row + byte);
  }
}

// Keeps the rows that are not even settled by the distance to their own centre.
template <class T>
void test_own_distances(const FollowContext<T>& context, FailingList& failing) {
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < failing.count; ++i) {
    const std::int32_t index = failing.rows[i], label = context.bounds.label[index];
    const float own = own_distance(context.data, context.work.centre_rows.row(label), context.largest_term, index);
    if (own > context.bounds.lower[index] && own > context.work.drift[label].gap)
      failing.rows[kept++] = index;
    else
      context.bounds.upper[index] = own;
  }
  failing.count = kept;
}

template <class T>
void meet_all(FollowContext<T>& context, GatheredStrip<T>& strip, const std::int32_t* rows, int count) {
  const PackedColumns<T>& centres = context.work.centres;
  const std::int64_t cols = context.data.X.cols;
  for (int r = 0; r < count; ++r) strip.load(context.data, r, rows[r]);
  LeastTwo<T> state;
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
    const double term = static_cast<double>(squared_length(row, cols)), error = squared_error<T>(cols, term, context.largest_term);
    std::int32_t& label = context.bounds.label[index];
    context.bounds.upper[index] = upper_distance(term + 2 * static_cast<double>(first.value), error);
    context.bounds.lower[index] = lower_distance(term + 2 * static_cast<double>(state.second_value(r, first)), error);
    if (label == first.index) continue;
    const double weight = context.data.weights == nullptr ? 1.0 : context.data.weights[index];
    move_row(context.sums, context.units, label, first.index, row, weight);
    label = static_cast<std::int32_t>(first.index);
    ++context.changed;
  }
}

template <class T>
void follow_range(FollowContext<T>& context, Range range) {
  const Scratch<std::uint8_t> is_failing(rows_per_task);
  GatheredStrip<T> strip(context.data.X.cols);
  FailingList failing;
  drift_bounds(context, range, is_failing.data());
  if (context.work.fast.columns.n_panels > 0) meet_fast(context, range, strip, is_failing.data());
  list_failing(context, range, is_failing.data(), failing);
  test_own_distances(context, failing);
  for (std::int64_t first = 0; first < failing.count; first += strip_rows) {
    const std::int64_t left = failing.count - first;
    meet_all(context, strip, failing.rows.data() + first, static_cast<int>(left < strip_rows ? left : strip_rows));
  }
}

template <class T>
std::int64_t follow(const KMeansData<T>& data, const FollowWork<T>& work, const SumUnits& units, const RowBounds& bounds,
                    const ClusterSums& deltas) {
  const std::int64_t n_tasks = block_count(data.X.rows, rows_per_task);
  const Scratch<std::int64_t> changed(n_tasks);
  const double largest_term = largest_column_term(work.centres), largest_fast = largest_column_term(work.fast.columns);
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int thread) {
    FollowContext<T> context{data, work, units, bounds, sums_of_thread(deltas, thread), largest_term, largest_fast, 0};
    follow_range(context, block_range(data.X.rows, rows_per_task, task));
    changed[task] = context.changed;
  });
  std::int64_t moved = 0;
  for (std::int64_t task = 0; task < n_tasks; ++task) moved += changed[task];
  return moved;
}

}  // namespace

void install_kmeans_follow(Engine& engine) {
  engine.float32.kmeans.follow = follow<float>;
  engine.float64.kmeans.follow = follow<double>;
}

}  // namespace coterie::COTERIE_ISA
