// Sums of powers over a list of numbers, by the vectors of the instruction set.
#pragma once

#include <cstdint>

namespace coterie {

// Numbers with weights; `weights` may be null: all 1.
struct WeightedValues {
  const double* values;
  const double* weights;
  std::int64_t count;
};

struct PowerKernels {
  // values[i]^p in place, for values >= 0 and p > 0.
  void (*raise)(double* values, std::int64_t count, double p);
  // sum of w sign(centre - x) |centre - x|^p, for p > 0.
  double (*pull)(const WeightedValues& points, double centre, double p);
};

}  // namespace coterie
