// Putting the points that a query found in order; compiled once, for kernels of every instruction set.
#pragma once

#include <cstdint>

#include "trees/kdtree_jobs.h"

namespace coterie {

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
