#include "tiles/tiles.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

template <class T>
const TileKernels<T>& kernels() {
  return engine().of<T>().tiles;
}

template <class T>
TileProblem<T> problem_of(const MatrixView<T>& X, const std::vector<T>& shift, const ColumnPack<T>& pack, const Metric& metric,
                          int threads) {
  return {X, shift.empty() ? nullptr : shift.data(), pack.columns(), metric, threads};
}

template <class T>
const T* pointer(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

// Every tile has packed columns: no kernel reads weights that are not there.
void check_columns(const Metric& metric, std::int64_t cols) {
  if (metric.mixed != nullptr && metric.mixed->n_columns != cols)
    throw std::invalid_argument("rows must have as many columns as their distance has weights.");
}

}  // namespace

template <class T>
void ColumnPack<T>::allocate(std::int64_t n_panels, std::int64_t cols) {
  const std::int64_t columns = n_panels * kernels<T>().panel_width;
  const std::int64_t total = columns * (cols + 2);
  T* memory = static_cast<T*>(allocate_aligned(static_cast<std::size_t>(total) * sizeof(T)));
  memory_ = std::shared_ptr<void>(memory, free_aligned);
  columns_.panels = memory;
  columns_.start = memory + columns * cols;
  columns_.term = columns_.start + columns;
  columns_.n_panels = n_panels;
  columns_.cols = cols;
}

template <class T>
ColumnPack<T>::ColumnPack(const MatrixView<T>& Y, const T* shift, const Metric& metric, int threads) {
  check_columns(metric, Y.cols);
  allocate(block_count(Y.rows, kernels<T>().panel_width), Y.cols);
  columns_.n_columns = Y.rows;
  kernels<T>().pack(Y, shift, metric, columns_, threads);
}

template <class T>
ColumnPack<T>::ColumnPack(const MatrixView<T>& Y, const T* shift, const Metric& metric, const std::int32_t* group_of_row,
                          std::int64_t n_groups, int threads) {
  check_columns(metric, Y.cols);
  const std::int64_t width = kernels<T>().panel_width;
  std::vector<std::int64_t> next(static_cast<std::size_t>(n_groups) + 1, 0);
  for (std::int64_t i = 0; i < Y.rows; ++i) ++next[static_cast<std::size_t>(group_of_row[i]) + 1];
  for (std::int64_t g = 0; g < n_groups; ++g) {
    const std::int64_t panels = block_count(next[static_cast<std::size_t>(g) + 1], group_columns<T>) * (group_columns<T> / width);
    panel_group_.insert(panel_group_.end(), static_cast<std::size_t>(panels), static_cast<std::int32_t>(g));
    next[static_cast<std::size_t>(g) + 1] = next[static_cast<std::size_t>(g)] + panels * width;
  }
  ids_.assign(panel_group_.size() * static_cast<std::size_t>(width), -1);
  for (std::int64_t i = 0; i < Y.rows; ++i)
    ids_[static_cast<std::size_t>(next[static_cast<std::size_t>(group_of_row[i])]++)] = static_cast<std::int32_t>(i);
  allocate(static_cast<std::int64_t>(panel_group_.size()), Y.cols);
  columns_.n_columns = Y.rows;
  columns_.ids = ids_.data();
  columns_.group = panel_group_.data();
  kernels<T>().pack(Y, shift, metric, columns_, threads);
}

namespace {

struct ColumnSpan {
  double sum, low, high;
};

// A round number near the mean: numbers of few digits (whole ones, say) stay exact when it is subtracted, so that equal
// distances stay equal.
double round_near(double mean, double span) {
  if (!(span > 0)) return mean;
  const double grid = std::ldexp(1.0, std::ilogb(span) - 4);
  if (!(grid > 0) || !std::isfinite(grid)) return 0;  // so small or so large that no grid fits: nothing cancels, or all overflows
  return std::nearbyint(mean / grid) * grid;
}

}  // namespace

template <class T>
std::vector<T> centring_shift(const MatrixView<T>& Y, const Metric& metric, int threads) {
  if (!wants_centring(metric)) return {};
  constexpr std::int64_t block = 4096;
  const std::int64_t n_blocks = block_count(Y.rows, block);
  const auto cols = static_cast<std::size_t>(Y.cols);
  std::vector<ColumnSpan> parts(static_cast<std::size_t>(n_blocks) * cols);
  parallel_for(n_blocks, threads, [&](std::int64_t task, int) {
    ColumnSpan* part = parts.data() + static_cast<std::size_t>(task) * cols;
    const Range range = block_range(Y.rows, block, task);
    for (std::size_t t = 0; t < cols; ++t) {
      const double first = static_cast<double>(Y.row(range.begin)[t]);
      part[t] = {0, first, first};
    }
    for (std::int64_t i = range.begin; i < range.end; ++i)
      for (std::size_t t = 0; t < cols; ++t) {
        const double value = static_cast<double>(Y.row(i)[t]);
        part[t] = {part[t].sum + value, std::min(part[t].low, value), std::max(part[t].high, value)};
      }
  });
  std::vector<T> shift(cols);
  for (std::size_t t = 0; t < cols; ++t) {
    ColumnSpan all = parts[t];
    for (std::size_t at = t + cols; at < parts.size(); at += cols)
      all = {all.sum + parts[at].sum, std::min(all.low, parts[at].low), std::max(all.high, parts[at].high)};
    shift[t] = static_cast<T>(round_near(all.sum / static_cast<double>(Y.rows), all.high - all.low));
  }
  return shift;
}

namespace {

// All rows of X against all rows of Y, then the ending.
template <class T, class Ending, class Output>
void run_against(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, Ending ending, const Output& out) {
  const std::vector<T> shift = centring_shift(Y, metric, threads);
  const ColumnPack<T> pack(Y, pointer(shift), metric, threads);
  ending(problem_of(X, shift, pack, metric, threads), out);
}

}  // namespace

template <class T>
void nearest(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const NearestOutput<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().nearest, out);
}

template <class T>
void nearest_exact(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const NearestOutput<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().nearest_exact, out);
}

template <class T>
void nearest_two(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const NearestTwoOutput<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().nearest_two, out);
}

template <class T>
void own_and_other(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads,
                   const OwnAndOtherOutput<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().own_and_other, out);
}

template <class T>
void smallest(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const SmallestOutput<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().smallest, out);
}

template <class T>
void below(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const BelowOutput<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().below, out);
}

template <class T>
void group_sums(const MatrixView<T>& X, const MatrixView<T>& Y, const std::int32_t* group_of_column, const Metric& metric, int threads,
                const GroupSumOutput& out) {
  const std::vector<T> shift = centring_shift(Y, metric, threads);
  const ColumnPack<T> pack(Y, pointer(shift), metric, group_of_column, out.n_groups, threads);
  kernels<T>().group_sums(problem_of(X, shift, pack, metric, threads), out);
}

template <class T>
void group_extremes(const MatrixView<T>& X, const MatrixView<T>& Y, const std::int32_t* group_of_column, const Metric& metric,
                    int threads, const GroupExtremesOutput<T>& out) {
  const std::vector<T> shift = centring_shift(Y, metric, threads);
  const ColumnPack<T> pack(Y, pointer(shift), metric, group_of_column, out.n_groups, threads);
  kernels<T>().group_extremes(problem_of(X, shift, pack, metric, threads), out);
}

template <class T>
void store(const MatrixView<T>& X, const MatrixView<T>& Y, const Metric& metric, int threads, const MutableMatrixView<T>& out) {
  run_against(X, Y, metric, threads, kernels<T>().store, out);
}

template <class T>
void store_edges(const MatrixView<T>& X, const MatrixView<T>& Y, const std::int32_t* columns, const std::int64_t* row_starts,
                 const Metric& metric, int threads, T* out) {
  const std::vector<T> shift = centring_shift(Y, metric, threads);
  constexpr std::int64_t block = 64;
  parallel_for(block_count(X.rows, block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, block, task);
    std::vector<T> ends;
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t count = row_starts[i + 1] - row_starts[i];
      if (count == 0) continue;
      ends.clear();
      for (std::int64_t at = row_starts[i]; at < row_starts[i + 1]; ++at)
        ends.insert(ends.end(), Y.row(columns[at]), Y.row(columns[at]) + Y.cols);
      const ColumnPack<T> pack({ends.data(), count, Y.cols, Y.cols}, pointer(shift), metric, 1);
      kernels<T>().store(problem_of({X.row(i), 1, X.cols, X.stride}, shift, pack, metric, 1), {out + row_starts[i], 1, count, count});
    }
  });
}

template <class T>
void store_self(const MatrixView<T>& X, const Metric& metric, int threads, const SelfStoreOutput<T>& out) {
  const std::vector<T> shift = centring_shift(X, metric, threads);
  const ColumnPack<T> pack(X, pointer(shift), metric, threads);
  // every block of rows writes to all rows of the square: the first one would wait for all of its pages
  if (!out.is_condensed) touch_pages(out.data, static_cast<std::size_t>(out.n * out.n) * sizeof(T), threads);
  kernels<T>().store_self(problem_of(X, shift, pack, metric, threads), out);
}

template <class T>
struct Instantiate {
  static constexpr auto functions =
      std::make_tuple(&nearest<T>, &nearest_exact<T>, &nearest_two<T>, &own_and_other<T>, &smallest<T>, &below<T>, &group_sums<T>,
                      &group_extremes<T>, &store<T>, &store_edges<T>, &store_self<T>, &centring_shift<T>);
};
template class ColumnPack<float>;
template class ColumnPack<double>;
template struct Instantiate<float>;
template struct Instantiate<double>;

}  // namespace coterie
