// What seeding asks of the kernels, as plain data.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"
#include "tiles/kernel_table.h"

namespace coterie {

// Rows and their weights as seeding sees them; `Rows` is a dense or a sparse view.
template <class Rows>
struct SeedingData {
  Rows X;
  const double* weights;   // per row, or null
  double largest_weight;   // gains are in units of it, so that float32 can hold them
  int threads;
};

// Pairs of a row and a candidate that is nearer to it than every pick: the only ones that can matter.
//
// Rows are cut into tasks of `rows_per_task`. The pairs of task t and candidate c are entries [starts[t * (n_candidates + 1) + c],
// starts[t * (n_candidates + 1) + c + 1]), by rising row.
template <class T>
struct CloserPairs {
  std::int32_t* row;
  T* squared;             // distance of the pair
  std::int64_t* starts;   // tasks x (n_candidates + 1)
  std::int64_t capacity;
  std::int64_t* used;     // may exceed the capacity: then the pairs are incomplete
  std::int64_t n_candidates;
};

inline constexpr std::int64_t seeding_rows_per_task = 4096;
inline constexpr std::int64_t most_listed_candidates = 128;
inline constexpr std::int64_t most_direct_candidates = 16;

template <class T>
struct SeedingKernels {
  // For each of at most most_direct_candidates rows alone: how much the potential would fall, in units of the largest weight.
  // Bit c of closer[i] tells that candidate c is closer to row i than every pick, or almost.
  void (*gains)(const SeedingData<MatrixView<T>>& data, const T* nearest, const std::int64_t* candidates, std::int64_t count,
                std::uint16_t* closer, double* gains);
  // Lowers `nearest` to the squared distances to one row, where those are less; only for rows that have the bit set, if
  // `closer` is not null.
  void (*take)(const SeedingData<MatrixView<T>>& data, std::int64_t pick, const std::uint16_t* closer, int bit, T* nearest);
  // Lists the pairs in one pass over the rows. `packed` are the candidates as columns, relative to `shift` (null: as they are),
  // for the dot kernel or for the difference kernel.
  void (*list_closer)(const SeedingData<MatrixView<T>>& data, const T* shift, const PackedColumns<T>& packed, bool by_product,
                      const std::int64_t* candidates, const T* nearest, const CloserPairs<T>& out);
};

}  // namespace coterie
