#include "support/parallel.h"

#if defined(COTERIE_STD_THREADS)
#include <thread>
#else
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "support/platform.h"
#include "support/thread_pool.h"

namespace coterie {
namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};
std::atomic<bool> is_forked_child{false};
constexpr std::int64_t poll_interval_ms = 50;

// What a thread knows of itself. Only the thread that entered the native code hears of signals; were the others to ask as well, each
// question of theirs would spare it one of its own, and the answer would come late or never.
struct ThreadState {
  std::int64_t last_poll_ms = 0;
  bool serves_another = false;
  const std::atomic<bool>* team_stopped = nullptr;  // whether a task of its team failed; null outside of teams
};
thread_local ThreadState own_state;

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

bool should_stop() {
  if (own_state.team_stopped != nullptr && own_state.team_stopped->load(std::memory_order_relaxed)) return true;
  if (own_state.serves_another) return false;
  const InterruptCheck check = interrupt_check.load(std::memory_order_relaxed);
  if (check == nullptr) return false;
  const std::int64_t now = now_ms();
  if (now - own_state.last_poll_ms < poll_interval_ms) return false;
  own_state.last_poll_ms = now;
  return check();
}

// The threads of a pool do not survive fork(), and its lock may be held by one of them: a child that used it would wait for ever.
[[maybe_unused]] const bool is_told_of_forks = [] {
  call_after_fork([] { is_forked_child.store(true); });
  return true;
}();

#if defined(COTERIE_STD_THREADS)  // ThreadSanitizer does not know GCC's OpenMP
int team_size() { return static_cast<int>(std::thread::hardware_concurrency()); }
#else
int team_size() { return omp_get_max_threads(); }
#endif

thread_local bool is_in_team = false;

// Never destroyed: its threads sleep until the process ends.
ThreadPool& thread_pool() {
  static auto* const pool = new ThreadPool;
  return *pool;
}

// Calls body(thread) here as number 0, and on up to size - 1 threads that find time for it.
template <class Body>
void run_team(int size, const Body& body) {
  thread_pool().run(
      size - 1,
      [](void* context, int thread) {
        is_in_team = true;
        (*static_cast<const Body*>(context))(thread);
        is_in_team = false;
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

void check_interrupt() {
  if (should_stop()) throw Interrupted();
}

int default_threads() { return is_forked_child.load() ? 1 : std::max(1, team_size()); }

int resolve_threads(int requested) {
  if (is_forked_child.load()) return 1;
  return requested > 0 ? requested : default_threads();
}

void run_tasks(std::int64_t n_tasks, int threads, TaskFunction function, void* context) {
  const int team = static_cast<int>(std::min<std::int64_t>(resolve_threads(threads), n_tasks));
  if (team <= 1 || is_in_team) {
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
  run_team(team, [&](int thread) {
    own_state.serves_another = thread != 0;
    own_state.team_stopped = &stopped;
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
    own_state.serves_another = false;
    own_state.team_stopped = nullptr;
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace coterie
