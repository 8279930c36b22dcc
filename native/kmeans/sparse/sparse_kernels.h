// What k-means on CSR rows asks of the kernels, as plain data.
#pragma once

#include <cstdint>

#include "kmeans/kmeans_kernels.h"
#include "kmeans/seeding/seeding_kernels.h"
#include "support/matrix_view.h"

namespace coterie {

// Dense points, transposed, in panels of up to eight vectors of points: [panel][feature][lane]. A non-zero of a row meets all
// points of a panel at one place in memory.
template <class T>
struct TransposedPoints {
  T* panels;  // padded * cols
  T* start;   // padded: half the squared length; +inf in padding, which so never is near
  std::int64_t n;
  std::int64_t padded;  // to whole vectors
  std::int64_t cols;
};

// Rows that change their cluster, sorted by cluster: row i enters as i and leaves as ~i.
struct ClusterMoves {
  const std::int32_t* rows;
  const std::int64_t* starts;  // clusters + 1
};

template <class T>
struct SparseKernels {
  std::int64_t lanes;  // points are padded to a multiple of this
  void (*transpose)(const MatrixView<T>& points, const TransposedPoints<T>& out, int threads);
  // The nearest point of every row; ties to the lowest index.
  void (*nearest)(const SparseView<T>& X, const TransposedPoints<T>& points, std::int32_t* index, int threads);
  // All squared distances, X.rows x points.n.
  void (*pairwise)(const SparseView<T>& X, const TransposedPoints<T>& points, const MatrixView<T>& point_rows, T* squared,
                   int threads);
  // Squared distance of every row to its own point (`out` may be null); returns their weighted sum.
  double (*own_distances)(const SparseView<T>& X, const double* weights, const MatrixView<T>& points, const std::int32_t* labels,
                          T* out, int threads);
  // Brings the sums up to date; one thread per cluster.
  void (*apply_moves)(const SparseView<T>& X, const double* weights, const SumUnits& units, const ClusterMoves& moves,
                      const ClusterSums& sums, int threads);
  // As SeedingKernels; `length` is the squared length of every row, `room` cols * most_direct_candidates zeros, left as found.
  void (*gains)(const SeedingData<SparseView<T>>& data, const double* length, const T* nearest, const std::int64_t* candidates,
                std::int64_t count, std::uint16_t* closer, double* gains, T* room);
  void (*take)(const SeedingData<SparseView<T>>& data, const double* length, std::int64_t pick, const std::uint16_t* closer, int bit,
               T* nearest, T* room);
};

}  // namespace coterie
