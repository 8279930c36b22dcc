#include "support/platform.h"

#include <cstdlib>

#if defined(_WIN32)
#include <malloc.h>

#include <thread>
#else
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#endif

namespace coterie {

void relax_processor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

#if defined(_WIN32)

void* aligned_memory(std::size_t alignment, std::size_t bytes) noexcept { return _aligned_malloc(bytes, alignment); }
void free_aligned_memory(void* memory) noexcept { _aligned_free(memory); }
void prefer_huge_pages(void*, std::size_t) noexcept {}
void yield_processor() noexcept { std::this_thread::yield(); }
void call_after_fork(void (*)()) noexcept {}

#else

void* aligned_memory(std::size_t alignment, std::size_t bytes) noexcept { return std::aligned_alloc(alignment, bytes); }
void free_aligned_memory(void* memory) noexcept { std::free(memory); }

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

void yield_processor() noexcept { sched_yield(); }
void call_after_fork(void (*action)()) noexcept { pthread_atfork(nullptr, nullptr, action); }

#endif

}  // namespace coterie
