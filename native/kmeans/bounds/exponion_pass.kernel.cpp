// Second half of an Exponion pass: the nearest centre of the rows whose bounds failed.
//
// Failing rows are sorted by their label. First the exact distance to the own centre may settle a row, then the few centres that
// moved fast; what is left meets only the centres around its own (Newling and Fleuret's ball), packed once, in tiles.
#include "engine.h"
#include "kmeans/bounds/exponion_strip.h"
#include "kmeans/own_distance.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t rows_per_task = 1536;

// Whom a row still has to meet.
enum class Meets { nobody, fast, all };

// Computes the distance of a row to its own centre, which may settle it. `own` becomes its upper bound.
template <class T>
COTERIE_INLINE Meets test_own_distance(const ExponionContext<T>& context, std::int64_t index, float& own) {
  own = own_distance(context.data, context.centre, context.largest_term, index);
  const float lower = context.bounds.lower[index], fast = (context.fast - own) * round_down;
  const float both = lower < fast ? lower : fast;
  if (own > both && own > context.gap) return own > lower ? Meets::all : Meets::fast;
  context.bounds.upper[index] = own;
  context.bounds.lower[index] = both > 0 ? both : 0.0f;
  return Meets::nobody;
}

struct Waiting {
  std::int32_t row;
  float own;  // upper bound of the distance to the own centre
};

// The failing rows of one task, by whom they meet.
struct Queues {
  Scratch<Waiting> fast, all;
  std::int64_t n_fast = 0, n_all = 0;

  explicit Queues(std::int64_t capacity) : fast(capacity), all(capacity) {}
};

template <class T>
void test_own_distances(const ExponionContext<T>& context, const std::int32_t* indices, std::int64_t n, Queues& queues) {
  constexpr std::int64_t lookahead = 16;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + lookahead < n) {
      const std::int64_t ahead = indices[i + lookahead];
      __builtin_prefetch(context.data.X.row(ahead));
      __builtin_prefetch(context.bounds.lower + ahead);
      __builtin_prefetch(context.bounds.upper + ahead);
    }
    float own;
    const Meets meets = test_own_distance(context, indices[i], own);
    if (meets == Meets::fast) queues.fast[queues.n_fast++] = {indices[i], own};
    if (meets == Meets::all) queues.all[queues.n_all++] = {indices[i], own};
  }
}

// Values of a strip and the nearest of the fast centres, the own one left out.
template <class T>
COTERIE_INLINE void nearest_fast(const ExponionContext<T>& context, const PackedColumns<T>& fast, std::int64_t own_column,
                                 const StripRows<T>& strip, Vec<T>* least) {
  for (int r = 0; r < strip_rows; ++r) least[r] = broadcast(std::numeric_limits<T>::infinity());
  const std::int64_t cols = context.data.X.cols;
  for (std::int64_t q = 0; q < fast.n_panels; ++q) {
    Block<T> values;
    dot_block<T>(strip, fast.panels + q * cols * panel_width<T>, fast.start + q * panel_width<T>, cols, values);
    if (own_column / panel_width<T> == q && own_column >= 0)
      for (int r = 0; r < strip_rows; ++r)
        values.value[r][own_column % panel_width<T> / lanes<T>][own_column % lanes<T>] = std::numeric_limits<T>::infinity();
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v) least[r] = minimum<T>(least[r], values.value[r][v]);
  }
}

// Rows that only a fast centre may take meet these; those that one may really take go on to the others.
template <class T>
void meet_fast(const ExponionContext<T>& context, const FastCentres<T>& fast, GatheredStrip<T>& strip, Queues& queues) {
  if (queues.n_fast == 0) return;
  const std::int64_t cols = context.data.X.cols, own_column = fast.column_of[context.cluster];
  for (std::int64_t first = 0; first < queues.n_fast; first += strip_rows) {
    const int count = static_cast<int>(queues.n_fast - first < strip_rows ? queues.n_fast - first : strip_rows);
    for (int r = 0; r < count; ++r) strip.load(context.data, r, queues.fast[first + r].row);
    Vec<T> least[strip_rows];
    nearest_fast(context, fast.columns, own_column, strip.rows, least);
    for (int r = 0; r < count; ++r) {
      const Waiting& waiting = queues.fast[first + r];
      const double term = static_cast<double>(squared_length(strip.rows.row[r], cols));
      const double error = squared_error<T>(cols, term, context.largest_term);
      const float nearest = lower_distance(term + 2 * static_cast<double>(smallest_lane<T>(least[r])), error);
      float& lower = context.bounds.lower[waiting.row];
      if (nearest < lower) lower = nearest;
      if (waiting.own <= lower)
        context.bounds.upper[waiting.row] = waiting.own;
      else
        queues.all[queues.n_all++] = waiting;
    }
  }
}

// Sorts the rows that meet everybody by how many panels they can reach: a strip works for its farthest row.
template <class T>
void sort_by_reach(const Candidates<T>& columns, const Queues& queues, std::int32_t* sorted) {
  const Scratch<std::int32_t> starts(columns.n_panels + 2), n_panels(queues.n_all);
  for (std::int64_t p = 0; p <= columns.n_panels + 1; ++p) starts[p] = 0;
  for (std::int64_t i = 0; i < queues.n_all; ++i) {
    n_panels[i] = panels_within(columns, 2 * queues.all[i].own * round_up);
    ++starts[n_panels[i] + 1];
  }
  for (std::int64_t p = 0; p <= columns.n_panels; ++p) starts[p + 1] += starts[p];
  for (std::int64_t i = 0; i < queues.n_all; ++i) sorted[starts[n_panels[i]]++] = queues.all[i].row;
}

template <class T>
void settle_rows(ExponionContext<T>& context, const Candidates<T>& columns, const std::int32_t* rows, std::int64_t n,
                 GatheredStrip<T>& strip) {
  for (std::int64_t first = 0; first < n; first += strip_rows) {
    const int count = static_cast<int>(n - first < strip_rows ? n - first : strip_rows);
    for (int r = 0; r < count; ++r) strip.load(context.data, r, rows[first + r]);
    settle_strip(context, columns, strip.rows, count, rows + first);
  }
}

// A run of failing rows of one cluster in one block.
struct ExponionTask {
  std::int32_t cluster;
  std::int64_t begin, end;
};

// Writes the tasks when `tasks` is given; returns their number.
std::int64_t list_tasks(const FailingRows& failing, std::int64_t n_blocks, std::int64_t n_clusters, ExponionTask* tasks) {
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
void settle_task(ExponionContext<T>& context, const ExponionWork<T>& work, const std::int32_t* rows, std::int64_t n) {
  const std::int64_t cols = context.data.X.cols;
  GatheredStrip<T> strip(cols);
  Queues queues(n);
  test_own_distances(context, rows, n, queues);
  meet_fast(context, work.fast, strip, queues);
  if (queues.n_all == 0) return;
  const std::int32_t cluster = context.cluster;
  CandidatePack<T> pack(work.around.starts[cluster + 1] - work.around.starts[cluster], cols);
  const Candidates<T> columns = pack.around(work.around, cluster, work.centres, work.centre_rows);
  const Scratch<std::int32_t> sorted(queues.n_all);
  sort_by_reach(columns, queues, sorted.data());
  settle_rows(context, columns, sorted.data(), queues.n_all, strip);
}

template <class T>
std::int64_t exponion_pass(const KMeansData<T>& data, const ExponionWork<T>& work, const SumUnits& units, const RowBounds& bounds,
                           const FailingRows& failing, const ClusterSums& deltas) {
  const std::int64_t n_clusters = work.centre_rows.rows, n_blocks = block_count(data.X.rows, failing.block);
  const std::int64_t n_tasks = list_tasks(failing, n_blocks, n_clusters, nullptr);
  const Scratch<ExponionTask> tasks(n_tasks);
  list_tasks(failing, n_blocks, n_clusters, tasks.data());
  const Scratch<std::int64_t> changed(n_tasks);
  double largest_term = 0;
  for (std::int64_t j = 0; j < work.centres.n_columns; ++j)
    largest_term = work.centres.term[j] > largest_term ? static_cast<double>(work.centres.term[j]) : largest_term;
  parallel_for(n_tasks, data.threads, [&](std::int64_t t, int thread) {
    const ExponionTask task = tasks[t];
    const ClusterDrift& drift = work.drift[task.cluster];
    ExponionContext<T> context{data,         units,        bounds,     sums_of_thread(deltas, thread),
                               task.cluster, drift.gap,    drift.fast, work.centre_rows.row(task.cluster),
                               work.centres, largest_term, 0};
    settle_task(context, work, failing.rows + task.begin, task.end - task.begin);
    changed[t] = context.changed;
  });
  std::int64_t moved = 0;
  for (std::int64_t t = 0; t < n_tasks; ++t) moved += changed[t];
  return moved;
}

template <class T>
void install_for(KMeansKernels<T>& kernels) {
  kernels.exponion_pass = exponion_pass<T>;
}

}  // namespace

void install_exponion_pass(Engine& engine) {
  install_for(engine.float32.kmeans);
  install_for(engine.float64.kmeans);
}

}  // namespace coterie::COTERIE_ISA
