// The update of sums: adds rows to cluster sums, and takes them out, in whole units (see SumUnits).
#pragma once

#include <cstdint>

#include "kmeans/kmeans_kernels.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

// Adding 1.5 * 2^52 leaves the nearest whole number in the low bits of the double.
inline constexpr double rounding_magic = 6755399441055744.0;

COTERIE_INLINE std::int64_t whole_part(double shifted) {
  return static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, shifted) - __builtin_bit_cast(std::uint64_t, rounding_magic));
}

// Whole numbers that wrap around: what a NaN or an infinite number leaves in its bits may be too large to add up.
COTERIE_INLINE void add_to(std::int64_t& sum, std::int64_t number) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(number));
}
COTERIE_INLINE void subtract_from(std::int64_t& sum, std::int64_t number) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) - static_cast<std::uint64_t>(number));
}

COTERIE_INLINE ClusterSums sums_of_thread(const ClusterSums& deltas, int thread) {
  const std::int64_t table = deltas.n_clusters * (deltas.cols + 1) * thread;
  return {deltas.coarse + table, deltas.fine == nullptr ? nullptr : deltas.fine + table, deltas.count + deltas.n_clusters * thread,
          deltas.n_clusters, deltas.cols};
}

// A number in coarse units, and what is left of it in fine ones.
struct UnitParts {
  std::int64_t whole, rest;
};

template <class T>
COTERIE_INLINE UnitParts units_of(double scaled, double fine_scale) {
  const double shifted = scaled + rounding_magic;
  const double left = scaled - (shifted - rounding_magic);
  return {whole_part(shifted), sizeof(T) == 4 ? 0 : whole_part(left * fine_scale + rounding_magic)};
}

// Calls apply(column, coarse units, fine units) for the row's contribution.
template <class T, class Apply>
COTERIE_INLINE void for_each_unit(const SumUnits& units, const T* row, double weight, std::int64_t cols, const Apply& apply) {
  for (std::int64_t t = 0; t < cols; ++t) {
    const UnitParts parts = units_of<T>(static_cast<double>(row[t]) * weight * units.scale[t], units.fine_scale);
    apply(t, parts.whole, parts.rest);
  }
}

// Adds a row with its weight to a cluster's sums, or takes it out.
template <class T, bool is_added>
COTERIE_INLINE void change_row(const ClusterSums& sums, const SumUnits& units, std::int64_t cluster, const T* row, double weight) {
  std::int64_t* coarse = sums.coarse + cluster * (sums.cols + 1);
  std::int64_t* fine = sizeof(T) == 4 ? nullptr : sums.fine + cluster * (sums.cols + 1);
  const auto change = [=](std::int64_t t, std::int64_t whole, std::int64_t rest) __attribute__((always_inline)) {
    is_added ? add_to(coarse[t], whole) : subtract_from(coarse[t], whole);
    if constexpr (sizeof(T) != 4) is_added ? add_to(fine[t], rest) : subtract_from(fine[t], rest);
  };
  const T one = 1;
  for_each_unit(units, row, weight, sums.cols, change);
  for_each_unit<T>(
      {units.scale + sums.cols, units.fine_scale}, &one, weight,
      1, [=](std::int64_t, std::int64_t whole, std::int64_t rest) __attribute__((always_inline)) { change(sums.cols, whole, rest); });
  sums.count[cluster] += is_added ? 1 : -1;
}

template <class T>
COTERIE_INLINE void add_row(const ClusterSums& sums, const SumUnits& units, std::int64_t cluster, const T* row, double weight) {
  change_row<T, true>(sums, units, cluster, row, weight);
}

template <class T>
COTERIE_INLINE void subtract_row(const ClusterSums& sums, const SumUnits& units, std::int64_t cluster, const T* row, double weight) {
  change_row<T, false>(sums, units, cluster, row, weight);
}

// The row changes from cluster `from` (-1: none yet) to cluster `to`.
template <class T>
COTERIE_INLINE void move_row(const ClusterSums& sums, const SumUnits& units, std::int64_t from, std::int64_t to, const T* row,
                             double weight) {
  if (from >= 0) subtract_row(sums, units, from, row, weight);
  add_row(sums, units, to, row, weight);
}

}  // namespace coterie::COTERIE_ISA
