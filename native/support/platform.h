// What operating systems do differently. platform.cpp is the only file with a header of POSIX or Windows.
#pragma once

#include <cstddef>

namespace coterie {

// Memory at a multiple of `alignment`, a power of two; null when there is none. `bytes` is a multiple of it.
void* aligned_memory(std::size_t alignment, std::size_t bytes) noexcept;
void free_aligned_memory(void* memory) noexcept;

// Ask for pages of 2 MiB, where the system has them; small ones work as well.
void prefer_huge_pages(void* memory, std::size_t bytes) noexcept;

// Let another thread run on this processor.
void yield_processor() noexcept;

// What a thread does between two looks at a number that another will change soon.
void relax_processor() noexcept;

// Have `action` called in every process that fork() makes of this one; nothing where there is no fork.
void call_after_fork(void (*action)()) noexcept;

}  // namespace coterie
