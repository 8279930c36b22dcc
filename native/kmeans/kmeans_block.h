// One block of the rows of a k-means run whose other blocks are elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmeans/accelerate.h"
#include "kmeans/column_moments.h"
#include "kmeans/exact_sums.h"
#include "support/matrix_view.h"

namespace coterie {

// What all blocks of a run agree on: the units of their sums follow from it, so that these can be added up.
struct KMeansWhole {
  std::int64_t rows;
  ColumnMoments columns;
  double largest_weight;
};

// Keeps the labels, bounds and sums of its rows from one pass to the next. The sums of a block depend on the centres alone, not
// on the passes before: a block that is made anew goes on as if it had been there all the time.
template <class T>
class KMeansBlock {
 public:
  KMeansBlock(const MatrixView<T>& X, const double* weights, const KMeansWhole& whole, std::int64_t n_clusters,
              KMeansAlgorithm algorithm);

  // Finds the nearest of `centres` for every row.
  void assign(const MatrixView<T>& centres);
  ClusterSums sums() { return sums_.totals(); }
  const std::vector<std::int32_t>& labels();
  // Squared distance of every row to its own centre (`out` may be null); returns the weighted sum of every distance_rows rows.
  std::vector<double> own_distances(T* out);
  std::string algorithm() const { return accelerator_.name(); }

  static constexpr std::int64_t distance_rows = 1024;  // as own_distances of a whole run adds them

 private:
  MatrixView<T> centre_rows() const {
    return {centres_.data(), static_cast<std::int64_t>(centres_.size()) / data_.X.cols, data_.X.cols, data_.X.cols};
  }

  const std::vector<T> shift_;
  const KMeansData<T> data_;
  Accelerator<T> accelerator_;
  ExactSums<T> sums_;
  std::vector<T> centres_, previous_;  // relative to the shift
  std::vector<std::int32_t> labels_;
};

}  // namespace coterie
