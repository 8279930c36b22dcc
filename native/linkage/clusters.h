// Clusters known by their centroids: what Ward's and average linkage need to know about their rows.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/centroid_search.h"
#include "support/matrix_view.h"

namespace coterie {

// A cluster lives in the slot of its lowest row.
class Clusters {
 public:
  template <class T>
  Clusters(const MatrixView<T>& rows, CentroidRule rule);

  std::int64_t n_slots() const { return static_cast<std::int64_t>(sizes_.size()); }
  std::int64_t cols() const { return cols_; }
  CentroidRule rule() const { return rule_; }
  const double* centroid(std::int32_t slot) const { return centroids_.data() + slot * cols_; }
  double size(std::int32_t slot) const { return sizes_[static_cast<std::size_t>(slot)]; }
  double spread(std::int32_t slot) const { return spreads_[static_cast<std::size_t>(slot)]; }
  std::int32_t version(std::int32_t slot) const { return versions_[static_cast<std::size_t>(slot)]; }
  bool is_live(std::int32_t slot) const { return into_[static_cast<std::size_t>(slot)] == slot; }

  // The live cluster that holds the rows of a slot.
  std::int32_t holder(std::int32_t slot) const {
    while (!is_live(slot)) slot = into_[static_cast<std::size_t>(slot)];
    return slot;
  }

  double distance(std::int32_t a, std::int32_t b) const;

  void merge(std::int32_t first, std::int32_t second);

 private:
  std::int64_t cols_;
  CentroidRule rule_;
  std::vector<double> centroids_, sizes_, spreads_;
  std::vector<std::int32_t> into_, versions_;
};

}  // namespace coterie
