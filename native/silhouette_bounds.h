// Which groups can be the nearest other one of a row, by mean distance, without looking at pairs.
//
// The mean distance of x to a set with mean m and variance v (the mean of |y - m|^2) lies between |x - m| and
// sqrt(|x - m|^2 + v), by Jensen's inequality. Groups are cut into small sets, whose bounds add up; a group that is farther at
// least than another is at most cannot be the nearest.
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
