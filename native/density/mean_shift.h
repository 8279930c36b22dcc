// Mean shift with a flat kernel: every seed moves to the mean of the rows within the bandwidth, until it stands.
//
// Seeds move together, a step at a time, and those that meet go on as one. Sums are made of whole units (as in k-means), so that
// a mean depends on which rows it is of, not on their order, the threads or the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "density/mean_shift_jobs.h"
#include "support/matrix_view.h"
#include "trees/kdtree.h"

namespace coterie {

// Rows as whole numbers: coordinate x is (coarse + fine / fine_scale) / scale[column], to the last bit unless it is 2^-40 of the largest.
struct RowUnits {
  UnitView view() const { return {coarse.data(), fine.data(), node_coarse.data(), node_fine.data()}; }

  std::vector<std::int64_t> coarse, fine, node_coarse, node_fine;
  std::vector<double> scale;  // per column
  double fine_scale;
};

class MovingSeeds {
 public:
  // The tree must outlive them, with leaves of 32 points. is_single rounds every mean to float32.
  MovingSeeds(const KDTree<double>& tree, MatrixView<double> seeds, double bandwidth, bool is_single, int threads);

  std::int64_t n_seeds() const { return static_cast<std::int64_t>(leader_.size()); }
  std::int64_t n_columns() const { return columns_; }
  // Moves every seed that does not stand yet; the last step lets all stand. Returns how many still move.
  std::int64_t step(bool is_last, int threads);
  // Where seed i stands, how many rows its last mean was of, and how many steps it took before that.
  void read(double* places, std::int64_t* counts, std::int64_t* steps) const;

 private:
  void merge_equal();
  void write_mean(std::int64_t query, double* mean) const;

  const KDTree<double>& tree_;
  double bandwidth_;
  bool is_single_;
  std::int64_t columns_;
  RowUnits units_;
  std::vector<double> places_;  // per seed
  std::vector<std::int64_t> count_, steps_;  // per seed
  std::vector<std::int64_t> leader_;  // per seed: whom it goes with; itself, or a seed that it met
  std::vector<std::int64_t> moving_;  // leaders that do not stand yet
  std::vector<std::int64_t> found_, coarse_, fine_;  // per moving seed
  std::int64_t n_steps_ = 0;
};

}  // namespace coterie
