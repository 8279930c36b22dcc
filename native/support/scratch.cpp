#include "support/scratch.h"

#include <cstdlib>
#include <new>

namespace coterie {

namespace {
constexpr std::size_t cache_line = 64;
}

void* allocate_aligned(std::size_t bytes) {
  const std::size_t rounded = (bytes + cache_line - 1) / cache_line * cache_line;
  void* memory = std::aligned_alloc(cache_line, rounded == 0 ? cache_line : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_aligned(void* memory) noexcept { std::free(memory); }

}  // namespace coterie
