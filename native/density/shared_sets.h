// Disjoint sets that many threads unite at once. Which sets there are in the end does not depend on the order.
#pragma once

#include <cstdint>

namespace coterie {

__attribute__((always_inline)) inline std::int32_t find_shared(std::int32_t* parent, std::int32_t i) {
  for (;;) {
    const std::int32_t above = __atomic_load_n(parent + i, __ATOMIC_RELAXED);
    if (above == i) return i;
    const std::int32_t top = __atomic_load_n(parent + above, __ATOMIC_RELAXED);
    __atomic_store_n(parent + i, top, __ATOMIC_RELAXED);  // an ancestor either way: halves the path
    i = top;
  }
}

// The lower root stays a root.
__attribute__((always_inline)) inline void unite_shared(std::int32_t* parent, std::int32_t a, std::int32_t b) {
  for (;;) {
    a = find_shared(parent, a);
    b = find_shared(parent, b);
    if (a == b) return;
    if (a < b) {
      const std::int32_t lower = a;
      a = b;
      b = lower;
    }
    std::int32_t expected = a;
    if (__atomic_compare_exchange_n(parent + a, &expected, b, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

}  // namespace coterie
