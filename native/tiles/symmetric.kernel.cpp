// Distances among the rows of one matrix: every pair once, as a square that is exactly symmetric or as its upper triangle.
#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

inline constexpr int rows_per_task = 48;  // a multiple of every strip; 48 numbers are whole cache lines
static_assert(rows_per_task % strip_rows == 0);

// Row i keeps its columns i + 1.. of the tile; what is below the diagonal is the same pairs again.
template <class T>
struct Segment {
  const T* values;
  std::int64_t row, first, end;  // columns [first, end), first > row
};

template <class T>
COTERIE_INLINE Segment<T> segment_of(const Strip<T>& strip, int r, const T* tile, std::int64_t column, std::int64_t width) {
  const std::int64_t row = strip.first_row + r, first = row + 1 > column ? row + 1 : column;
  return {tile + r * max_tile_columns + (first - column), row, first, column + width};
}

// Numbers one after the other, as scipy's pdist has them.
template <class T>
struct Condensed {
  T* out;
  std::int64_t n;
  explicit Condensed(const SelfStoreOutput<T>& to) : out(to.data), n(to.n) {}

  void take(const Strip<T>& strip, std::int64_t, const T* tile, std::int64_t column, std::int64_t width) const {
    for (int r = 0; r < strip.count; ++r) {
      const Segment<T> segment = segment_of(strip, r, tile, column, width);
      const std::int64_t before = segment.row * (2 * n - segment.row - 1) / 2 - segment.row - 1;  // of column 0
      for (std::int64_t j = segment.first; j < segment.end; ++j) out[before + j] = segment.values[j - segment.first];
    }
  }
  void finish_chunk(Range, std::int64_t, std::int64_t) const {}
  void finish_rows(Range) const {}
};

// Swaps the places of lanes `step` apart between two vectors: one step of a transposition.
template <int step, class V>
COTERIE_INLINE void exchange_lanes(V& a, V& b) {
  constexpr int count = sizeof(V) / sizeof(a[0]);
  const V first = shuffle_lanes(a, b, [](int lane) { return (lane & step) != 0 ? count + lane - step : lane; });
  b = shuffle_lanes(a, b, [](int lane) { return (lane & step) != 0 ? count + lane : lane + step; });
  a = first;
}

template <int step, class V, int count>
COTERIE_INLINE void transpose_lanes(V (&rows)[count]) {
  for (int i = 0; i < count; ++i)
    if ((i & step) == 0) exchange_lanes<step>(rows[i], rows[i + step]);
  if constexpr (step > 1) transpose_lanes<step / 2>(rows);
}

// Writes the first `width` columns of a strip as rows of `stride` numbers.
template <class T>
COTERIE_INLINE void transpose_strip(const T* tile, std::int64_t width, T* out, std::int64_t stride) {
  std::int64_t j = 0;
  if constexpr (lanes<T> == strip_rows) {  // a square of registers
    for (; j + strip_rows <= width; j += strip_rows) {
      Vec<T> rows[strip_rows];
      for (int r = 0; r < strip_rows; ++r) rows[r] = load(tile + r * max_tile_columns + j);
      transpose_lanes<strip_rows / 2>(rows);
      for (int r = 0; r < strip_rows; ++r) store(out + (j + r) * stride, rows[r]);
    }
  }
  for (; j < width; ++j)
    for (int r = 0; r < strip_rows; ++r) out[j * stride + r] = tile[r * max_tile_columns + j];
}

// The square. Mirrored numbers are collected first: written strip by strip they would touch every line of memory eight times.
template <class T>
struct Square {
  T* out;
  std::int64_t n;
  Scratch<T> mirror{max_tile_columns * rows_per_task};
  explicit Square(const SelfStoreOutput<T>& to) : out(to.data), n(to.n) {}

  void take(const Strip<T>& strip, std::int64_t row_in_task, const T* tile, std::int64_t column, std::int64_t width) const {
    for (int r = 0; r < strip.count; ++r) {
      const Segment<T> segment = segment_of(strip, r, tile, column, width);
      for (std::int64_t j = segment.first; j < segment.end; ++j) out[segment.row * n + j] = segment.values[j - segment.first];
    }
    transpose_strip(tile, width, mirror.data() + row_in_task, rows_per_task);
  }

  void finish_chunk(Range rows, std::int64_t column, std::int64_t width) const {
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t row = column + j, end = row < rows.end ? row : rows.end;
      for (std::int64_t i = rows.begin; i < end; ++i) out[row * n + i] = mirror[j * rows_per_task + i - rows.begin];
    }
  }

  void finish_rows(Range rows) const {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) out[i * n + i] = 0;
  }
};

template <class T, class Writer>
void store_rows(const TileProblem<T>& problem, const SelfStoreOutput<T>& out, Range range, int thread) {
  const Tiled<T> source{problem.Y, fill_of<T>(problem.metric), problem.metric};
  const std::int64_t cols = problem.X.cols, chunk = source.chunk_panels();
  const Scratch<T> loaded(problem.shift == nullptr ? 0 : range.size() * cols);
  const Scratch<T> terms(range.size()), tile(strip_rows * max_tile_columns);
  const MatrixView<T> block = load_rows(problem.X, problem.shift, range, loaded.data());
  for (std::int64_t i = 0; i < block.rows; ++i) terms[i] = row_term(problem.metric, block.row(i), cols);
  const Writer writer(out);
  for (std::int64_t first = range.begin / panel_width<T>; first < problem.Y.n_panels; first += chunk) {
    const std::int64_t count = first + chunk < problem.Y.n_panels ? chunk : problem.Y.n_panels - first;
    const std::int64_t column = first * panel_width<T>, left = out.n - column, all = count * panel_width<T>;
    const std::int64_t width = all < left ? all : left;
    for (std::int64_t s = 0; s < range.size(); s += strip_rows) {
      const Strip<T> strip = strip_of(block, terms.data(), s, range.begin, thread);
      source.prepare(strip, first, count, tile.data());
      writer.take(strip, s, tile.data(), column, width);
    }
    writer.finish_chunk(range, column, width);
    check_interrupt();  // the first task to write a column gets the memory of all rows from the system
  }
  writer.finish_rows(range);
}

template <class T>
void store_self(const TileProblem<T>& problem, const SelfStoreOutput<T>& out) {
  parallel_for(block_count(out.n, rows_per_task), problem.threads, [&](std::int64_t task, int thread) {
    const Range range = block_range(out.n, rows_per_task, task);
    if (out.is_condensed)
      store_rows<T, Condensed<T>>(problem, out, range, thread);
    else
      store_rows<T, Square<T>>(problem, out, range, thread);
  });
}

}  // namespace

void install_symmetric(Engine& engine) {
  engine.float32.tiles.store_self = store_self<float>;
  engine.float64.tiles.store_self = store_self<double>;
}

}  // namespace coterie::COTERIE_ISA
