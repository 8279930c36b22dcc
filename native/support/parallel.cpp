#include "support/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

namespace coterie {
namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
std::atomic<bool> is_forked_child{false};
std::atomic<std::int64_t> last_poll_ms{0};
constexpr std::int64_t poll_interval_ms = 50;

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

bool should_stop() {
  const InterruptCheck check = interrupt_check.load(std::memory_order_relaxed);
  if (check == nullptr) return false;
  const std::int64_t now = now_ms();
  if (now - last_poll_ms.load(std::memory_order_relaxed) < poll_interval_ms) return false;
  last_poll_ms.store(now, std::memory_order_relaxed);
  return check();
}

// libgomp's worker threads do not survive fork(): a child that used them would wait for ever.
const int fork_handler = pthread_atfork(nullptr, nullptr, [] { is_forked_child.store(true); });

}  // namespace

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

void check_interrupt() {
  if (should_stop()) throw Interrupted();
}

int default_threads() { return is_forked_child.load() ? 1 : std::max(1, omp_get_max_threads()); }

int resolve_threads(int requested) {
  if (is_forked_child.load()) return 1;
  return requested > 0 ? requested : default_threads();
}

void run_tasks(std::int64_t n_tasks, int threads, TaskFunction function, void* context) {
  const int team = static_cast<int>(std::min<std::int64_t>(resolve_threads(threads), n_tasks));
  if (team <= 1 || omp_in_parallel()) {
    for (std::int64_t task = 0; task < n_tasks; ++task) {
      function(context, task, 0);
      check_interrupt();
    }
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stopped{false};
  std::exception_ptr failure;
  std::mutex failure_lock;
#pragma omp parallel num_threads(team)
  {
    const int thread = omp_get_thread_num();
    try {
      for (std::int64_t task = next++; task < n_tasks && !stopped.load(std::memory_order_relaxed); task = next++) {
        function(context, task, thread);
        if (thread == 0) check_interrupt();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> guard(failure_lock);
      if (!failure) failure = std::current_exception();
      stopped.store(true);
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace coterie
