// Lloyd's passes over CSR rows: the nearest centre, distances, the update of sums.
#include "kmeans/sparse/sparse_kernels.h"

#include "engine.h"
#include "kmeans/sparse/sparse_products.h"
#include "kmeans/update_sums.h"
#include "support/parallel.h"
#include "support/scratch.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t rows_per_task = 256;

// Panels take as many vectors of points as have registers for two sums each; what is left is cut into four, two and one.
#if defined(__AVX512F__)
constexpr int most_vectors = 8;
#else
constexpr int most_vectors = 4;
#endif
constexpr int vectors_of_panel(std::int64_t vectors_left) {
  return vectors_left >= most_vectors ? most_vectors : (vectors_left >= 4 ? 4 : (vectors_left >= 2 ? 2 : 1));
}

// Squared lengths of dense points, to the bit those of kernels that fuse: rows that share no column with two points are decided by them.
template <class T>
void measure_lengths(const MatrixView<T>& points, double* lengths, int threads) {
  constexpr std::int64_t fewest_numbers = 1 << 16;
  parallel_for(points.rows, points.rows * points.cols < fewest_numbers ? 1 : threads, [&](std::int64_t j, int) {
    const T* point = points.row(j);
    lengths[j] = fused_length(point, points.cols);
  });
}

template <class T>
void transpose_columns(const MatrixView<T>& points, const TransposedPoints<T>& out, Range columns) {
  const std::int64_t n_vectors = out.padded / lanes<T>;
  for (std::int64_t first = 0; first < n_vectors; first += vectors_of_panel(n_vectors - first)) {
    const std::int64_t width = vectors_of_panel(n_vectors - first) * lanes<T>;
    T* panel = out.panels + first * lanes<T> * out.cols;
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t point = first * lanes<T> + j;
      for (std::int64_t t = columns.begin; t < columns.end; ++t) panel[t * width + j] = point < out.n ? points.row(point)[t] : T(0);
    }
  }
}

template <class T>
void transpose(const MatrixView<T>& points, const TransposedPoints<T>& out, int threads) {
  constexpr std::int64_t columns_per_task = 64;
  parallel_for(block_count(out.cols, columns_per_task), threads,
               [&](std::int64_t task, int) { transpose_columns(points, out, block_range(out.cols, columns_per_task, task)); });
  const Scratch<double> lengths(out.n);
  measure_lengths(points, lengths.data(), threads);
  for (std::int64_t j = 0; j < out.padded; ++j)
    out.start[j] = j < out.n ? static_cast<T>(lengths[j] / 2) : std::numeric_limits<T>::infinity();
}

// Calls consume(row - range.begin, first point, vectors, count of vectors) for all rows and panels, panel by panel.
template <class T, int vectors, class Consume>
COTERIE_INLINE void walk_panel(const SparseView<T>& X, const TransposedPoints<T>& points, std::int64_t first, Range range,
                               const Consume& consume) {
  const T *panel = points.panels + first * points.cols, *start = points.start + first;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    Vec<T> values[vectors];
    meet_points<T, vectors>(row_of(X, i), panel, start, values);
    consume(i - range.begin, first, values, vectors);
  }
}

template <class T, class Consume>
COTERIE_INLINE void walk_rows(const SparseView<T>& X, const TransposedPoints<T>& points, Range range, const Consume& consume) {
  for (std::int64_t first = 0; first < points.padded;) {
    const int vectors = vectors_of_panel((points.padded - first) / lanes<T>);
    switch (vectors) {
      case 8:
        walk_panel<T, 8>(X, points, first, range, consume);
        break;
      case 4:
        walk_panel<T, 4>(X, points, first, range, consume);
        break;
      case 2:
        walk_panel<T, 2>(X, points, first, range, consume);
        break;
      default:
        walk_panel<T, 1>(X, points, first, range, consume);
    }
    first += vectors * lanes<T>;
  }
}

// |y|^2 of the longest point.
template <class T>
T longest_of(const TransposedPoints<T>& points) {
  T longest = 0;
  for (std::int64_t j = 0; j < points.n; ++j) longest = 2 * points.start[j] > longest ? 2 * points.start[j] : longest;
  return longest;
}

// The nearest point of a row as kernels that fuse find it, where the two least values are within rounding of each other.
template <class T>
std::int64_t settled_sparse(const SparseView<T>& X, const TransposedPoints<T>& points, std::int64_t i, LaneWinner<T> first, T second,
                            T longest) {
  const SparseRow<T> row = row_of(X, i);
  const T length = sum_of_squares<T>(row.count, [row](std::int64_t p) { return row.values[p]; });
  const T error = static_cast<T>(row.count + 8) * std::numeric_limits<T>::epsilon() * (length + longest);
  if (!is_in_doubt(first.value, second, error)) return first.index;
  FusedWinner<T> winner{first.index};
  const T limit = first.value + 4 * error;
  walk_rows(X, points, {i, i + 1}, [&](std::int64_t, std::int64_t begin, const Vec<T>* values, int vectors) {
    const std::int64_t width = vectors * lanes<T>;
    const T* panel = points.panels + begin * points.cols;
    for (std::int64_t at = 0; at < width && begin + at < points.n; ++at)
      if (values[at / lanes<T>][at % lanes<T>] <= limit)
        winner.offer(fused_product<T>(row, panel + at, width, points.start[begin + at]), begin + at);
  });
  return winner.index;
}

template <class T>
void nearest(const SparseView<T>& X, const TransposedPoints<T>& points, std::int32_t* index, int threads) {
  struct Best {
    Vec<T> value;
    Mask<T> at;
    std::conditional_t<kernels_fuse, char, Vec<T>> next;
  };
  const T longest = kernels_fuse ? T(0) : longest_of(points);
  parallel_for(block_count(X.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_task, task);
    const Scratch<Best> best(range.size());
    for (std::int64_t i = 0; i < range.size(); ++i) {
      best[i].value = broadcast(std::numeric_limits<T>::infinity());
      best[i].at = Mask<T>{};
      if constexpr (!kernels_fuse) best[i].next = best[i].value;
    }
    walk_rows(
        X, points, range, [&](std::int64_t i, std::int64_t first, const Vec<T>* values, int vectors) __attribute__((always_inline)) {
          Best state = best[i];
          for (int v = 0; v < vectors; ++v) {
            const Mask<T> numbers = broadcast_index<T>(static_cast<LaneIndex<T>>(first + v * lanes<T>)) + lane_numbers<T>();
            const Mask<T> is_nearer = values[v] < state.value;
            if constexpr (!kernels_fuse) state.next = minimum<T>(state.next, maximum<T>(values[v], state.value));
            state.value = select<T>(is_nearer, values[v], state.value);
            state.at = select_index<T>(is_nearer, numbers, state.at);
          }
          best[i] = state;
        });
    for (std::int64_t i = 0; i < range.size(); ++i) {
      LaneWinner<T> first = lowest_lane<T>(best[i].value, best[i].at);
      if constexpr (!kernels_fuse) {
        const T second = second_least<T>(best[i].value, best[i].at, best[i].next, first);
        first.index = settled_sparse(X, points, range.begin + i, first, second, longest);
      }
      index[range.begin + i] = static_cast<std::int32_t>(first.index);
    }
  });
}

template <class T>
void pairwise(const SparseView<T>& X, const TransposedPoints<T>& points, const MatrixView<T>& point_rows, T* squared, int threads) {
  const Scratch<double> point_lengths(points.n);
  measure_lengths(point_rows, point_lengths.data(), threads);
  parallel_for(block_count(X.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_task, task);
    const Scratch<double> lengths(range.size());
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const SparseRow<T> row = row_of(X, i);
      lengths[i - range.begin] = sum_of_squares<double>(
          row.count, [row](std::int64_t p) __attribute__((always_inline)) { return static_cast<double>(row.values[p]); });
    }
    walk_rows(
        X, points, range, [&](std::int64_t i, std::int64_t first, const Vec<T>* values, int vectors) __attribute__((always_inline)) {
          const T length = static_cast<T>(lengths[i]);
          for (int at = 0; at < vectors * lanes<T> && first + at < points.n; ++at) {
            const std::int64_t point = first + at;
            T value = length + 2 * values[at / lanes<T>][at % lanes<T>];
            if (value < cancellation_share<T> * (length + 2 * points.start[point]))
              value = static_cast<T>(squared_distance(row_of(X, range.begin + i), point_rows.row(point), 1, point_lengths[point]));
            squared[(range.begin + i) * points.n + point] = value;
          }
        });
  });
}

template <class T>
double own_distances(const SparseView<T>& X, const double* weights, const MatrixView<T>& points, const std::int32_t* labels, T* out,
                     int threads) {
  const std::int64_t n_tasks = block_count(X.rows, rows_per_task);
  const Scratch<double> sums(n_tasks), lengths(points.rows);
  measure_lengths(points, lengths.data(), threads);
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_task, task);
    double sum = 0;
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const double squared = squared_distance(row_of(X, i), points.row(labels[i]), 1, lengths[labels[i]]);
      if (out != nullptr) out[i] = static_cast<T>(squared);
      sum += (weights == nullptr ? 1.0 : weights[i]) * squared;
    }
    sums[task] = sum;
  });
  double total = 0;
  for (std::int64_t task = 0; task < n_tasks; ++task) total += sums[task];
  return total;
}

// Adds the row to a cluster, or takes it away (sign -1).
template <class T>
void change_sums(const ClusterSums& sums, const SumUnits& units, std::int64_t cluster, const SparseRow<T>& row, double weight,
                 int sign) {
  std::int64_t* coarse = sums.coarse + cluster * (sums.cols + 1);
  std::int64_t* fine = sizeof(T) == 4 ? nullptr : sums.fine + cluster * (sums.cols + 1);
  const auto add = [&](std::int64_t column, double value) __attribute__((always_inline)) {
    const UnitParts parts = units_of<T>(value * weight * units.scale[column], units.fine_scale);
    const auto change = sign > 0 ? add_to : subtract_from;
    change(coarse[column], parts.whole);
    if constexpr (sizeof(T) != 4) change(fine[column], parts.rest);
  };
  for (std::int64_t p = 0; p < row.count; ++p) add(row.columns[p], static_cast<double>(row.values[p]));
  add(sums.cols, 1);
  sums.count[cluster] += sign;
}

template <class T>
void apply_moves(const SparseView<T>& X, const double* weights, const SumUnits& units, const ClusterMoves& moves,
                 const ClusterSums& sums, int threads) {
  parallel_for(sums.n_clusters, threads, [&](std::int64_t cluster, int) {
    for (std::int64_t p = moves.starts[cluster]; p < moves.starts[cluster + 1]; ++p) {
      const bool leaves = moves.rows[p] < 0;
      const std::int64_t row = leaves ? ~moves.rows[p] : moves.rows[p];
      change_sums(sums, units, cluster, row_of(X, row), weights == nullptr ? 1.0 : weights[row], leaves ? -1 : 1);
    }
  });
}

template <class T>
void install_for(SparseKernels<T>& kernels) {
  kernels.lanes = lanes<T>;
  kernels.transpose = transpose<T>;
  kernels.nearest = nearest<T>;
  kernels.pairwise = pairwise<T>;
  kernels.own_distances = own_distances<T>;
  kernels.apply_moves = apply_moves<T>;
}

}  // namespace

void install_sparse_pass(Engine& engine) {
  install_for(engine.float32.sparse);
  install_for(engine.float64.sparse);
}

}  // namespace coterie::COTERIE_ISA
