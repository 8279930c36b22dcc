// What the kernels of affinity propagation are asked to do: one row at a time, in working memory of the caller.
#pragma once

#include <cstdint>

namespace coterie {

// A step of one row. Responsibilities are alpha * similarity - level but in a few cells, availabilities are those of their column
// but in some cells: so neither is stored as a matrix.
template <class T>
struct MessageRow {
  const T* similarities;
  std::int64_t n;
  std::int64_t row;
  double damping;
  const double* column_sums;   // of the last responsibilities
  const double* availability;  // per column: what most rows are told
  double* responsibilities;    // working memory
  double* deviations;          // of the row's availabilities from those of the columns
  double* offers;              // availability + similarity
};

struct BestOffers {
  double best, next;
  std::int64_t at;  // the first column of the best
};

template <class T>
struct MessageKernels {
  // responsibilities = alpha * similarities - level
  void (*respond)(const MessageRow<T>& row, double alpha, double level);
  // New deviations from the responsibilities, and the two best offers; own_offer is that of the row to itself.
  BestOffers (*offer)(const MessageRow<T>& row, double own_offer);
  // sums += the positive ones of alpha * similarities - level
  void (*add_positive)(const MessageRow<T>& row, double alpha, double level, double* sums);
};

}  // namespace coterie
