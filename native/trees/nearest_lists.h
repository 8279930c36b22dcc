// For each query of a group, the k nearest points seen so far, by (reduced distance, index).
#pragma once

#include <cstdint>
#include <limits>

#include "support/scratch.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

template <class T>
class NearestLists {
 public:
  NearestLists(int n_lists, std::int64_t k)
      : k_(k), distances_(n_lists * k), indices_(n_lists * k), counts_(n_lists), limits_(n_lists) {}

  // A list that takes points up to `limit`, inclusive.
  COTERIE_INLINE void clear(int list, T limit) const {
    counts_[list] = 0;
    limits_[list] = limit;
  }

  COTERIE_INLINE std::int64_t count(int list) const { return counts_[list]; }
  COTERIE_INLINE const T* distances(int list) const { return distances_.data() + list * k_; }
  COTERIE_INLINE const std::int32_t* indices(int list) const { return indices_.data() + list * k_; }

  // What a point may at most be away to enter: the limit, then the k-th distance.
  COTERIE_INLINE const T* limits() const { return limits_.data(); }

  // The point must be within limits()[list].
  COTERIE_INLINE void offer(int list, T distance, std::int32_t index) const {
    T* distances = distances_.data() + list * k_;
    std::int32_t* indices = indices_.data() + list * k_;
    std::int64_t place = counts_[list];
    if (place < k_)
      ++counts_[list];
    else if (is_before(distance, index, distances[k_ - 1], indices[k_ - 1]))
      place = k_ - 1;
    else
      return;
    while (place > 0 && is_before(distance, index, distances[place - 1], indices[place - 1])) {
      distances[place] = distances[place - 1];
      indices[place] = indices[place - 1];
      --place;
    }
    distances[place] = distance;
    indices[place] = index;
    if (counts_[list] == k_) limits_[list] = distances[k_ - 1];
  }

 private:
  // ties by index: the result must not depend on the order in which leaves are met
  static COTERIE_INLINE bool is_before(T distance, std::int32_t index, T other_distance, std::int32_t other_index) {
    return distance < other_distance || (distance == other_distance && index < other_index);
  }

  std::int64_t k_;
  Scratch<T> distances_;
  Scratch<std::int32_t> indices_;
  Scratch<std::int64_t> counts_;
  Scratch<T> limits_;
};

}  // namespace coterie::COTERIE_ISA
