// Tiles of distances, summed along rows and columns while they are in registers.
#include <limits>

#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

inline constexpr std::int64_t rows_per_sum = 192;  // float32 column sums go to float64 after so many rows
template <class T>
inline constexpr std::int64_t chunk_panels = max_tile_columns / panel_width<T>;  // and row sums after so many panels
template <class T>
inline constexpr std::int64_t block_numbers = strip_rows * panel_width<T>;

// Squared Euclidean distances of a strip whose rows are twice as long as they are, which saves a doubling.
template <class T>
struct Squares {
  const PackedColumns<T>& Y;
  StripRows<T> rows;
  T term[strip_rows];
  T largest_term = 0;
  std::int64_t served_after[strip_rows];  // so many features, row r of the panel before is served

  Squares(const PackedColumns<T>& columns, const Strip<T>& strip) : Y(columns), rows(strip.rows) {
    for (int r = 0; r < strip_rows; ++r) {
      term[r] = strip.term[r < strip.count ? r : strip.count - 1];
      largest_term = largest_term < term[r] ? term[r] : largest_term;
      served_after[r] = (r + 1) * Y.cols / strip_rows;
    }
  }

  // Into `to`. Between the products, `meanwhile` serves row after row of the strip: it takes the roots of the panel before, and the
  // divider so runs beside the multipliers. That saves a sixth of the time of a whole silhouette (AVX2, 4e4 x 16).
  template <class Meanwhile>
  COTERIE_INLINE void fill(std::int64_t panel, T* to, const Meanwhile& meanwhile) const {
    const T* features = Y.panels + panel * Y.cols * panel_width<T>;
    Vec<T> products[strip_rows][panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) {
      const Vec<T> halved = load(Y.start + panel * panel_width<T> + v * lanes<T>);
      for (int r = 0; r < strip_rows; ++r) products[r][v] = halved + halved;
    }
    std::int64_t t = 0;
#pragma GCC unroll 8
    for (int served = 0; served < strip_rows; ++served) {
      for (; t < served_after[served]; ++t) multiply(features, t, products);
      meanwhile(served);
    }
    finish(panel, products, to);
  }

 private:
  COTERIE_INLINE void multiply(const T* features, std::int64_t t, Vec<T> (&products)[strip_rows][panel_vectors]) const {
    Vec<T> y[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) y[v] = load(features + t * panel_width<T> + v * lanes<T>);
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> x = broadcast(rows.row[r][t]);
      for (int v = 0; v < panel_vectors; ++v) products[r][v] -= x * y[v];
    }
  }

  COTERIE_INLINE void finish(std::int64_t panel, const Vec<T> (&products)[strip_rows][panel_vectors], T* to) const {
    for (int v = 0; v < panel_vectors; ++v) {
      Vec<T> least = broadcast(std::numeric_limits<T>::infinity());
      for (int r = 0; r < strip_rows; ++r) {
        const Vec<T> squared = products[r][v] + broadcast(term[r]);
        store(to + (r * panel_vectors + v) * lanes<T>, squared);
        least = minimum<T>(least, squared);
      }
      const std::int64_t column = panel * panel_width<T> + v * lanes<T>;
      const Mask<T> is_cancelled = least < broadcast(cancellation_share<T>) * (load(Y.term + column) + broadcast(largest_term));
      if (__builtin_expect(lane_bits<T>(is_cancelled) != 0, 0))
        repair(packed_column(Y, column), load(Y.term + column), to + v * lanes<T>);
    }
  }

  // Small distances to a vector of columns again, by difference: of groups far apart, most distances within them.
  __attribute__((noinline)) void repair(const T* columns, Vec<T> column_terms, T* to) const {
    Vec<T> sum[strip_rows] = {};
    for (std::int64_t t = 0; t < Y.cols; ++t) {
      const Vec<T> y = load(columns + t * panel_width<T>);
      for (int r = 0; r < strip_rows; ++r) sum[r] = add_square(sum[r], broadcast(T(0.5) * rows.row[r][t]) - y);
    }
    for (int r = 0; r < strip_rows; ++r) {
      T* squares = to + r * panel_width<T>;
      const Vec<T> squared = load(squares);
      const Mask<T> is_cancelled = squared < broadcast(cancellation_share<T>) * (broadcast(term[r]) + column_terms);
      store(squares, select<T>(is_cancelled, sum[r], squared));
    }
  }
};

// Sums of one strip against the panels of a chunk.
template <class T, bool is_weighted>
struct StripSums {
  const GroupSumTask<T>& task;
  const Strip<T>& strip;
  T* column_totals;  // of the panels of the task; null: not wanted
  std::int64_t first_column;  // that these begin with
  std::int64_t group;
  WideSum<T> row[strip_rows] = {};

  bool is_ragged(std::int64_t panel) const {
    return strip.count < strip_rows || task.columns->ids[(panel + 1) * panel_width<T> - 1] < 0;
  }

  // Row sums go to float64 with each group.
  COTERIE_INLINE void turn_to(std::int64_t next_group) {
    if (next_group == group) return;
    flush();
    group = next_group;
  }

  COTERIE_INLINE void flush() {
    double* to = task.row_sums + (group - task.columns->group[task.first_panel]) * task.rows.rows + strip.first_row;
    for (int r = 0; r < strip.count; ++r) to[r] += row[r].total();
    for (int r = 0; r < strip_rows; ++r) row[r] = {};
  }

  // Adds the distances of row r to its sum and to those of the columns, weighted where weights are given.
  template <bool is_ragged>
  COTERIE_INLINE void add(std::int64_t r, const Vec<T> (&distances)[panel_vectors], std::int64_t panel) {
    const std::int64_t column = panel * panel_width<T>;
    for (int v = 0; v < panel_vectors; ++v) {
      Vec<T> value = distances[v];
      if (is_ragged) value = select<T>(value < broadcast(std::numeric_limits<T>::infinity()), value, Vec<T>{});
      row[r].vector(panel * panel_vectors + v) += is_weighted ? value * load(task.column_weights + column + v * lanes<T>) : value;
      if (column_totals == nullptr || (is_ragged && r >= strip.count)) continue;
      T* total = column_totals + (column - first_column) + v * lanes<T>;
      store(total, load(total) + (is_weighted ? value * broadcast(task.row_weights[strip.first_row + r]) : value));
    }
  }
};

template <class T, bool is_weighted>
struct Euclidean {
  const PackedColumns<T>& Y;

  static std::int64_t tile_numbers() { return 2 * block_numbers<T>; }

  COTERIE_INLINE void add_chunk(StripSums<T, is_weighted>& sums, std::int64_t first, std::int64_t count, T* tile) const {
    const Squares<T> squares(Y, sums.strip);
    std::int64_t waiting = -1;  // the panel before, if its squares wait for their roots
    for (std::int64_t panel = first; panel < first + count; ++panel) {
      T* to = tile + panel % 2 * block_numbers<T>;
      const T* before = tile + (1 - panel % 2) * block_numbers<T>;
      if (waiting >= 0 && Y.group[panel] != sums.group) {
        add_roots<false>(sums, before, waiting);
        waiting = -1;
      }
      if (waiting >= 0)
        squares.fill(panel, to, [&, panel = waiting](std::int64_t r) { add_root<false>(sums, r, before, panel); });
      else
        squares.fill(panel, to, [](std::int64_t) {});
      sums.turn_to(Y.group[panel]);
      waiting = sums.is_ragged(panel) ? -1 : panel;
      if (waiting < 0) add_roots<true>(sums, to, panel);
    }
    if (waiting >= 0) add_roots<false>(sums, tile + waiting % 2 * block_numbers<T>, waiting);
  }

 private:
  template <bool is_ragged>
  COTERIE_INLINE void add_root(StripSums<T, is_weighted>& sums, std::int64_t r, const T* squares, std::int64_t panel) const {
    Vec<T> distances[panel_vectors];
    for (int v = 0; v < panel_vectors; ++v) distances[v] = square_root<T>(load(squares + (r * panel_vectors + v) * lanes<T>));
    sums.template add<is_ragged>(r, distances, panel);
  }

  template <bool is_ragged>
  void add_roots(StripSums<T, is_weighted>& sums, const T* squares, std::int64_t panel) const {
    for (int r = 0; r < strip_rows; ++r) add_root<is_ragged>(sums, r, squares, panel);
  }
};

template <class T, bool is_weighted>
struct AnyDistance {
  Tiled<T> source;

  std::int64_t tile_numbers() const { return source.tile_numbers(); }

  COTERIE_INLINE void add_chunk(StripSums<T, is_weighted>& sums, std::int64_t first, std::int64_t count, T* tile) const {
    source.prepare(sums.strip, first, count, tile);
    for (std::int64_t q = 0; q < count; ++q) {
      sums.turn_to(source.Y.group[first + q]);
      Block<T> values;
      source.block(sums.strip, first + q, q, tile, values);
      const bool is_ragged = sums.is_ragged(first + q);
      for (int r = 0; r < strip_rows; ++r)
        is_ragged ? sums.template add<true>(r, values.value[r], first + q) : sums.template add<false>(r, values.value[r], first + q);
    }
  }
};

template <class T, bool is_weighted, class Source>
void add_sums_from(const GroupSumTask<T>& task, const Source& source) {
  const std::int64_t n_columns = (task.end_panel - task.first_panel) * panel_width<T>;
  const Scratch<T> tile(source.tile_numbers()), column_totals(n_columns);
  T* totals = task.column_sums == nullptr ? nullptr : column_totals.data();
  for (std::int64_t begin = 0; begin < task.rows.rows; begin += rows_per_sum) {
    const std::int64_t end = begin + rows_per_sum < task.rows.rows ? begin + rows_per_sum : task.rows.rows;
    const MatrixView<T> rows = {task.rows.row(begin), end - begin, task.rows.cols, task.rows.stride};
    for (std::int64_t j = 0; j < n_columns; ++j) column_totals[j] = 0;
    for (std::int64_t first = task.first_panel; first < task.end_panel; first += chunk_panels<T>) {
      const std::int64_t count = first + chunk_panels<T> < task.end_panel ? chunk_panels<T> : task.end_panel - first;
      for (std::int64_t i = 0; i < rows.rows; i += strip_rows) {
        const Strip<T> strip = strip_of(rows, task.terms + begin, i, begin, 0);
        StripSums<T, is_weighted> sums{task, strip, totals, task.first_panel * panel_width<T>, task.columns->group[first]};
        source.add_chunk(sums, first, count, tile.data());
        sums.flush();
      }
    }
    if (task.column_sums == nullptr) continue;
    double* to = task.column_sums + task.first_panel * panel_width<T>;
    for (std::int64_t j = 0; j < n_columns; ++j) to[j] += static_cast<double>(column_totals[j]);
  }
}

template <class T, bool is_weighted>
void add_weighted_sums(const GroupSumTask<T>& task) {
  if (task.is_euclidean)
    add_sums_from<T, is_weighted>(task, Euclidean<T, is_weighted>{*task.columns});
  else
    add_sums_from<T, is_weighted>(task, AnyDistance<T, is_weighted>{{*task.columns, fill_of<T>(task.metric), task.metric}});
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
