#include "support/parallel.h"

#if defined(COTERIE_STD_THREADS)
#include <thread>
#include <vector>
#else
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "support/platform.h"

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

// libgomp's worker threads do not survive fork(): a child that used them would wait for ever.
[[maybe_unused]] const bool is_told_of_forks = [] {
  call_after_fork([] { is_forked_child.store(true); });
  return true;
}();

// A team of threads: body(thread) runs once on each, the calling one is number 0.
#if defined(COTERIE_STD_THREADS)
// ThreadSanitizer does not see how OpenMP's threads wait for each other, and would take every result that one hands to another for a
// race; it sees std::thread. Never built for users: threads are started anew every time.
int team_size() { return static_cast<int>(std::thread::hardware_concurrency()); }

thread_local bool is_in_team = false;
bool is_served_by_team() { return is_in_team; }

template <class Body>
void run_team(int size, const Body& body) {
  const auto member = [&](int thread) {
    is_in_team = true;
    body(thread);
    is_in_team = false;
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < size; ++thread) others.emplace_back(member, thread);
  member(0);
  for (std::thread& other : others) other.join();
}
#else
int team_size() { return omp_get_max_threads(); }
bool is_served_by_team() { return omp_in_parallel() != 0; }

template <class Body>
void run_team(int size, const Body& body) {
#pragma omp parallel num_threads(size)
  body(omp_get_thread_num());
}
#endif

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
  if (team <= 1 || is_served_by_team()) {
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
