// K-means by filtering, for very low dimensions: whole boxes of rows go to one centre without being looked at.
//
// Kanungo et al.'s filtering with a kd-tree whose leaves hold 64 rows each. A centre is dropped for a box when another one
// is nearer to every point of it; a box with one centre left hands over its exact sums. Values within rounding of a tie
// keep both centres, so that the labels are those of plain Lloyd, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "kmeans/bounds/filter_tree_view.h"
#include "kmeans/kmeans_kernels.h"

namespace coterie {

template <class T>
class FilterTree {
 public:
  FilterTree(const KMeansData<T>& data, const SumUnits& units);
  FilterTreeView<T> view() const;

 private:
  template <int Cols>
  void build(const KMeansData<T>& data);

  std::int64_t n_rows_, n_leaves_, cols_, leaf_bytes_;
  std::vector<char> leaves_;
  std::vector<T> boxes_;
  std::vector<std::int64_t> coarse_, fine_;
};

}  // namespace coterie
