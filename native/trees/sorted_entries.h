// A sorted list of (distance, index) in vectors, into which a point is inserted without a branch on its place: all
// entries are compared at once, those behind the new one move up by one lane, the last one falls out.
//
// Entries order by distance, then by index, so that the list does not depend on the order of insertion. Distances must
// not be negative.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr int entry_lanes = lanes<double>;

// The last lane of `before`, then all but the last of `after`.
template <class V>
COTERIE_INLINE V shift_in(V before, V after) {
  return shuffle_lanes(before, after, [](int lane) { return entry_lanes - 1 + lane; });
}

// What stands in a place that no point has taken.
inline constexpr std::int32_t nobody = std::numeric_limits<std::int32_t>::max();

template <class T>
struct Entries;

// The bits of the distance followed by those of the index, read as one positive double: it orders like the pair, and
// cannot be a NaN because the exponent of a float is shorter.
template <>
struct Entries<float> {
  Vec<double> keys;

  static COTERIE_INLINE double pack(float distance, std::int32_t index) {
    const std::uint64_t high = std::bit_cast<std::uint32_t>(distance);
    return std::bit_cast<double>(high << 32 | static_cast<std::uint32_t>(index));
  }
  COTERIE_INLINE std::uint64_t bits(int lane) const { return std::bit_cast<std::uint64_t>(double{keys[lane]}); }
  COTERIE_INLINE float distance(int lane) const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits(lane) >> 32)); }
  COTERIE_INLINE std::int32_t index(int lane) const { return static_cast<std::int32_t>(bits(lane)); }
  COTERIE_INLINE void fill(float distance, std::int32_t index) { keys = broadcast<double>(pack(distance, index)); }
};

COTERIE_INLINE void insert_entry(Entries<float>* list, std::int64_t n, float distance, std::int32_t index) {
  const Vec<double> key = broadcast<double>(Entries<float>::pack(distance, index));
  Vec<double> last{};
  for (std::int64_t i = 0; i < n; ++i) {
    const Vec<double> old = list[i].keys;
    list[i].keys = minimum<double>(old, maximum<double>(shift_in(last, old), key));
    last = old;
  }
}

template <>
struct Entries<double> {
  Vec<double> distances;
  Mask<double> indices;

  COTERIE_INLINE double distance(int lane) const { return distances[lane]; }
  COTERIE_INLINE std::int32_t index(int lane) const { return static_cast<std::int32_t>(indices[lane]); }
  COTERIE_INLINE void fill(double distance, std::int32_t index) {
    distances = broadcast<double>(distance);
    indices = broadcast_index<double>(index);
  }
};

// is_before(distances, indices): the lanes that stay in front of the new entry.
template <class IsBefore>
COTERIE_INLINE void shift_entries(Entries<double>* list, std::int64_t n, Vec<double> distance, Mask<double> index,
                                  IsBefore is_before) {
  Vec<double> last_distances = broadcast<double>(-1);
  Mask<double> last_indices{};
  for (std::int64_t i = 0; i < n; ++i) {
    const Entries<double> old = list[i];
    const Vec<double> moved_distances = shift_in(last_distances, old.distances);
    const Mask<double> moved_indices = shift_in(last_indices, old.indices);
    const Mask<double> behind = select_index<double>(is_before(moved_distances, moved_indices), index, moved_indices);
    list[i].indices = select_index<double>(is_before(old.distances, old.indices), old.indices, behind);
    list[i].distances = minimum<double>(old.distances, maximum<double>(moved_distances, distance));
    last_distances = old.distances;
    last_indices = old.indices;
  }
}

COTERIE_INLINE void insert_entry(Entries<double>* list, std::int64_t n, double distance, std::int32_t index) {
  const Vec<double> new_distance = broadcast<double>(distance);
  const Mask<double> new_index = broadcast_index<double>(index);
  Mask<double> equal{};
  for (std::int64_t i = 0; i < n; ++i) equal |= list[i].distances == new_distance;
  if (lane_bits<double>(equal) == 0)
    shift_entries(list, n, new_distance, new_index, [&](Vec<double> old, Mask<double>) { return old < new_distance; });
  else
    shift_entries(list, n, new_distance, new_index, [&](Vec<double> old, Mask<double> old_index) {
      return (old < new_distance) | ((old == new_distance) & (old_index < new_index));
    });
}

}  // namespace coterie::COTERIE_ISA
