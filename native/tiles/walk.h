// The walk: blocks of rows in parallel, chunks of columns that stay in cache, strips of rows against panels of columns.
#pragma once

#include "support/parallel.h"
#include "support/scratch.h"
#include "tiles/finish.h"

namespace coterie::COTERIE_ISA {

inline constexpr std::int64_t row_block_bytes = 1 << 16;     // half of a small second-level cache share
inline constexpr std::int64_t column_chunk_bytes = 1 << 17;  // panels that are walked by every strip of a block
inline constexpr std::int64_t max_tile_columns = 256;        // a strip of finished values: at most 16 KiB

// A strip as an ending sees it.
template <class T>
struct Strip {
  StripRows<T> rows;
  const T* term;  // row_term of each row
  std::int64_t first_row;
  int count;  // rows that are real; the rest repeat the last one
  int thread;
};

template <class T>
constexpr std::int64_t rows_per_block(std::int64_t cols) {
  const std::int64_t wanted = row_block_bytes / (cols * static_cast<std::int64_t>(sizeof(T)));
  const std::int64_t clamped = wanted < 4 * strip_rows ? 4 * strip_rows : (wanted > 384 ? 384 : wanted);
  return clamped / strip_rows * strip_rows;
}

template <class T>
constexpr std::int64_t panels_per_chunk(std::int64_t cols) {
  const std::int64_t wanted = column_chunk_bytes / (cols * panel_width<T> * static_cast<std::int64_t>(sizeof(T)));
  return wanted < 1 ? 1 : wanted;
}

// Values straight from the dot kernel's registers.
template <class T>
struct FusedDot {
  const PackedColumns<T>& Y;
  static constexpr bool needs_terms = false;

  std::int64_t chunk_panels() const { return panels_per_chunk<T>(Y.cols); }
  COTERIE_INLINE void prepare(const Strip<T>&, std::int64_t, std::int64_t, T*) const {}
  COTERIE_INLINE void block(const Strip<T>& strip, std::int64_t panel, std::int64_t, const T*, Block<T>& out) const {
    dot_block<T>(strip.rows, Y.panels + panel * Y.cols * panel_width<T>, Y.start + panel * panel_width<T>, Y.cols, out);
  }
};

// Computes raw values of a strip and panels [first, first + count) into tile[row][column].
template <class T>
using TileFill = void (*)(const StripRows<T>& rows, const PackedColumns<T>& Y, const Metric& metric, std::int64_t first,
                          std::int64_t count, T* tile);

// Values of any kernel, through a strip of finished values in the first-level cache.
template <class T>
struct Tiled {
  const PackedColumns<T>& Y;
  TileFill<T> fill;
  Metric metric;  // the finish that is applied in the tile
  static constexpr bool needs_terms = true;

  std::int64_t chunk_panels() const { return max_tile_columns / panel_width<T>; }
  std::int64_t tile_numbers() const { return strip_rows * max_tile_columns; }
  COTERIE_INLINE void prepare(const Strip<T>& strip, std::int64_t first, std::int64_t count, T* tile) const {
    fill(strip.rows, Y, metric, first, count, tile);
    for (int r = 0; r < strip.count; ++r)
      finish_row<T>(metric, Y, tile + r * max_tile_columns, first * panel_width<T>, count * panel_width<T>, strip.rows.row[r],
                    strip.term[r]);
  }
  COTERIE_INLINE void block(const Strip<T>&, std::int64_t, std::int64_t panel_in_chunk, const T* tile, Block<T>& out) const {
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v)
        out.value[r][v] = load(tile + r * max_tile_columns + panel_in_chunk * panel_width<T> + v * lanes<T>);
  }
};

// Rows [range) as they enter the kernels: shifted into `buffer`, or where they are.
template <class T>
COTERIE_INLINE MatrixView<T> load_rows(const MatrixView<T>& X, const T* shift, Range range, T* buffer) {
  if (shift == nullptr) return {X.row(range.begin), range.size(), X.cols, X.stride};
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const T* from = X.row(i);
    T* to = buffer + (i - range.begin) * X.cols;
    for (std::int64_t t = 0; t < X.cols; ++t) to[t] = from[t] - shift[t];
  }
  return {buffer, range.size(), X.cols, X.cols};
}

template <class T>
COTERIE_INLINE Strip<T> strip_of(const MatrixView<T>& block, const T* terms, std::int64_t first, std::int64_t row_offset, int thread) {
  Strip<T> strip;
  const std::int64_t left = block.rows - first;
  strip.count = static_cast<int>(left < strip_rows ? left : strip_rows);
  for (int r = 0; r < strip_rows; ++r) strip.rows.row[r] = block.row(first + (r < strip.count ? r : strip.count - 1));
  strip.term = terms + first;
  strip.first_row = row_offset + first;
  strip.thread = thread;
  return strip;
}

template <class T, class Source, class Ending>
void walk_block(const TileProblem<T>& problem, const Source& source, const Ending& ending, Range range, int thread) {
  using State = typename Ending::State;
  const std::int64_t cols = problem.X.cols, n_strips = block_count(range.size(), strip_rows);
  const Scratch<T> loaded(problem.shift == nullptr ? 0 : range.size() * cols);
  const Scratch<T> terms(range.size()), tile(strip_rows * max_tile_columns);
  const Scratch<State> states(n_strips);
  const MatrixView<T> block = load_rows(problem.X, problem.shift, range, loaded.data());
  if (Source::needs_terms || Ending::needs_terms)
    for (std::int64_t i = 0; i < block.rows; ++i) terms[i] = row_term(problem.metric, block.row(i), cols);
  for (std::int64_t s = 0; s < n_strips; ++s)
    ending.begin(states[s], strip_of(block, terms.data(), s * strip_rows, range.begin, thread));
  const std::int64_t chunk = source.chunk_panels();
  for (std::int64_t first = 0; first < problem.Y.n_panels; first += chunk) {
    const std::int64_t count = first + chunk < problem.Y.n_panels ? chunk : problem.Y.n_panels - first;
    for (std::int64_t s = 0; s < n_strips; ++s) {
      const Strip<T> strip = strip_of(block, terms.data(), s * strip_rows, range.begin, thread);
      source.prepare(strip, first, count, tile.data());
      State state = states[s];
      for (std::int64_t q = 0; q < count; ++q) {
        Block<T> values;
        source.block(strip, first + q, q, tile.data(), values);
        ending.consume(state, strip, values, first + q);
      }
      states[s] = state;
    }
  }
  for (std::int64_t s = 0; s < n_strips; ++s)
    ending.end(states[s], strip_of(block, terms.data(), s * strip_rows, range.begin, thread));
}

template <class T, class Source, class Ending>
void walk(const TileProblem<T>& problem, const Source& source, const Ending& ending) {
  const std::int64_t n = problem.X.rows, block = rows_per_block<T>(problem.X.cols);
  parallel_for(block_count(n, block), problem.threads,
               [&](std::int64_t task, int thread) { walk_block(problem, source, ending, block_range(n, block, task), thread); });
}

// The fill of a kernel; defined in fill.kernel.cpp, one instantiation per kernel.
template <class T>
TileFill<T> fill_of(const Metric& metric);

// Runs an ending that needs only the order of a row's values: fused where possible, unfinished values otherwise. The
// ending finishes what it keeps, by the metric it is given here.
template <class T, template <class> class Ending, class Output>
void walk_ordered(const TileProblem<T>& problem, const Output& out) {
  const PackedColumns<T>& Y = problem.Y;
  if (!is_order_kept(problem.metric)) {
    const Metric done = {problem.metric.kernel, Finish::identity, problem.metric.p, problem.metric.mixed};
    walk(problem, Tiled<T>{Y, fill_of<T>(problem.metric), problem.metric}, Ending<T>{Y, done, out});
  } else if (problem.metric.kernel == Kernel::dot) {
    walk(problem, FusedDot<T>{Y}, Ending<T>{Y, problem.metric, out});
  } else {
    const Metric raw = {problem.metric.kernel, Finish::identity, problem.metric.p, problem.metric.mixed};
    walk(problem, Tiled<T>{Y, fill_of<T>(problem.metric), raw}, Ending<T>{Y, problem.metric, out});
  }
}

// Runs an ending that needs the distances themselves.
template <class T, class Ending>
void walk_finished(const TileProblem<T>& problem, const Ending& ending) {
  walk(problem, Tiled<T>{problem.Y, fill_of<T>(problem.metric), problem.metric}, ending);
}

}  // namespace coterie::COTERIE_ISA
