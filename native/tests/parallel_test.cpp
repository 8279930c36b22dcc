#include "support/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

TEST(every_task_runs_exactly_once) {
  for (const int threads : {1, 2, 7, 64})
    for (const std::int64_t n_tasks : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n_tasks));
      parallel_for(n_tasks, threads, [&](std::int64_t task, int thread) {
        CHECK(thread >= 0 && thread < threads);
        ++runs[static_cast<std::size_t>(task)];
      });
      for (const std::atomic<int>& count : runs) CHECK(count == 1);
    }
}

TEST(exceptions_come_back_to_the_caller) {
  for (const int threads : {1, 2, 7}) {
    CHECK_THROWS(std::runtime_error, "task 5", parallel_for(100, threads, [](std::int64_t task, int) {
                   if (task == 5) throw std::runtime_error("task 5");
                 }));
    std::atomic<int> n_run{0};
    parallel_for(10, threads, [&](std::int64_t, int) { ++n_run; });
    CHECK(n_run == 10);
  }
}

double sum_by_tasks(int threads) {
  const CounterRandom random(1);
  constexpr std::int64_t n = 100000, block = 1024;
  std::vector<double> partial(static_cast<std::size_t>(block_count(n, block)));
  parallel_for(block_count(n, block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, block, task);
    for (std::int64_t i = range.begin; i < range.end; ++i)
      partial[static_cast<std::size_t>(task)] += random.uniform(0, static_cast<std::uint64_t>(i)) - 0.5;
  });
  double total = 0;
  for (const double part : partial) total += part;
  return total;
}

TEST(reductions_in_task_order_do_not_depend_on_the_threads) {
  const double expected = sum_by_tasks(1);
  for (const int threads : {2, 3, 7, 64}) CHECK(sum_by_tasks(threads) == expected);
}

TEST(nested_loops_run_on_the_thread_that_they_are_in) {
  std::atomic<int> n_run{0};
  parallel_for(4, 2, [&](std::int64_t, int) { parallel_for(5, 2, [&](std::int64_t, int thread) { n_run += thread == 0; }); });
  CHECK(n_run == 20);
}

// A thread that is busy elsewhere is not waited for: whoever asked does the work alone.
TEST(a_loop_ends_while_all_helpers_are_busy) {
  std::atomic<bool> may_end{false};
  std::atomic<int> n_busy{0};
  const auto stay = [&](std::int64_t, int) {
    ++n_busy;
    while (!may_end) usleep(100);
  };
  std::thread other([&] { parallel_for(64, 64, stay); });
  while (n_busy < 2) usleep(100);
  for (int loop = 0; loop < 100; ++loop) {
    std::atomic<int> n_run{0};
    parallel_for(8, 2, [&](std::int64_t, int) { ++n_run; });
    CHECK(n_run == 8);
  }
  may_end = true;
  other.join();
}

TEST(several_threads_may_ask_at_once) {
  std::vector<std::thread> callers;
  std::atomic<int> n_run{0};
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int loop = 0; loop < 200; ++loop) parallel_for(5, 3, [&](std::int64_t, int) { ++n_run; });
    });
  for (std::thread& thread : callers) thread.join();
  CHECK(n_run == 4 * 200 * 5);
}

TEST(block_ranges_cover_everything_once) {
  for (const std::int64_t n : {0, 1, 9, 10, 11, 100}) {
    std::int64_t covered = 0;
    for (std::int64_t task = 0; task < block_count(n, 10); ++task) {
      CHECK(block_range(n, 10, task).begin == covered);
      covered = block_range(n, 10, task).end;
    }
    CHECK(covered == n);
  }
}

TEST(an_interrupt_stops_the_loop) {
  set_interrupt_check([] { return true; });
  for (const int threads : {1, 2}) {
    usleep(60000);  // the check is asked at most every 50 ms
    CHECK_THROWS(Interrupted, "interrupted", parallel_for(1000, threads, [](std::int64_t, int) { usleep(500); }));
  }
  set_interrupt_check(nullptr);
}

std::atomic<int> n_asked_elsewhere{0};
std::thread::id caller;

// Signals reach the thread that entered: a question of another would only take its turn.
TEST(only_the_calling_thread_asks_whether_to_stop) {
  caller = std::this_thread::get_id();
  set_interrupt_check([] {
    n_asked_elsewhere += std::this_thread::get_id() != caller;
    return false;
  });
  usleep(60000);
  parallel_for(64, 4, [](std::int64_t, int) { parallel_for(10, 1, [](std::int64_t, int) { usleep(500); }); });
  CHECK(n_asked_elsewhere == 0);
  set_interrupt_check(nullptr);
}

// Otherwise a task that another thread has begun would be waited for, however long it takes.
TEST(loops_within_tasks_stop_when_another_task_failed) {
  constexpr int most_steps = 20000;  // ten seconds
  std::atomic<int> n_steps{0};
  const auto task = [&](std::int64_t at, int) {
    if (at == 0) throw std::runtime_error("failed");
    for (int step = 0; step < most_steps; ++step) {
      check_interrupt();
      usleep(500);
      ++n_steps;
    }
  };
  CHECK_THROWS(std::runtime_error, "failed", parallel_for(2, 2, task));
  CHECK(n_steps < most_steps);
}

#if !defined(COTERIE_STD_THREADS)  // ThreadSanitizer hangs in children of what had threads
// The worker threads of the parent do not exist in the child: waiting for them would be for ever.
TEST(a_forked_child_does_not_hang) {
  const double expected = sum_by_tasks(4);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(sum_by_tasks(4) == expected && default_threads() == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

}  // namespace
}  // namespace coterie
