// Passes of seeding over CSR rows.
#include "engine.h"
#include "kmeans/sparse/sparse_products.h"
#include "support/parallel.h"
#include "support/scratch.h"
#include "tiles/finish.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
using SparseData = SeedingData<SparseView<T>>;

// Candidates as [feature][lane].
template <class T>
struct Candidates {
  const std::int64_t* rows;
  std::int64_t count;
  const double* length;  // of every row, squared
  T* panel;
  T start[most_direct_candidates];
};

// Writes the candidates' non-zeros to the panel, or zeros over them.
template <class T>
void fill_panel(const SparseView<T>& X, const Candidates<T>& candidates, std::int64_t width, bool clear) {
  for (std::int64_t c = 0; c < candidates.count; ++c) {
    const SparseRow<T> row = row_of(X, candidates.rows[c]);
    for (std::int64_t p = 0; p < row.count; ++p) candidates.panel[row.columns[p] * width + c] = clear ? T(0) : row.values[p];
  }
}

// Squared distances of one row; those that cancelled are computed again in float64.
template <class T, int vectors>
COTERIE_INLINE void meet_candidates(const SparseData<T>& data, const Candidates<T>& candidates, std::int64_t i, Vec<T>* squared) {
  const SparseRow<T> row = row_of(data.X, i);
  meet_points<T, vectors>(row, candidates.panel, candidates.start, squared);
  const T length = static_cast<T>(candidates.length[i]);
  for (int v = 0; v < vectors; ++v) {
    squared[v] = broadcast(length) + (squared[v] + squared[v]);
    const Vec<T> start = load(candidates.start + v * lanes<T>);
    const Vec<T> least = broadcast(cancellation_share<T>) * (broadcast(length) + (start + start));
    for (std::uint32_t bits = lane_bits<T>(squared[v] < least); bits != 0; bits &= bits - 1) {
      const int lane = __builtin_ctz(bits), c = v * lanes<T> + lane;
      if (c < candidates.count)
        squared[v][lane] =
            static_cast<T>(squared_distance(row, candidates.panel + c, vectors * lanes<T>, candidates.length[candidates.rows[c]]));
    }
  }
}

template <class T, int vectors>
void add_gains(const SparseData<T>& data, const Candidates<T>& candidates, Range range, const T* nearest, std::uint16_t* closer,
               double* gains) {
  const double unit = 1 / data.largest_weight;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    Vec<T> squared[vectors];
    meet_candidates<T, vectors>(data, candidates, i, squared);
    std::uint32_t bits = 0;
    for (int v = 0; v < vectors; ++v) bits |= lane_bits<T>(squared[v] < broadcast(nearest[i])) << (v * lanes<T>);
    bits &= (1u << candidates.count) - 1;
    closer[i] = static_cast<std::uint16_t>(bits);
    const double weight = data.weights == nullptr ? 1.0 : data.weights[i] * unit;
    for (; bits != 0; bits &= bits - 1) {
      const int c = __builtin_ctz(bits);
      gains[c] += weight * static_cast<double>(nearest[i] - squared[c / lanes<T>][c % lanes<T>]);
    }
  }
}

template <class T, int vectors>
void gains_with(const SparseData<T>& data, Candidates<T>& candidates, const T* nearest, std::uint16_t* closer, double* out) {
  constexpr std::int64_t width = vectors * lanes<T>;
  const std::int64_t n = data.X.rows, n_tasks = block_count(n, seeding_rows_per_task);
  const Scratch<double> partial(n_tasks * width);
  fill_panel(data.X, candidates, width, false);
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int) {
    double* sums = partial.data() + task * width;
    for (std::int64_t c = 0; c < width; ++c) sums[c] = 0;
    add_gains<T, vectors>(data, candidates, block_range(n, seeding_rows_per_task, task), nearest, closer, sums);
  });
  fill_panel(data.X, candidates, width, true);
  for (std::int64_t c = 0; c < candidates.count; ++c) {
    out[c] = 0;
    for (std::int64_t task = 0; task < n_tasks; ++task) out[c] += partial[task * width + c];
  }
}

template <class T>
void gains(const SparseData<T>& data, const double* length, const T* nearest, const std::int64_t* rows, std::int64_t count,
           std::uint16_t* closer, double* out, T* room) {
  Candidates<T> candidates{rows, count, length, room, {}};
  for (std::int64_t c = 0; c < most_direct_candidates; ++c)
    candidates.start[c] = c < count ? static_cast<T>(length[rows[c]] / 2) : std::numeric_limits<T>::infinity();
  if (count <= lanes<T>)
    gains_with<T, 1>(data, candidates, nearest, closer, out);
  else if constexpr (2 * lanes<T> <= most_direct_candidates) {
    if (count <= 2 * lanes<T>)
      gains_with<T, 2>(data, candidates, nearest, closer, out);
    else
      gains_with<T, most_direct_candidates / lanes<T>>(data, candidates, nearest, closer, out);
  }
}

template <class T>
void take(const SparseData<T>& data, const double* length, std::int64_t pick, const std::uint16_t* closer, int bit, T* nearest,
          T* room) {
  const SparseRow<T> picked = row_of(data.X, pick);
  for (std::int64_t p = 0; p < picked.count; ++p) room[picked.columns[p]] = picked.values[p];
  parallel_for(block_count(data.X.rows, seeding_rows_per_task), data.threads, [&](std::int64_t task, int) {
    const Range range = block_range(data.X.rows, seeding_rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      if (closer != nullptr && (closer[i] >> bit & 1) == 0) continue;
      const T squared = static_cast<T>(squared_distance(row_of(data.X, i), room, 1, length[pick]));
      if (squared < nearest[i]) nearest[i] = squared;
    }
  });
  for (std::int64_t p = 0; p < picked.count; ++p) room[picked.columns[p]] = 0;
}

template <class T>
void install_for(SparseKernels<T>& kernels) {
  kernels.gains = gains<T>;
  kernels.take = take<T>;
}

}  // namespace

void install_sparse_seeding(Engine& engine) {
  install_for(engine.float32.sparse);
  install_for(engine.float64.sparse);
}

}  // namespace coterie::COTERIE_ISA
