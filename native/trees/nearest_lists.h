// For each query of a group, the k nearest points seen so far, by (reduced distance, index).
//
// Short lists are sorted at all times, in registers while a leaf is met. Long ones gather half as many points again,
// then drop all but the k nearest; they are sorted at the end.
#pragma once

#include <cstdint>

#include "support/scratch.h"
#include "trees/hit_order.h"
#include "trees/sorted_entries.h"

namespace coterie::COTERIE_ISA {

// Where the two ways take the same time, on 30000 points in three dimensions.
template <class T>
inline constexpr std::int64_t longest_sorted = sizeof(T) == 4 ? 128 : 64;

// Points of a chunk that are near enough: bit i stands for distances[i] and originals[i]; `self` is left out.
template <class T>
struct OfferedPoints {
  std::uint32_t bits;
  const T* distances;
  const std::int32_t* originals;
  std::int64_t self;
};

template <class T>
class NearestLists {
 public:
  NearestLists(int n_lists, std::int64_t k)
      : k_(k),
        is_short_(k <= longest_sorted<T>),
        n_vectors_(is_short_ ? (k + entry_lanes - 1) / entry_lanes : 0),
        room_(is_short_ ? 0 : k + k / 2 + most_offered),
        entries_(n_lists * n_vectors_),
        distances_(n_lists * room_),
        indices_(n_lists * room_),
        counts_(is_short_ ? 0 : n_lists),
        workspace_(room_),
        limits_(n_lists) {}

  COTERIE_INLINE std::int64_t k() const { return k_; }

  // A list that takes points up to `limit`, inclusive.
  void clear(int list, T limit) const {
    for (std::int64_t i = 0; i < n_vectors_; ++i) entries_[list * n_vectors_ + i].fill(limit, nobody);
    if (!is_short_) counts_[list] = 0;
    limits_[list] = limit;
  }

  // How far away a point may be to enter: the limit, then at most that of the last clean-up.
  COTERIE_INLINE const T* limits() const { return limits_.data(); }

  void offer(int list, const OfferedPoints<T>& points) const {
    switch (n_vectors_) {
      case 0:
        return gather(list, points);
      case 1:
        return offer_in_registers<1>(list, points);
      case 2:
        return offer_in_registers<2>(list, points);
      case 3:
        return offer_in_registers<3>(list, points);
      case 4:
        return offer_in_registers<4>(list, points);
    }
    insert_all(entries_.data() + list * n_vectors_, n_vectors_, points);
    limits_[list] = last_distance(list);
  }

  // The k entries in their order; `nobody` where no point came.
  void copy(int list, std::int64_t* indices, T* distances) const {
    if (!is_short_) return copy_gathered(list, indices, distances);
    const Entries<T>* entries = entries_.data() + list * n_vectors_;
    for (std::int64_t i = 0; i < k_; ++i) {
      const Entries<T>& vector = entries[i / entry_lanes];
      indices[i] = vector.index(static_cast<int>(i % entry_lanes));
      distances[i] = vector.distance(static_cast<int>(i % entry_lanes));
    }
  }

 private:
  static constexpr std::int64_t most_offered = 32;  // bits of OfferedPoints

  template <int n_vectors>
  void offer_in_registers(int list, const OfferedPoints<T>& points) const {
    Entries<T> entries[n_vectors];
    for (int i = 0; i < n_vectors; ++i) entries[i] = entries_[list * n_vectors + i];
    insert_all(entries, n_vectors, points);
    for (int i = 0; i < n_vectors; ++i) entries_[list * n_vectors + i] = entries[i];
    limits_[list] = last_distance(list);
  }

  COTERIE_INLINE T last_distance(int list) const {
    return entries_[list * n_vectors_ + n_vectors_ - 1].distance(static_cast<int>((k_ - 1) % entry_lanes));
  }

  static COTERIE_INLINE void insert_all(Entries<T>* entries, std::int64_t n_vectors, const OfferedPoints<T>& points) {
    for (std::uint32_t bits = points.bits; bits != 0; bits &= bits - 1) {
      const int point = __builtin_ctz(bits);
      const std::int32_t original = points.originals[point];
      if (original != points.self) insert_entry(entries, n_vectors, points.distances[point], original);
    }
  }

  void gather(int list, const OfferedPoints<T>& points) const {
    std::int64_t count = counts_[list];
    for (std::uint32_t bits = points.bits; bits != 0; bits &= bits - 1) {
      const int point = __builtin_ctz(bits);
      distances_[list * room_ + count] = points.distances[point];
      indices_[list * room_ + count] = points.originals[point];
      count += points.originals[point] != points.self;
    }
    counts_[list] = count;
    if (count > room_ - most_offered) clean_up(list);
  }

  void clean_up(int list) const {
    std::int32_t* indices = indices_.data() + list * room_;
    limits_[list] = keep_nearest(counts_[list], k_, indices, distances_.data() + list * room_, workspace_.data());
    counts_[list] = k_;
  }

  void copy_gathered(int list, std::int64_t* indices, T* distances) const {
    if (counts_[list] > k_) clean_up(list);
    for (std::int64_t i = 0; i < k_; ++i) {
      const bool exists = i < counts_[list];
      indices[i] = exists ? indices_[list * room_ + i] : nobody;
      distances[i] = exists ? distances_[list * room_ + i] : limits_[list];
    }
    sort_hits(HitOrder::distance, counts_[list] < k_ ? counts_[list] : k_, indices, distances);
  }

  std::int64_t k_;
  bool is_short_;
  std::int64_t n_vectors_;
  std::int64_t room_;
  Scratch<Entries<T>> entries_;       // of short lists
  Scratch<T> distances_;              // of long lists, with indices_, counts_ and workspace_
  Scratch<std::int32_t> indices_;
  Scratch<std::int64_t> counts_;
  Scratch<T> workspace_;
  Scratch<T> limits_;
};

}  // namespace coterie::COTERIE_ISA
