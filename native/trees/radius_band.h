// What decides whether a point lies within a radius: kernels where they are sure, double precision where they are not.
#pragma once

#include <cstdint>

#include "trees/kdtree_jobs.h"

namespace coterie {

// Compares in double precision; coordinate j of the query is query[j * query_stride], of the point point[j * point_stride].
bool is_within(const KDTreeView<float>& tree, const float* query, std::int64_t query_stride, const float* point,
               std::int64_t point_stride, double reduced_radius);

// Orders the hits of one row; distances move with their indices. Ties of distances go by index.
template <class T>
void sort_hits(HitOrder order, std::int64_t count, std::int64_t* indices, T* distances);

extern template void sort_hits(HitOrder, std::int64_t, std::int64_t*, float*);
extern template void sort_hits(HitOrder, std::int64_t, std::int64_t*, double*);

}  // namespace coterie
