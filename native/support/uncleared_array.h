// Numbers that somebody will write before they are read: large ones in large pages, which whoever writes first gets from the system.
#pragma once

#include <cstddef>
#include <memory>

#include "support/scratch.h"

namespace coterie {

template <class T>
class UnclearedArray {
 public:
  UnclearedArray() = default;
  explicit UnclearedArray(std::size_t size) : memory_(static_cast<T*>(allocate_aligned(size * sizeof(T)))) {}

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  T& operator[](std::size_t i) { return memory_.get()[i]; }
  const T& operator[](std::size_t i) const { return memory_.get()[i]; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { free_aligned(memory); }
  };
  std::unique_ptr<T, Free> memory_;
};

}  // namespace coterie
