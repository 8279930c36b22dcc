// Affinities of four rows to a chunk of columns, then their product with the columns' values.
#include "engine.h"
#include "support/exponential.h"
#include "support/scratch.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int strip = 4;

// affinities[r][column of the chunk]; rows beyond the last repeat it.
template <class T>
COTERIE_INLINE void fill(const AffinityTask<T>& task, std::int64_t row, std::int64_t column, T* affinities) {
  const std::int64_t last = task.rows.rows - 1;
  const T* rows[strip];
  T factor[strip];
  for (int r = 0; r < strip; ++r) {
    const std::int64_t at = row + r < last ? row + r : last;
    rows[r] = task.rows.row(at);
    factor[r] = -task.gamma * (task.row_scales == nullptr ? T(1) : task.row_scales[at]);
  }
  for (std::int64_t j = 0; j < affinity_chunk; j += lanes<T>) {
    Vec<T> squares[strip] = {};
    for (std::int64_t t = 0; t < task.rows.cols; ++t) {
      const Vec<T> other = load(task.columns + t * task.padded + column + j);
      for (int r = 0; r < strip; ++r) {
        const Vec<T> difference = broadcast(rows[r][t]) - other;
        squares[r] += difference * difference;
      }
    }
    if (task.column_scales != nullptr) {
      const Vec<T> scale = load(task.column_scales + column + j);
      for (int r = 0; r < strip; ++r) squares[r] *= scale;
    }
    for (int r = 0; r < strip; ++r) store(affinities + r * affinity_chunk + j, exponential(squares[r] * broadcast(factor[r])));
  }
}

// product[r][c] += sum over the chunk of affinities[r][j] * values[j][c], four rows and two vectors at a time.
template <class T>
COTERIE_INLINE void add_product(const T* affinities, const T* values, std::int64_t width, std::int64_t rows, double* product) {
  constexpr int vectors = affinity_width / lanes<T> < 2 ? 1 : 2;
  for (std::int64_t c = 0; c < width; c += vectors * lanes<T>) {
    Vec<T> sums[strip][vectors] = {};
    for (std::int64_t j = 0; j < affinity_chunk; ++j) {
      Vec<T> value[vectors];
      for (int v = 0; v < vectors; ++v) value[v] = load(values + j * width + c + v * lanes<T>);
      for (int r = 0; r < strip; ++r) {
        const Vec<T> affinity = broadcast(affinities[r * affinity_chunk + j]);
        for (int v = 0; v < vectors; ++v) sums[r][v] += affinity * value[v];
      }
    }
    for (std::int64_t r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v)
        for (int lane = 0; lane < lanes<T>; ++lane)
          product[r * width + c + v * lanes<T> + lane] += static_cast<double>(sums[r][v][lane]);
  }
}

template <class T>
void multiply(const AffinityTask<T>& task) {
  const Scratch<T> affinities(strip * affinity_chunk);
  for (std::int64_t column = 0; column < task.padded; column += affinity_chunk)
    for (std::int64_t row = 0; row < task.rows.rows; row += strip) {
      fill(task, row, column, affinities.data());
      for (int r = 0; task.first_row >= 0 && r < strip; ++r) {
        const std::int64_t own = task.first_row + row + r - column;
        if (own >= 0 && own < affinity_chunk) affinities[r * affinity_chunk + own] = 0;
      }
      const std::int64_t rows = row + strip < task.rows.rows ? strip : task.rows.rows - row;
      add_product(affinities.data(), task.values + column * task.width, task.width, rows, task.product + row * task.width);
    }
}

}  // namespace

void install_affinity(Engine& engine) {
  engine.float32.affinity = {multiply<float>};
  engine.float64.affinity = {multiply<double>};
}

}  // namespace coterie::COTERIE_ISA
