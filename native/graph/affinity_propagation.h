// Affinity propagation: rows send each other messages, how well a row would represent another and how available it is.
//
// With s the similarities, both messages are sums over the past that can be taken apart. A responsibility is
// alpha * s(i, k) - level(i), except where k was the best offer of row i; an availability is one number for all rows of column k,
// except where the responsibility was positive. So the state is a number per row and per column and the cells that differ, and a step
// reads the similarities once instead of writing two matrices. All in float64, whatever the similarities are.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/message_kernels.h"

namespace coterie {

// The cells of a row that differ, by column.
struct MessageCells {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

// Keeps a pointer to the similarities, n x n with the preferences on the diagonal: finite, and so small that n of them add up.
template <class T>
class Messages {
 public:
  Messages(const T* similarities, std::int64_t n, double damping);

  std::int64_t n() const { return n_; }
  // Sends every message once; exemplars[i] is then 1 where row i represents itself.
  void step(std::uint8_t* exemplars, int threads);

 private:
  struct Work;
  void update_columns();
  void update_row(std::int64_t i, Work& work, double* sums);
  BestOffers update_availabilities(std::int64_t i, Work& work);
  void update_favoured(MessageCells& favoured, const BestOffers& found, double level) const;
  void add_responsibilities(std::int64_t i, double alpha, double* sums) const;
  double own_responsibility(std::int64_t i) const;

  const T* similarities_;
  std::int64_t n_;
  double damping_;
  double alpha_ = 0;                        // 1 - damping^steps
  std::vector<double> level_;               // per row: what its best offers were, damped
  std::vector<double> availability_;        // per column: of rows whose responsibility for it was never positive
  std::vector<double> own_availability_;    // per row: of itself
  std::vector<double> column_sums_;         // per column: its own responsibility, and the positive ones of others
  std::vector<MessageCells> favoured_;      // per row: more responsibility, where an offer was the best
  std::vector<MessageCells> deviations_;    // per row: less availability
};

}  // namespace coterie
