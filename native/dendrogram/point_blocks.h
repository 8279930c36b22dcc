// Points in blocks of 64, column after column, with a box about each block: most of them need not be looked at.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "dendrogram/point_block_kernels.h"

namespace coterie {

inline constexpr double INF = std::numeric_limits<double>::infinity();

// A place without a point holds infinity, which is far from everything.
class PointBlocks {
 public:
  PointBlocks(std::int64_t n_places, std::int64_t d);

  std::int64_t n_blocks() const { return n_blocks_; }
  std::int64_t n_places() const { return n_blocks_ * POINTS_PER_BLOCK; }
  void put(std::int64_t place, const double* point);
  void get(std::int64_t place, double* point) const;

  void enclose(std::int64_t block);  // its box anew, after points were put
  void to_block(const double* point, std::int64_t block, double* squared) const;
  void to_boxes(const double* point, double* squared) const;

 private:
  std::int64_t d_, n_blocks_;
  std::vector<double> points_, low_, high_;
};

}  // namespace coterie
