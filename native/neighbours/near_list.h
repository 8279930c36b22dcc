// Lists of the nearest rows found so far, which several threads may offer to.
#pragma once

#include <cstdint>

#include "neighbours/descent_jobs.h"
#include "support/isa.h"
#include "support/platform.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr int spins_before_yield = 100;

typedef std::int64_t UnalignedEntries __attribute__((vector_size(vector_bytes), aligned(8), may_alias));

COTERIE_INLINE Mask<double> load_entries(const std::uint64_t* from) { return *reinterpret_cast<const UnalignedEntries*>(from); }
COTERIE_INLINE void store_entries(std::uint64_t* to, Mask<double> entries) { *reinterpret_cast<UnalignedEntries*>(to) = entries; }

COTERIE_INLINE std::uint64_t entry_of(std::int32_t key, std::int32_t row) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key)) << 32) | (static_cast<std::uint64_t>(row) << 1) | 1;
}

COTERIE_INLINE std::int64_t row_of(std::uint64_t entry) { return static_cast<std::int64_t>((entry & 0xffffffffu) >> 1); }

// Whether a list holds an entry, flagged or not.
COTERIE_INLINE bool holds(const std::uint64_t* list, std::int64_t size, std::uint64_t entry) {
  constexpr int step = lanes<double>;
  const Mask<double> flag = broadcast_index<double>(1), place = broadcast_index<double>(static_cast<std::int64_t>(entry | 1));
  Mask<double> same{};
  for (std::int64_t at = 0; at < size; at += step) same |= (load_entries(list + at) | flag) == place;
  return lane_bits<double>(same) != 0;
}

// Keeps the smallest entries, rising; one that is there already, flagged or not, is not taken again. What falls out of the first `size`
// may stay in the places up to the next multiple of `list_step`.
COTERIE_INLINE bool insert(std::uint64_t* list, std::int64_t size, std::uint64_t entry) {
  constexpr int step = lanes<double>;
  if ((list[size - 1] >> 1) <= (entry >> 1) || holds(list, size, entry)) return false;
  const Mask<double> fresh = broadcast_index<double>(static_cast<std::int64_t>(entry));
  Mask<double> before{};  // entries are not negative
  for (std::int64_t at = 0; at < size; at += step) {
    const Mask<double> old = load_entries(list + at);
    const Mask<double> moved = shuffle_lanes(before, old, [](int lane) { return lane + step - 1; });
    const Mask<double> smaller = old < fresh ? old : fresh;
    store_entries(list + at, moved > smaller ? moved : smaller);
    before = old;
  }
  return true;
}

// The key that an entry must not exceed to be taken: that of the last one, the largest there is while the list is short.
COTERIE_INLINE std::int32_t last_key(const LockedLists& lists, std::int64_t row) {
  const std::uint64_t last = __atomic_load_n(lists.last + row, __ATOMIC_RELAXED);
  return static_cast<std::int32_t>(last >> 32);
}

// An outdated last entry is larger, never smaller: what is refused by it would be refused by the present one.
COTERIE_INLINE bool offer(const LockedLists& lists, std::int64_t row, std::uint64_t entry) {
  if ((__atomic_load_n(lists.last + row, __ATOMIC_RELAXED) >> 1) <= (entry >> 1)) return false;
  std::uint8_t* lock = lists.locks + row;
  for (int tries = 1; __atomic_exchange_n(lock, std::uint8_t{1}, __ATOMIC_ACQUIRE) != 0; ++tries)
    if (tries % spins_before_yield == 0) yield_processor();  // who holds it may not be running
  std::uint64_t* list = lists.entries + row * lists.stride;
  const bool is_taken = insert(list, lists.size, entry);
  if (is_taken) __atomic_store_n(lists.last + row, list[lists.size - 1], __ATOMIC_RELAXED);
  __atomic_store_n(lock, std::uint8_t{0}, __ATOMIC_RELEASE);
  return is_taken;
}

}  // namespace coterie::COTERIE_ISA
