#include "dendrogram/point_blocks.h"

#include <algorithm>

#include "engine.h"
#include "support/cpu_dispatch.h"

namespace coterie {

PointBlocks::PointBlocks(std::int64_t n_places, std::int64_t d)
    : d_(d),
      n_blocks_((n_places + POINTS_PER_BLOCK - 1) / POINTS_PER_BLOCK),
      points_(static_cast<std::size_t>(n_blocks_ * POINTS_PER_BLOCK * d), INF),
      low_(static_cast<std::size_t>(n_blocks_ * d), INF),
      high_(low_.size(), -INF) {}

void PointBlocks::put(std::int64_t place, const double* point) {
  double* first = points_.data() + place / POINTS_PER_BLOCK * POINTS_PER_BLOCK * d_ + place % POINTS_PER_BLOCK;
  for (std::int64_t j = 0; j < d_; ++j) first[j * POINTS_PER_BLOCK] = point[j];
}

void PointBlocks::get(std::int64_t place, double* point) const {
  const double* first = points_.data() + place / POINTS_PER_BLOCK * POINTS_PER_BLOCK * d_ + place % POINTS_PER_BLOCK;
  for (std::int64_t j = 0; j < d_; ++j) point[j] = first[j * POINTS_PER_BLOCK];
}

void PointBlocks::enclose(std::int64_t block) {
  const double* column = points_.data() + block * POINTS_PER_BLOCK * d_;
  for (std::int64_t j = 0; j < d_; ++j, column += POINTS_PER_BLOCK) {
    double low = INF, high = -INF;
    for (std::int64_t i = 0; i < POINTS_PER_BLOCK; ++i) {
      low = std::min(low, column[i]);
      if (column[i] < INF) high = std::max(high, column[i]);
    }
    low_[j * n_blocks_ + block] = low;
    high_[j * n_blocks_ + block] = high;
  }
}

void PointBlocks::to_block(const double* point, std::int64_t block, double* squared) const {
  engine().blocks.to_block(point, points_.data() + block * POINTS_PER_BLOCK * d_, d_, squared);
}

void PointBlocks::to_boxes(const double* point, double* squared) const {
  engine().blocks.to_boxes(point, low_.data(), high_.data(), n_blocks_, n_blocks_, d_, squared);
}

}  // namespace coterie
