// Lists of the nearest rows found so far, which several threads may offer to.
#pragma once

#include <cstdint>

#include "neighbours/descent_jobs.h"
#include "support/isa.h"
#include "support/platform.h"

namespace coterie::COTERIE_ISA {

inline constexpr int spins_before_yield = 100;

inline __attribute__((always_inline)) std::uint64_t entry_of(std::int32_t key, std::int32_t row) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key)) << 32) | (static_cast<std::uint64_t>(row) << 1) | 1;
}

inline __attribute__((always_inline)) std::int64_t row_of(std::uint64_t entry) {
  return static_cast<std::int64_t>((entry & 0xffffffffu) >> 1);
}

// Keeps the smallest entries, rising; one that is there already, flagged or not, is not taken again.
inline __attribute__((always_inline)) bool insert(std::uint64_t* list, std::int64_t size, std::uint64_t entry) {
  const std::uint64_t place = entry >> 1;
  if ((list[size - 1] >> 1) <= place) return false;
  std::int64_t at = size - 1;
  while (at > 0 && (list[at - 1] >> 1) > place) --at;
  if (at > 0 && (list[at - 1] >> 1) == place) return false;
  for (std::int64_t to = size - 1; to > at; --to) list[to] = list[to - 1];
  list[at] = entry;
  return true;
}

// The key that an entry must not exceed to be taken: that of the last one, the largest there is while the list is short.
inline __attribute__((always_inline)) std::int32_t last_key(const NearLists& lists, std::int64_t row) {
  const std::uint64_t last = __atomic_load_n(lists.last + row, __ATOMIC_RELAXED);
  return last == empty_entry ? 0x7fffffff : static_cast<std::int32_t>(last >> 32);
}

// An outdated last entry is larger, never smaller: what is refused by it would be refused by the present one.
inline __attribute__((always_inline)) bool offer(const NearLists& lists, std::int64_t row, std::uint64_t entry) {
  if ((__atomic_load_n(lists.last + row, __ATOMIC_RELAXED) >> 1) <= (entry >> 1)) return false;
  std::uint8_t* lock = lists.locks + row;
  for (int tries = 1; __atomic_exchange_n(lock, std::uint8_t{1}, __ATOMIC_ACQUIRE) != 0; ++tries)
    if (tries % spins_before_yield == 0) yield_processor();  // who holds it may not be running
  std::uint64_t* list = lists.entries + row * lists.size;
  const bool is_taken = insert(list, lists.size, entry);
  if (is_taken) __atomic_store_n(lists.last + row, list[lists.size - 1], __ATOMIC_RELAXED);
  __atomic_store_n(lock, std::uint8_t{0}, __ATOMIC_RELEASE);
  return is_taken;
}

}  // namespace coterie::COTERIE_ISA
