// What the kernel of Prim's algorithm is asked: the best edges from rows outside of a tree to those in it, one more row having joined.
#pragma once

#include <cstdint>
#include <type_traits>

namespace coterie {

// An integer as wide as a number, so that both fill a vector alike.
template <class T>
using RowNumber = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
struct PrimRow {
  const T* distances;  // to all rows
  T core;  // of the row itself; edges are at least as long as the cores of both ends
  std::int64_t number;
};

// Per row, and changed by the kernel but for the core.
template <class T>
struct PrimState {
  T* core;  // infinite in the tree
  T* best;  // length of the best edge to the tree; infinite without one, and in the tree
  RowNumber<T>* from;  // row of the tree that it comes from; -1 in the tree, the largest number without an edge
};

template <class T>
struct PrimKernels {
  T (*offer_row)(const PrimRow<T>& row, const PrimState<T>& state, std::int64_t n);  // the length of the least edge
  std::int64_t (*first_of_length)(const PrimState<T>& state, T length, std::int64_t n);
};

}  // namespace coterie
