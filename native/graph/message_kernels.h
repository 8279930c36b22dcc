// What the kernels of affinity propagation are asked to do.
#pragma once

#include <cstdint>

namespace coterie {

// One step over some rows or columns.
template <class T>
struct MessageJob {
  const T* similarities;         // n x n; the diagonal holds the preferences
  double* availabilities;        // n x n: how well column j would serve row i
  double* responsibilities;      // n x n: how much row i asks for column j
  const double* column_sums;     // per column: its own responsibility, and the positive ones of the others
  std::int64_t n;
  double damping;
};

template <class T>
struct MessageKernels {
  // Availabilities of the rows from the last column sums, then their responsibilities.
  void (*update_rows)(const MessageJob<T>& job, std::int64_t begin, std::int64_t end);
  // The sums of columns [begin, end).
  void (*sum_columns)(const MessageJob<T>& job, std::int64_t begin, std::int64_t end, double* sums);
};

}  // namespace coterie
