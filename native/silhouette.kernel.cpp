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
inline constexpr double largest_quick_term = 1e36;  // four times this fits in float32

// Square root of numbers in [smallest_quick, 4 largest_quick_term]: estimate of 1/sqrt, one step of Newton for it and one of
// Heron for the root. The divider's square root runs beside it: half of the vectors take either.
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
  const Vec<T> half = broadcast(T(0.5)), one = broadcast(T(1));
  Vec<T> inverse = inverse_root_estimate(x);
  if constexpr (sizeof(T) == 8) inverse += (half * inverse) * (one - (x * inverse) * inverse);
  const Vec<T> root = x * inverse;
  return root + (x - root * root) * (half * inverse);
#else
  return square_root<T>(x);
#endif
}

// Euclidean distances straight from the dot kernel's registers.
template <class T>
struct FusedNorm {
  const PackedColumns<T>& Y;

  std::int64_t chunk_panels() const { return panels_per_chunk<T>(Y.cols); }
  COTERIE_INLINE void prepare(const Strip<T>&, std::int64_t, std::int64_t, T*) const {}

  COTERIE_INLINE void block(const Strip<T>& strip, std::int64_t panel, std::int64_t, const T*, Block<T>& out) const {
    dot_block<T>(strip.rows, Y.panels + panel * Y.cols * panel_width<T>, Y.start + panel * panel_width<T>, Y.cols, out);
    const Vec<T> share = broadcast(cancellation_share<T>), tiny = broadcast(smallest_quick<T>);
    Mask<T> cancelled{};
    for (int v = 0; v < panel_vectors; ++v) {
      const Vec<T> column_limit = share * load(Y.term + panel * panel_width<T> + v * lanes<T>) + tiny;
      for (int r = 0; r < strip_rows; ++r) {
        const T term = strip.term[r < strip.count ? r : strip.count - 1];
        out.value[r][v] = broadcast(term) + (out.value[r][v] + out.value[r][v]);
        cancelled |= out.value[r][v] < broadcast(cancellation_share<T> * term) + column_limit;
      }
    }
    if (__builtin_expect(lane_bits<T>(cancelled) != 0, 0)) {
      repair(strip, panel, out);
      return;
    }
    for (int r = 0; r < strip_rows; ++r) {
      out.value[r][0] = square_root<T>(out.value[r][0]);
      out.value[r][1] = quick_root<T>(out.value[r][1]);
    }
  }

  // Small distances again, by difference; the whole block takes the divider's root.
  __attribute__((noinline)) void repair(const Strip<T>& strip, std::int64_t panel, Block<T>& out) const {
    for (int r = 0; r < strip.count; ++r)
      for (int lane = 0; lane < panel_width<T>; ++lane) {
        const std::int64_t column = panel * panel_width<T> + lane;
        T value = out.value[r][lane / lanes<T>][lane % lanes<T>];
        if (value < cancellation_share<T> * (strip.term[r] + Y.term[column]))
          value = squared_distance_to_packed(strip.rows.row[r], packed_column(Y, column), Y.cols);
        out.value[r][lane / lanes<T>][lane % lanes<T>] = std::sqrt(value);
      }
    for (int r = strip.count; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v) out.value[r][v] = out.value[0][v];
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

  template <bool is_ragged>
  COTERIE_INLINE void add(const Block<T>& values, int count, T* column) {
    const Vec<T> infinite = broadcast(std::numeric_limits<T>::infinity());
    for (int v = 0; v < panel_vectors; ++v) {
      Vec<T> total = load(column + v * lanes<T>);
      for (int r = 0; r < strip_rows; ++r) {
        Vec<T> value = values.value[r][v];
        if (is_ragged) value = select<T>(value < infinite, value, Vec<T>{});
        row[r] += value;
        if (!is_ragged || r < count) total += value;
      }
      store(column + v * lanes<T>, total);
    }
    ++panels;
  }
};

template <class T, class Source>
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
    if (has_padding || strip.count < strip_rows)
      sums.template add<true>(values, strip.count, column);
    else
      sums.template add<false>(values, strip.count, column);
  }
  sums.flush(task, first_group, strip);
}

template <class T, class Source>
void add_sums_from(const GroupSumTask<T>& task, const Source& source) {
  const std::int64_t n_columns = (task.end_panel - task.first_panel) * panel_width<T>, chunk = source.chunk_panels();
  const Scratch<T> tile(strip_rows * max_tile_columns), column_totals(n_columns);
  for (std::int64_t begin = 0; begin < task.rows.rows; begin += rows_per_sum) {
    const std::int64_t end = begin + rows_per_sum < task.rows.rows ? begin + rows_per_sum : task.rows.rows;
    const MatrixView<T> rows = {task.rows.row(begin), end - begin, task.rows.cols, task.rows.stride};
    for (std::int64_t j = 0; j < n_columns; ++j) column_totals[j] = 0;
    for (std::int64_t first = task.first_panel; first < task.end_panel; first += chunk) {
      const std::int64_t count = first + chunk < task.end_panel ? chunk : task.end_panel - first;
      for (std::int64_t i = 0; i < rows.rows; i += strip_rows)
        add_strip(task, source, strip_of(rows, task.terms + begin, i, begin, 0), first, count, tile.data(), column_totals.data());
    }
    if (task.column_sums == nullptr) continue;
    double* to = task.column_sums + task.first_panel * panel_width<T>;
    for (std::int64_t j = 0; j < n_columns; ++j) to[j] += static_cast<double>(column_totals[j]);
  }
}

template <class T>
void add_sums(const GroupSumTask<T>& task) {
  if (task.metric.kernel == Kernel::dot && task.metric.finish == Finish::norm && task.largest_term <= largest_quick_term)
    add_sums_from(task, FusedNorm<T>{*task.columns});
  else
    add_sums_from(task, Tiled<T>{*task.columns, fill_of<T>(task.metric), task.metric});
}

}  // namespace

void install_silhouette(Engine& engine) {
  engine.float32.silhouette.add_sums = add_sums<float>;
  engine.float64.silhouette.add_sums = add_sums<double>;
}

}  // namespace coterie::COTERIE_ISA
