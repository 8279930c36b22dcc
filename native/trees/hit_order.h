// What kernels leave to code that is compiled once: close calls in double precision, and putting hits in order.
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

// Moves the k nearest of `count` > k hits to the front, by (distance, index), in any order; returns the largest of their
// distances. `workspace` has room for `count` numbers.
template <class T>
T keep_nearest(std::int64_t count, std::int64_t k, std::int32_t* indices, T* distances, T* workspace);

extern template void sort_hits(HitOrder, std::int64_t, std::int64_t*, float*);
extern template void sort_hits(HitOrder, std::int64_t, std::int64_t*, double*);
extern template float keep_nearest(std::int64_t, std::int64_t, std::int32_t*, float*, float*);
extern template double keep_nearest(std::int64_t, std::int64_t, std::int32_t*, double*, double*);

}  // namespace coterie
