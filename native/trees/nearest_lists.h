// For each query of a group, the k nearest points seen so far, by (reduced distance, index).
#pragma once

#include <cstdint>

#include "support/scratch.h"
#include "trees/sorted_entries.h"

namespace coterie::COTERIE_ISA {

template <class T>
class NearestLists {
 public:
  NearestLists(int n_lists, std::int64_t k)
      : k_(k), n_vectors_((k + entry_lanes - 1) / entry_lanes), entries_(n_lists * n_vectors_), limits_(n_lists) {}

  COTERIE_INLINE std::int64_t k() const { return k_; }

  // A list that takes points up to `limit`, inclusive: every place is held by nobody at that distance.
  void clear(int list, T limit) const {
    for (std::int64_t i = 0; i < n_vectors_; ++i) entries_[list * n_vectors_ + i].fill(limit, nobody);
    limits_[list] = limit;
  }

  // The k entries in their order; `nobody` where no point came.
  void copy(int list, std::int64_t* indices, T* distances) const {
    const Entries<T>* entries = entries_.data() + list * n_vectors_;
    for (std::int64_t i = 0; i < k_; ++i) {
      const Entries<T>& vector = entries[i / entry_lanes];
      indices[i] = vector.index(static_cast<int>(i % entry_lanes));
      distances[i] = vector.distance(static_cast<int>(i % entry_lanes));
    }
  }

  // How far away a point may be to enter: the limit, then the k-th distance.
  COTERIE_INLINE const T* limits() const { return limits_.data(); }

  // Offers the points whose bits are set, all but `self`.
  void offer(int list, std::uint32_t points, const T* distances, const std::int32_t* originals, std::int64_t self) const {
    switch (n_vectors_) {
      case 1: return offer_in_registers<1>(list, points, distances, originals, self);
      case 2: return offer_in_registers<2>(list, points, distances, originals, self);
      case 3: return offer_in_registers<3>(list, points, distances, originals, self);
      case 4: return offer_in_registers<4>(list, points, distances, originals, self);
    }
    insert_all(entries_.data() + list * n_vectors_, n_vectors_, points, distances, originals, self);
    limits_[list] = last_distance(list);
  }

 private:
  template <int n_vectors>
  void offer_in_registers(int list, std::uint32_t points, const T* distances, const std::int32_t* originals, std::int64_t self) const {
    Entries<T> entries[n_vectors];
    for (int i = 0; i < n_vectors; ++i) entries[i] = entries_[list * n_vectors + i];
    insert_all(entries, n_vectors, points, distances, originals, self);
    for (int i = 0; i < n_vectors; ++i) entries_[list * n_vectors + i] = entries[i];
    limits_[list] = last_distance(list);
  }

  COTERIE_INLINE T last_distance(int list) const {
    return entries_[list * n_vectors_ + n_vectors_ - 1].distance(static_cast<int>((k_ - 1) % entry_lanes));
  }

  static COTERIE_INLINE void insert_all(Entries<T>* entries, std::int64_t n_vectors, std::uint32_t points, const T* distances,
                                        const std::int32_t* originals, std::int64_t self) {
    for (; points != 0; points &= points - 1) {
      const int point = __builtin_ctz(points);
      if (originals[point] != self) insert_entry(entries, n_vectors, distances[point], originals[point]);
    }
  }

  std::int64_t k_;
  std::int64_t n_vectors_;
  Scratch<Entries<T>> entries_;
  Scratch<T> limits_;
};

}  // namespace coterie::COTERIE_ISA
