// Tiles of distances, summed along rows and columns while they are in registers.
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <limits>

#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

inline constexpr std::int64_t rows_per_sum = 192;  // float32 column sums go to float64 after so many rows
inline constexpr int panels_per_flush = 16;        // and row sums after so many panels

// Square root of numbers from smallest_quick to what float32 holds: an estimate of 1/sqrt, coupled steps of Newton for the root
// and half its inverse, and one of Heron. The divider's square root runs beside it: half of the vectors take either, which
// saves about an eighth of the time of a whole silhouette (AVX2, 4e4 x 16, one thread: 1.15 s instead of 1.34 s).
#if defined(__AVX512F__)
#define COTERIE_HAS_QUICK_ROOT 1
COTERIE_INLINE Vec<double> inverse_root_estimate(Vec<double> x) { return _mm512_rsqrt14_pd(x); }
COTERIE_INLINE Vec<float> inverse_root_estimate(Vec<float> x) { return _mm512_rsqrt14_ps(x); }
#elif defined(__AVX2__)
#define COTERIE_HAS_QUICK_ROOT 1
COTERIE_INLINE Vec<double> inverse_root_estimate(Vec<double> x) { return _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(x))); }
COTERIE_INLINE Vec<float> inverse_root_estimate(Vec<float> x) { return _mm256_rsqrt_ps(x); }
#endif

template <class T>
inline constexpr T smallest_quick = T(1e-30);

template <class T>
COTERIE_INLINE Vec<T> quick_root(Vec<T> x) {
#if defined(COTERIE_HAS_QUICK_ROOT)
  const Vec<T> half = broadcast(T(0.5)), inverse = inverse_root_estimate(x);
  Vec<T> root = x * inverse, half_inverse = half * inverse;
  if constexpr (sizeof(T) == 8) {
    const Vec<T> error = half - root * half_inverse;
    root += root * error;
    half_inverse += half_inverse * error;
  }
  return root + (x - root * root) * half_inverse;
#else
  return square_root<T>(x);
#endif
}

// Euclidean distances: squares of a strip and some panels first, into the first-level cache, roots when they are asked for. Apart,
// both run at full width; in one go, the divider's long roots would keep the next products waiting. Rows are twice as long as
// they are, which saves a doubling.
template <class T>
struct BufferedNorm {
  const PackedColumns<T>& Y;
  static constexpr std::int64_t most_panels = max_tile_columns / panel_width<T>;
  static constexpr std::int64_t stride = strip_rows * panel_width<T> + lanes<T>;  // squares of a panel, and whether some were repaired

  std::int64_t chunk_panels() const { return most_panels; }
  std::int64_t tile_numbers() const { return most_panels * stride; }

  COTERIE_INLINE void prepare(const Strip<T>& strip, std::int64_t first, std::int64_t count, T* tile) const {
    T largest = 0;
    for (int r = 0; r < strip.count; ++r) largest = largest < strip.term[r] ? strip.term[r] : largest;
    const Vec<T> strip_limit = broadcast(cancellation_share<T> * largest + smallest_quick<T>);
    for (std::int64_t q = 0; q < count; ++q) square(strip, first + q, strip_limit, tile + q * stride);
  }

  COTERIE_INLINE void square(const Strip<T>& strip, std::int64_t panel, Vec<T> strip_limit, T* to) const {
    Vec<T> start[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) {
      const Vec<T> halved = load(Y.start + panel * panel_width<T> + v * lanes<T>);
      start[v] = halved + halved;
    }
    Block<T> products;
    dot_block_from<T>(start, strip.rows, Y.panels + panel * Y.cols * panel_width<T>, Y.cols, products);
    Mask<T> cancelled{};
    for (int v = 0; v < panel_vectors; ++v) {
      Vec<T> least = broadcast(std::numeric_limits<T>::infinity());
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> squared = products.value[r][v] + broadcast(strip.term[r < strip.count ? r : strip.count - 1]);
        store(to + (r * panel_vectors + v) * lanes<T>, squared);
        least = minimum<T>(least, squared);
      }
      const Vec<T> column_terms = load(Y.term + panel * panel_width<T> + v * lanes<T>);
      cancelled |= least < broadcast(cancellation_share<T>) * column_terms + strip_limit;
    }
    const bool is_small = lane_bits<T>(cancelled) != 0;
    to[strip_rows * panel_width<T>] = is_small ? T(1) : T(0);
    if (__builtin_expect(is_small, 0)) repair(strip, panel, to);
  }

  // Small distances again, by difference.
  __attribute__((noinline)) void repair(const Strip<T>& strip, std::int64_t panel, T* to) const {
    for (int r = 0; r < strip_rows; ++r)
      for (int lane = 0; lane < panel_width<T>; ++lane) {
        const int row = r < strip.count ? r : strip.count - 1;
        T& value = to[r * panel_width<T> + lane];
        if (value < cancellation_share<T> * (strip.term[row] + Y.term[panel * panel_width<T> + lane]))
          value = squared_distance(strip.rows.row[row], Y.panels + panel * Y.cols * panel_width<T> + lane);
      }
  }

  COTERIE_INLINE T squared_distance(const T* doubled_row, const T* column) const {
    T sum = 0;
    for (std::int64_t t = 0; t < Y.cols; ++t) {
      const T difference = T(0.5) * doubled_row[t] - column[t * panel_width<T>];
      sum += difference * difference;
    }
    return sum;
  }

  COTERIE_INLINE void block(const Strip<T>&, std::int64_t, std::int64_t panel_in_chunk, const T* tile, Block<T>& out) const {
    const T* from = tile + panel_in_chunk * stride;
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v) out.value[r][v] = load(from + (r * panel_vectors + v) * lanes<T>);
    if (__builtin_expect(from[strip_rows * panel_width<T>] != T(0), 0)) {  // 0 may be among them
      for (int r = 0; r < strip_rows; ++r)
        for (int v = 0; v < panel_vectors; ++v) out.value[r][v] = square_root<T>(out.value[r][v]);
      return;
    }
    for (int r = 0; r < strip_rows; ++r) {
      out.value[r][0] = square_root<T>(out.value[r][0]);
      out.value[r][1] = quick_root<T>(out.value[r][1]);
    }
  }
};

// Sums of one strip that have not gone to float64 yet.
template <class T>
struct StripSums {
  Vec<T> row[strip_rows] = {};
  std::int64_t group;
  int panels = 0;

  COTERIE_INLINE void flush(const GroupSumTask<T>& task, std::int64_t first_group, const Strip<T>& strip) {
    double* to = task.row_sums + (group - first_group) * task.rows.rows + strip.first_row;
    for (int r = 0; r < strip.count; ++r) to[r] += sum_lanes<T>(row[r]);
    for (int r = 0; r < strip_rows; ++r) row[r] = Vec<T>{};
    panels = 0;
  }

  // Adds a block to the sums of its rows and of its columns; the weights of columns and of rows count where they are given.
  template <bool is_ragged, bool is_weighted>
  COTERIE_INLINE void add(const Block<T>& values, int count, T* column, const T* column_weights, const T* row_weights) {
    const Vec<T> infinite = broadcast(std::numeric_limits<T>::infinity());
    for (int v = 0; v < panel_vectors; ++v) {
      Vec<T> total = load(column + v * lanes<T>);
      for (int r = 0; r < strip_rows; ++r) {
        Vec<T> value = values.value[r][v];
        if (is_ragged) value = select<T>(value < infinite, value, Vec<T>{});
        row[r] += is_weighted ? value * load(column_weights + v * lanes<T>) : value;
        if (!is_ragged || r < count) total += is_weighted ? value * broadcast(row_weights[r]) : value;
      }
      store(column + v * lanes<T>, total);
    }
    ++panels;
  }
};

template <class T, bool is_weighted, class Source>
COTERIE_INLINE void add_strip(const GroupSumTask<T>& task, const Source& source, const Strip<T>& strip, std::int64_t first,
                              std::int64_t count, T* tile, T* column_totals) {
  const PackedColumns<T>& Y = *task.columns;
  const std::int64_t first_group = Y.group[task.first_panel];
  source.prepare(strip, first, count, tile);
  StripSums<T> sums;
  sums.group = Y.group[first];
  for (std::int64_t q = 0; q < count; ++q) {
    const std::int64_t panel = first + q;
    if (Y.group[panel] != sums.group || sums.panels == panels_per_flush) {
      sums.flush(task, first_group, strip);
      sums.group = Y.group[panel];
    }
    Block<T> values;
    source.block(strip, panel, q, tile, values);
    const bool has_padding = Y.ids[(panel + 1) * panel_width<T> - 1] < 0;
    T* column = column_totals + (panel - task.first_panel) * panel_width<T>;
    const T* column_weights = is_weighted ? task.column_weights + panel * panel_width<T> : nullptr;
    const T* row_weights = is_weighted ? task.row_weights + strip.first_row : nullptr;
    if (has_padding || strip.count < strip_rows)
      sums.template add<true, is_weighted>(values, strip.count, column, column_weights, row_weights);
    else
      sums.template add<false, is_weighted>(values, strip.count, column, column_weights, row_weights);
  }
  sums.flush(task, first_group, strip);
}

template <class T, bool is_weighted, class Source>
void add_sums_from(const GroupSumTask<T>& task, const Source& source) {
  const std::int64_t n_columns = (task.end_panel - task.first_panel) * panel_width<T>, chunk = source.chunk_panels();
  const Scratch<T> tile(source.tile_numbers()), column_totals(n_columns);
  for (std::int64_t begin = 0; begin < task.rows.rows; begin += rows_per_sum) {
    const std::int64_t end = begin + rows_per_sum < task.rows.rows ? begin + rows_per_sum : task.rows.rows;
    const MatrixView<T> rows = {task.rows.row(begin), end - begin, task.rows.cols, task.rows.stride};
    for (std::int64_t j = 0; j < n_columns; ++j) column_totals[j] = 0;
    for (std::int64_t first = task.first_panel; first < task.end_panel; first += chunk) {
      const std::int64_t count = first + chunk < task.end_panel ? chunk : task.end_panel - first;
      for (std::int64_t i = 0; i < rows.rows; i += strip_rows)
        add_strip<T, is_weighted>(task, source, strip_of(rows, task.terms + begin, i, begin, 0), first, count, tile.data(),
                                  column_totals.data());
    }
    if (task.column_sums == nullptr) continue;
    double* to = task.column_sums + task.first_panel * panel_width<T>;
    for (std::int64_t j = 0; j < n_columns; ++j) to[j] += static_cast<double>(column_totals[j]);
  }
}

template <class T, bool is_weighted>
void add_weighted_sums(const GroupSumTask<T>& task) {
  if (task.is_euclidean)
    add_sums_from<T, is_weighted>(task, BufferedNorm<T>{*task.columns});
  else
    add_sums_from<T, is_weighted>(task, Tiled<T>{*task.columns, fill_of<T>(task.metric), task.metric});
}

template <class T>
void add_sums(const GroupSumTask<T>& task) {
  task.row_weights == nullptr ? add_weighted_sums<T, false>(task) : add_weighted_sums<T, true>(task);
}

}  // namespace

void install_silhouette(Engine& engine) {
  engine.float32.silhouette.add_sums = add_sums<float>;
  engine.float64.silhouette.add_sums = add_sums<double>;
}

}  // namespace coterie::COTERIE_ISA
