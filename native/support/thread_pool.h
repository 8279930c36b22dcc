// Threads that help whoever asks, and sleep in between.
//
// A caller never waits for a thread that has not begun: it does the work itself, and those that come in time share it. So a processor
// that is busy with something else costs its share of the work, and not a barrier for every loop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace coterie {

class ThreadPool {
 public:
  using Member = void (*)(void* context, int number);

  // Calls member(context, 0) on this thread and member(context, i), 1 <= i <= helpers, on each thread that finds time before the first
  // call ends; returns when all that began have ended. `member` throws nothing.
  void run(int helpers, Member member, void* context);

 private:
  struct Job {
    Member member;
    void* context;
    int wanted;  // helpers at the most
    int joined = 0;  // of them
    std::atomic<int> running{0};
    std::condition_variable ended{};
  };

  void start_threads(int wanted);
  void serve();
  Job* open_job();
  void close(Job* job);
  void wait_for_news(unsigned seen) const;

  std::mutex lock_;
  std::condition_variable posted_;
  std::vector<Job*> jobs_;  // that more may join
  std::atomic<unsigned> n_posted_{0};
  int n_threads_ = 0, n_sleeping_ = 0;
};

}  // namespace coterie
