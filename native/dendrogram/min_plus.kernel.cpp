// The min-plus product of two matrices: the inner loop of the optimal order of leaves.
#include "engine.h"
#include "support/parallel.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int ROWS = 4;     // rows of the result in registers
constexpr int VECTORS = 2;  // vectors per row
constexpr std::int64_t COLUMNS = VECTORS * lanes<double>;

template <int rows>
COTERIE_INLINE void tile(const MinPlus& p, std::int64_t i, std::int64_t j) {
  Vec<double> best[rows][VECTORS];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < VECTORS; ++v) best[r][v] = load(p.out + (i + r) * p.out_stride + j + v * lanes<double>);
  for (std::int64_t k = 0; k < p.middle; ++k) {
    const double* right = p.right + k * p.right_stride + j;
    Vec<double> terms[VECTORS];
    for (int v = 0; v < VECTORS; ++v) terms[v] = load(right + v * lanes<double>);
    for (int r = 0; r < rows; ++r) {
      const Vec<double> left = broadcast(p.left[(i + r) * p.left_stride + k]);
      for (int v = 0; v < VECTORS; ++v) {
        const Vec<double> sum = left + terms[v];
        best[r][v] = sum < best[r][v] ? sum : best[r][v];
      }
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < VECTORS; ++v) store(p.out + (i + r) * p.out_stride + j + v * lanes<double>, best[r][v]);
}

COTERIE_INLINE void edge(const MinPlus& p, std::int64_t i, std::int64_t j) {
  double* out = p.out + i * p.out_stride + j;
  for (std::int64_t k = 0; k < p.middle; ++k) {
    const double sum = p.left[i * p.left_stride + k] + p.right[k * p.right_stride + j];
    if (sum < *out) *out = sum;
  }
}

void min_plus(const MinPlus& p) {
  const std::int64_t full = p.cols / COLUMNS * COLUMNS;
  for (std::int64_t j = 0; j < full; j += COLUMNS) {
    check_interrupt();
    std::int64_t i = 0;
    for (; i + ROWS <= p.rows; i += ROWS) tile<ROWS>(p, i, j);
    for (; i < p.rows; ++i) tile<1>(p, i, j);
  }
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = full; j < p.cols; ++j) edge(p, i, j);
}

}  // namespace

void install_min_plus(Engine& engine) { engine.ordering = {min_plus}; }

}  // namespace coterie::COTERIE_ISA
