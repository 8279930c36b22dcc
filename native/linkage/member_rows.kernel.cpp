// Distances between rows become distances between clusters: the greatest, the mean, or the mean by weights of the members.
//
// Sums of members have one order on every instruction set: that of the members. Weights are powers of two, so that a product is
// exact, fused or not.
#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
void fold_members(LinkageRule rule, T* distances, std::int64_t stride, const T* weights, std::int64_t count, std::int64_t n) {
  if (rule == LinkageRule::weighted)
    for (std::int64_t j = 0; j < n; ++j) distances[j] *= weights[0];
  for (std::int64_t k = 1; k < count; ++k) {
    const T* row = distances + k * stride;
    const T weight = weights[k];
    if (rule == LinkageRule::complete)
      for (std::int64_t j = 0; j < n; ++j) distances[j] = row[j] > distances[j] ? row[j] : distances[j];
    else if (rule == LinkageRule::weighted)
      for (std::int64_t j = 0; j < n; ++j) distances[j] += weight * row[j];
    else
      for (std::int64_t j = 0; j < n; ++j) distances[j] += row[j];
  }
}

template <class T>
COTERIE_INLINE T greatest_of(const T* row, std::int64_t count) {
  T greatest = row[0];
  for (std::int64_t j = 1; j < count; ++j) greatest = row[j] > greatest ? row[j] : greatest;
  return greatest;
}

template <class T>
COTERIE_INLINE double sum_of(const T* row, std::int64_t count) {
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) sum += static_cast<double>(row[j]);
  return sum;
}

template <class T>
COTERIE_INLINE double weighted_sum_of(const T* row, const T* weights, std::int64_t count) {
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) sum += static_cast<double>(row[j]) * static_cast<double>(weights[j]);
  return sum;
}

template <class T>
void fold_columns(LinkageRule rule, const T* row, const std::int64_t* starts, const T* weights, std::int64_t n_clusters,
                  double cluster_size, T* out) {
  for (std::int64_t q = 0; q < n_clusters; ++q) {
    const std::int64_t first = starts[q] - starts[0], count = starts[q + 1] - starts[q];
    if (rule == LinkageRule::complete)
      out[q] = greatest_of(row + first, count);
    else if (rule == LinkageRule::weighted)
      out[q] = static_cast<T>(weighted_sum_of(row + first, weights + first, count));
    else
      out[q] = static_cast<T>(sum_of(row + first, count) / (cluster_size * static_cast<double>(count)));
  }
}

template <class T>
std::int64_t places_within(const T* a, const T* b, std::int64_t n, T limit, std::int32_t* out) {
  std::int64_t count = 0, j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>)
    for (std::uint32_t near = lane_bits<T>(load(a + j) + load(b + j) <= broadcast(limit)); near != 0; near &= near - 1)
      out[count++] = static_cast<std::int32_t>(j + __builtin_ctz(near));
  for (; j < n; ++j)
    if (a[j] + b[j] <= limit) out[count++] = static_cast<std::int32_t>(j);
  return count;
}

template <class T>
void install_for(LinkageKernels<T>& kernels) {
  kernels.fold_members = fold_members<T>;
  kernels.fold_columns = fold_columns<T>;
  kernels.places_within = places_within<T>;
}

}  // namespace

void install_member_rows(Engine& engine) {
  install_for(engine.float32.linkage);
  install_for(engine.float64.linkage);
}

}  // namespace coterie::COTERIE_ISA
