// Which groups can be the nearest other one of a row, by mean distance, without looking at pairs.
//
// Let D be the mean of |x - y|^2 over the y of a group, and D (1 + u) one such square: u is -1 at least and 0 in the mean. Both D and
// the mean V of u^2 follow from the group's moments. The mean distance then lies between sqrt(D / (1 + V)), by Hoelder's
// inequality, and sqrt(D) (1 - c V), where 1 + u/2 - c u^2 is at least sqrt(1 + u) up to the largest u. A group that is farther at
// least than another is at most cannot be the nearest.
//
// Rows that this leaves several groups are asked again, where it pays, with the means of u^3 and u^4. The derivatives of the root
// alternate in sign; so two numbers that share three moments with 1 + u have too large a mean root (Gauss quadrature), and zero and two
// numbers that share four have too small a one (Gauss-Radau).
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// Rows sorted by group: group g is rows [starts[g], starts[g + 1]).
template <class T>
struct GroupedRows {
  MatrixView<T> rows;
  const std::int64_t* starts;
  std::int64_t n_groups;
};

// rows x n_groups: whether the group may be the nearest one that is not the row's own.
template <class T>
std::vector<std::uint8_t> possible_neighbours(const GroupedRows<T>& given, int threads);

}  // namespace coterie
