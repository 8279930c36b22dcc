// Affinity propagation: rows send each other messages, how well a row would represent another and how available it is.
//
// Both messages are updated where they stand, in float64 whatever the similarities are. Every sum over a column goes from the
// first row to the last, so that the number of threads changes no bit.
#pragma once

#include <cstdint>
#include <memory>

#include "graph/message_kernels.h"

namespace coterie {

struct FreeMessages {
  void operator()(double* memory) const noexcept;
};
using MessageMatrix = std::unique_ptr<double[], FreeMessages>;

// Keeps a pointer to the similarities, which must be finite and so small that n of them add up.
template <class T>
class Messages {
 public:
  Messages(const T* similarities, std::int64_t n, double damping);

  std::int64_t n() const { return n_; }
  // Sends every message once; exemplars[i] is then 1 where row i represents itself.
  void step(std::uint8_t* exemplars, int threads);

 private:
  MessageJob<T> job() const;

  const T* similarities_;
  std::int64_t n_;
  double damping_;
  MessageMatrix availabilities_, responsibilities_, column_sums_;
};

}  // namespace coterie
