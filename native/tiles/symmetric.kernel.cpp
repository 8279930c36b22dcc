// Distances among the rows of one matrix: every pair once, as a square that is exactly symmetric or as its upper triangle.
#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

inline constexpr int rows_per_task = 48;  // a multiple of every strip; 48 numbers are whole cache lines
static_assert(rows_per_task % strip_rows == 0);

inline constexpr std::int64_t cache_line = 64;
inline constexpr std::int64_t streamed_bytes = 1 << 25;  // results that no cache holds until they are read

// Copies numbers to the result: whole lines past the caches where it is large, so that no line is read only to be overwritten.
template <class T>
struct ResultWriter {
  bool streams;

  COTERIE_INLINE void copy(const T* from, std::int64_t count, T* to) const {
    constexpr std::int64_t per_line = cache_line / static_cast<std::int64_t>(sizeof(T));
    std::int64_t j = 0;
    if (streams) {
      const auto past_line = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % cache_line / sizeof(T));
      for (const std::int64_t head = past_line == 0 ? 0 : per_line - past_line; j < head && j < count; ++j) to[j] = from[j];
      for (; j + per_line <= count; j += per_line)
        for (std::int64_t at = j; at < j + per_line; at += lanes<T>) stream(to + at, load(from + at));
    }
    for (; j < count; ++j) to[j] = from[j];
  }
};

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
  ResultWriter<T> writer;
  explicit Condensed(const SelfStoreOutput<T>& to)
      : out(to.data), n(to.n), writer{n * (n - 1) / 2 * static_cast<std::int64_t>(sizeof(T)) >= streamed_bytes} {}

  void take(const Strip<T>& strip, std::int64_t, const T* tile, std::int64_t column, std::int64_t width) const {
    for (int r = 0; r < strip.count; ++r) {
      const Segment<T> segment = segment_of(strip, r, tile, column, width);
      const std::int64_t before = segment.row * (2 * n - segment.row - 1) / 2 - segment.row - 1;  // of column 0
      writer.copy(segment.values, segment.end - segment.first, out + before + segment.first);
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
  if constexpr ((strip_rows & (strip_rows - 1)) == 0) {  // a square of registers
    typedef T Line __attribute__((vector_size(strip_rows * sizeof(T))));
    for (; j + strip_rows <= width; j += strip_rows) {
      Line rows[strip_rows];
      for (int r = 0; r < strip_rows; ++r) __builtin_memcpy(&rows[r], tile + r * max_tile_columns + j, sizeof(Line));
      transpose_lanes<strip_rows / 2>(rows);
      for (int r = 0; r < strip_rows; ++r) __builtin_memcpy(out + (j + r) * stride, &rows[r], sizeof(Line));
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
  ResultWriter<T> writer;
  Scratch<T> mirror{max_tile_columns * rows_per_task};
  explicit Square(const SelfStoreOutput<T>& to)
      : out(to.data), n(to.n), writer{n * n * static_cast<std::int64_t>(sizeof(T)) >= streamed_bytes} {}

  void take(const Strip<T>& strip, std::int64_t row_in_task, const T* tile, std::int64_t column, std::int64_t width) const {
    for (int r = 0; r < strip.count; ++r) {
      const Segment<T> segment = segment_of(strip, r, tile, column, width);
      writer.copy(segment.values, segment.end - segment.first, out + segment.row * n + segment.first);
    }
    transpose_strip(tile, width, mirror.data() + row_in_task, rows_per_task);
  }

  void finish_chunk(Range rows, std::int64_t column, std::int64_t width) const {
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t row = column + j, end = row < rows.end ? row : rows.end;
      writer.copy(mirror.data() + j * rows_per_task, end - rows.begin, out + row * n + rows.begin);
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
    check_interrupt();
  }
  writer.finish_rows(range);
  finish_streams();
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
