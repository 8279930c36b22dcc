// Squared distances to the points of a block, and to the boxes about blocks.
#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int VECTORS = 4;  // sums in registers
constexpr std::int64_t WIDTH = VECTORS * lanes<double>;

void to_block(const double* point, const double* block, std::int64_t d, double* squared) {
  for (std::int64_t i = 0; i < POINTS_PER_BLOCK; i += WIDTH) {
    Vec<double> sums[VECTORS] = {};
    for (std::int64_t j = 0; j < d; ++j) {
      const Vec<double> own = broadcast(point[j]);
      for (int v = 0; v < VECTORS; ++v) {
        const Vec<double> step = own - load(block + j * POINTS_PER_BLOCK + i + v * lanes<double>);
        sums[v] += step * step;
      }
    }
    for (int v = 0; v < VECTORS; ++v) store(squared + i + v * lanes<double>, sums[v]);
  }
}

void to_boxes(const double* point, const double* low, const double* high, std::int64_t n, std::int64_t stride, std::int64_t d,
              double* squared) {
  for (std::int64_t i = 0; i < n; ++i) squared[i] = 0;
  for (std::int64_t j = 0; j < d; ++j) {
    const double own = point[j];
    const double *below = low + j * stride, *above = high + j * stride;
    for (std::int64_t i = 0; i < n; ++i) {
      const double left = below[i] - own, right = own - above[i];
      const double outside = left > right ? left : right, gap = outside > 0 ? outside : 0;
      squared[i] += gap * gap;
    }
  }
}

COTERIE_INLINE Vec<double> silhouettes(Vec<double> a, Vec<double> b) {
  const Vec<double> largest = maximum<double>(a, b), zero{};
  return select<double>(largest > zero, (b - a) / largest, zero);
}

double renew(const double* own_squared, const double* other, double* values, std::int64_t n) {
  WideSum<double> changes{};
  const std::int64_t n_whole = n / changes.width * changes.width;
  std::int64_t i = 0;
  for (; i < n_whole; i += lanes<double>) {
    const Vec<double> value = silhouettes(square_root<double>(load(own_squared + i)), load(other + i));
    changes.vector(i / lanes<double>) += value - load(values + i);
    store(values + i, value);
  }
  double total = changes.total();
  for (; i < n; ++i) {
    const double value = silhouettes(broadcast(std::sqrt(own_squared[i])), broadcast(other[i]))[0];
    total += value - values[i];
    values[i] = value;
  }
  return total;
}

std::int64_t find(const std::int32_t* numbers, std::int64_t n_blocks, std::int32_t wanted, std::int32_t* places) {
  std::int64_t count = 0;
  for (std::int64_t block = 0; block < n_blocks; ++block, numbers += POINTS_PER_BLOCK) {
    int is_here = 0;
    for (int i = 0; i < POINTS_PER_BLOCK; ++i) is_here |= numbers[i] == wanted;
    if (!is_here) continue;
    for (int i = 0; i < POINTS_PER_BLOCK; ++i)
      if (numbers[i] == wanted) places[count++] = static_cast<std::int32_t>(block * POINTS_PER_BLOCK + i);
  }
  return count;
}

}  // namespace

void install_point_blocks(Engine& engine) { engine.blocks = {to_block, to_boxes, renew, find}; }

}  // namespace coterie::COTERIE_ISA
