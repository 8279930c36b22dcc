// The one place that knows about threads.
//
// Work is cut into tasks whose number depends on the problem only, never on the thread count; whoever reduces does it
// over tasks in their order. So one thread and sixty-four give the same bits.
#pragma once

#include <cstdint>
#include <exception>
#include <type_traits>

namespace coterie {

// The user asked to stop (Ctrl-C); thrown out of parallel_for and check_interrupt.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Returns true when the work should stop. Called from the thread that entered the native code, at most every 50 ms.
using InterruptCheck = bool (*)();
void set_interrupt_check(InterruptCheck check);

// For long loops: throws Interrupted when the user asked to stop, within a task also when another task failed. Cheap to call often: it
// looks at the clock. Call it so often that no second passes in between.
void check_interrupt();

// What OpenMP would use now: OMP_NUM_THREADS, threadpoolctl; 1 in a forked child, where its pool does not exist.
int default_threads();

// A positive request as it is, otherwise the default.
int resolve_threads(int requested);

using TaskFunction = void (*)(void* context, std::int64_t task, int thread);
void run_tasks(std::int64_t n_tasks, int threads, TaskFunction function, void* context);

// Calls body(task, thread) for every task, thread in [0, resolve_threads(threads)). Exceptions come back to the caller.
template <class Body>
inline __attribute__((always_inline)) void parallel_for(std::int64_t n_tasks, int threads, Body&& body) {
  run_tasks(
      n_tasks, threads,
      [](void* context, std::int64_t task, int thread) { (*static_cast<std::remove_reference_t<Body>*>(context))(task, thread); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// Half-open range of rows that task `task` of `n_tasks` owns.
struct Range {
  std::int64_t begin;
  std::int64_t end;
  __attribute__((always_inline)) std::int64_t size() const { return end - begin; }
};

inline __attribute__((always_inline)) Range block_range(std::int64_t n, std::int64_t block, std::int64_t task) {
  const std::int64_t begin = task * block;
  return {begin, begin + block < n ? begin + block : n};
}

inline __attribute__((always_inline)) std::int64_t block_count(std::int64_t n, std::int64_t block) { return (n + block - 1) / block; }

}  // namespace coterie
