// What the kernel of mean shift is asked to do.
#pragma once

#include <cstdint>

#include "trees/kdtree_jobs.h"

namespace coterie {

// Rows as whole numbers, which add up the same in any order.
struct UnitView {
  const std::int64_t* coarse;  // as the points of the tree; 0 in unused places
  const std::int64_t* fine;
  const std::int64_t* node_coarse;  // per node: the sums of its points, column by column
  const std::int64_t* node_fine;
};

// The sums over the points within the radius of each query.
struct ShiftJob {
  QueryGroups<double> queries;
  double radius;
  UnitView units;
  std::int64_t* counts;  // per query
  std::int64_t* coarse;  // per query: a sum for each column
  std::int64_t* fine;
};

struct ShiftKernels {
  void (*sum_within)(const KDTreeView<double>& tree, const ShiftJob& job, int threads);
};

}  // namespace coterie
