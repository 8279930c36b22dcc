// Linkage of a square matrix of distances, by the formula of Lance and Williams.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/merge_matrix.h"
#include "linkage/merges.h"

namespace coterie {

// Any rule but single and minimax; overwrites the matrix, which is symmetric. Rules that work on squares want squared
// distances and give squared heights.
template <class T>
std::vector<SlotMerge> matrix_linkage(T* square, std::int64_t n, LinkageRule rule, int threads);

// The same from clusters that exist already, a row and a column for each.
template <class T>
std::vector<SlotMerge> matrix_linkage(T* square, StartingClusters<T> clusters, LinkageRule rule, int threads);

// By a spanning tree; the matrix is only read.
template <class T>
std::vector<SlotMerge> single_linkage_of_matrix(const T* square, std::int64_t n, int threads);

// The smallest radius of a ball about a member that holds both clusters; overwrites the matrix.
template <class T>
std::vector<SlotMerge> minimax_linkage(T* square, std::int64_t n, int threads);

}  // namespace coterie
