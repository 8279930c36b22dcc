#include "support/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include "support/platform.h"

namespace coterie {
namespace {

// Waking a thread takes about as long: who is awake looks out for work for that time and no longer.
constexpr auto patience = std::chrono::microseconds(50);
constexpr int looks_per_clock = 16;

// Looks at `is_true` for a short while; whether it came true.
template <class Claim>
bool look_out(const Claim& is_true) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int look = 0; look < looks_per_clock; ++look) {
      if (is_true()) return true;
      relax_processor();
    }
  } while (std::chrono::steady_clock::now() < end);
  return is_true();
}

}  // namespace

void ThreadPool::run(int helpers, Member member, void* context) {
  Job job{member, context, helpers};
  int to_wake;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    start_threads(helpers);
    jobs_.push_back(&job);
    n_posted_.fetch_add(1, std::memory_order_release);
    to_wake = std::min(helpers, n_sleeping_);
  }
  for (; to_wake > 0; --to_wake) posted_.notify_one();
  member(context, 0);
  std::unique_lock<std::mutex> guard(lock_);
  close(&job);  // who has not come by now is not needed
  if (job.running.load() == 0) return;
  guard.unlock();
  look_out([&] { return job.running.load(std::memory_order_acquire) == 0; });
  guard.lock();
  job.ended.wait(guard, [&] { return job.running.load() == 0; });
}

// Fewer where the system gives no more: the caller does their part.
void ThreadPool::start_threads(int wanted) {
  try {
    for (; n_threads_ < wanted; ++n_threads_) std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {
  }
}

void ThreadPool::serve() {
  std::unique_lock<std::mutex> guard(lock_);
  for (;;) {
    Job* job = open_job();
    if (job == nullptr) {
      const unsigned seen = n_posted_.load();
      guard.unlock();
      wait_for_news(seen);
      guard.lock();
      job = open_job();
    }
    if (job == nullptr) {
      ++n_sleeping_;
      posted_.wait(guard);
      --n_sleeping_;
      continue;
    }
    const int number = ++job->joined;
    if (number == job->wanted) close(job);
    job->running.fetch_add(1);
    guard.unlock();
    job->member(job->context, number);
    guard.lock();
    if (job->running.fetch_sub(1) == 1) job->ended.notify_one();
  }
}

void ThreadPool::wait_for_news(unsigned seen) const {
  look_out([&] { return n_posted_.load(std::memory_order_acquire) != seen; });
}

// The oldest that more may join.
ThreadPool::Job* ThreadPool::open_job() { return jobs_.empty() ? nullptr : jobs_.front(); }

void ThreadPool::close(Job* job) {
  const auto at = std::find(jobs_.begin(), jobs_.end(), job);
  if (at != jobs_.end()) jobs_.erase(at);
}

}  // namespace coterie
