// Points so near to the radius that single precision cannot tell; compiled once, for kernels of every instruction set.
#pragma once

#include <cstdint>

#include "trees/kdtree_view.h"

namespace coterie {

// Compares in double precision; coordinate j of the query is query[j * query_stride], of the point point[j * point_stride].
bool is_within(const KDTreeView<float>& tree, const float* query, std::int64_t query_stride, const float* point,
               std::int64_t point_stride, double reduced_radius);

}  // namespace coterie
