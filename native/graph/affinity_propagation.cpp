// The steps of affinity propagation: rows in parallel, then columns, then who represents itself.
#include "graph/affinity_propagation.h"

#include <cstring>

#include "engine.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

constexpr std::int64_t message_rows_per_task = 16;
constexpr std::int64_t message_columns_per_task = 128;  // a kilobyte of each row

MessageMatrix zero_messages(std::int64_t count) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(double);
  MessageMatrix messages(static_cast<double*>(allocate_aligned(bytes)));
  std::memset(messages.get(), 0, bytes);
  return messages;
}

}  // namespace

void FreeMessages::operator()(double* memory) const noexcept { free_aligned(memory); }

template <class T>
Messages<T>::Messages(const T* similarities, std::int64_t n, double damping)
    : similarities_(similarities),
      n_(n),
      damping_(damping),
      availabilities_(zero_messages(n * n)),
      responsibilities_(zero_messages(n * n)),
      column_sums_(zero_messages(n)) {}

template <class T>
MessageJob<T> Messages<T>::job() const {
  return {similarities_, availabilities_.get(), responsibilities_.get(), column_sums_.get(), n_, damping_};
}

template <class T>
void Messages<T>::step(std::uint8_t* exemplars, int threads) {
  const MessageKernels<T>& kernels = engine().template of<T>().messages;
  const MessageJob<T> job = this->job();
  parallel_for(block_count(n_, message_rows_per_task), threads, [&](std::int64_t task, int) {
    const Range rows = block_range(n_, message_rows_per_task, task);
    kernels.update_rows(job, rows.begin, rows.end);
  });
  parallel_for(block_count(n_, message_columns_per_task), threads, [&](std::int64_t task, int) {
    const Range columns = block_range(n_, message_columns_per_task, task);
    kernels.sum_columns(job, columns.begin, columns.end, column_sums_.get());
  });
  for (std::int64_t i = 0; i < n_; ++i) {
    // the availability that the next step will write
    const double own = responsibilities_[i * n_ + i];
    const double available = availabilities_[i * n_ + i] * damping_ - (own - column_sums_[i]) * (1 - damping_);
    exemplars[i] = available + own > 0;
  }
}

template class Messages<float>;
template class Messages<double>;

}  // namespace coterie
