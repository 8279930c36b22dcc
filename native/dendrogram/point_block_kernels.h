// The loops over blocks of 64 points; the points of a block lie column after column.
#pragma once

#include <cstdint>

namespace coterie {

inline constexpr std::int64_t POINTS_PER_BLOCK = 64;

struct PointBlockKernels {
  // Squared distances of a point to the 64 points of a block.
  void (*to_block)(const double* point, const double* block, std::int64_t d, double* squared);
  // Squared distances of a point to n boxes; column j of their sides is at low + j * stride.
  void (*to_boxes)(const double* point, const double* low, const double* high, std::int64_t n, std::int64_t stride, std::int64_t d,
                   double* squared);
  // values[i] becomes (b - a) / max(a, b) with b = other[i] and a = sqrt(own_squared[i]); returns the sum of the changes.
  double (*renew)(const double* own_squared, const double* other, double* values, std::int64_t n);
  // Writes the places that hold `wanted`, of a whole number of blocks; returns how many there are.
  std::int64_t (*find)(const std::int32_t* numbers, std::int64_t n_blocks, std::int32_t wanted, std::int32_t* places);
};

}  // namespace coterie
