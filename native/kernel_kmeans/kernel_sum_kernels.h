// What the kernels of kernel k-means offer.
#pragma once

#include <cstdint>

namespace coterie {

// sums[group[i]] += factor[i] * row[i], for columns [begin, end).
template <class T>
struct RowSumJob {
  const T* K;
  std::int64_t stride;
  const std::int64_t* row;
  const std::int32_t* group;
  const double* factor;
  std::int64_t count;
  double* sums;  // n_groups x columns
  std::int64_t columns;
};

template <class T>
struct KernelSumKernels {
  void (*add_rows)(const RowSumJob<T>& job, std::int64_t begin, std::int64_t end);
  // values[i] = exp(factor * values[i])
  void (*exponentiate)(T* values, std::int64_t count, double factor);
};

}  // namespace coterie
