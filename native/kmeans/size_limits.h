// Rows to groups whose sizes have limits, at the least total cost.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// Group j takes at least least[j] and at most most[j] rows.
struct SizeLimits {
  const std::int64_t* least;
  const std::int64_t* most;
};

// Writes the group of each row: of all assignments within the limits, one of least total cost. Costs are finite, and the limits can be
// kept: least[j] <= most[j], and the number of rows lies between the sums of both.
//
// `prices` are what a place in each group costs on top. They are a guess on the way in, zeros will do: with good ones there is little
// to repair. On the way out no row would gain by going elsewhere at these prices.
//
// Costs of at least 0 that differ by rounding alone are made equal before: see settle_costs.
void assign_within_sizes(MatrixView<double> costs, SizeLimits limits, double* prices, std::int32_t* labels);

// Multiplies costs of at least 0 by the power of two that brings the largest below 1, rounds each to `digits` binary digits, halves to
// even ones, and returns the exponent of the power that they were divided by.
int settle_costs(double* costs, std::int64_t count, int digits, int threads);

// The sum of what each row costs in the group that it is in.
double cost_of_labels(MatrixView<double> costs, const std::int32_t* labels);

}  // namespace coterie
