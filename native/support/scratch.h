// Aligned working memory for kernels; freed at the end of the scope.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/isa.h"

namespace coterie {

// Defined once, in scratch.cpp, so that no kernel build carries its own copy of the allocator.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory) noexcept;

// Gets the pages of fresh memory from the system, on all threads: whoever touches a page first waits until it has been cleared. Writes
// zeros to some places; all are to be written after that.
void touch_pages(void* memory, std::size_t bytes, int threads);

namespace COTERIE_ISA {

template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t count) : data_(static_cast<T*>(allocate_aligned(static_cast<std::size_t>(count) * sizeof(T)))) {}
  ~Scratch() { free_aligned(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  T* data_;
};

}  // namespace COTERIE_ISA
}  // namespace coterie
