// Assignment of rows to centres, iteration after iteration, skipping what cannot have changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kmeans/bounds/centre_drift.h"
#include "kmeans/bounds/filter_tree.h"
#include "kmeans/bounds/hamerly_levels.h"
#include "kmeans/coded_passes.h"
#include "kmeans/column_moments.h"
#include "kmeans/exact_sums.h"
#include "kmeans/fast_centres.h"
#include "kmeans/kmeans.h"
#include "kmeans/kmeans_kernels.h"
#include "tiles/tiles.h"

namespace coterie {

template <class T>
class Accelerator {
 public:
  Accelerator(const KMeansData<T>& data, std::int64_t n_clusters, KMeansAlgorithm wanted, const ColumnMoments& columns,
              KeptTree<T> kept = nullptr);

  // Brings the sums from the last centres to `centres`; `previous` are those of the last call (empty at the first). Returns
  // whether any label changed. Filtering leaves the labels alone until write_labels.
  bool assign(const MatrixView<T>& centres, const std::vector<T>& previous, std::int32_t* labels, ExactSums<T>& sums);
  // Makes `labels` those of the last `centres`.
  void write_labels(const MatrixView<T>& centres, std::int32_t* labels, ExactSums<T>& sums) const;
  // The row was moved by somebody else: its bounds no longer hold.
  void forget(std::int64_t row);
  std::string name() const;
  const KeptTree<T>& tree() const { return tree_; }

 private:
  bool has_bounds() const { return algorithm_ == KMeansAlgorithm::hamerly || algorithm_ == KMeansAlgorithm::exponion; }
  bool assign_by_filter(const MatrixView<T>& centres, ExactSums<T>& sums);
  std::int64_t assign_by_bounds(const MatrixView<T>& centres, const std::vector<T>& previous, const PackedColumns<T>& packed,
                                const SumUnits& units, std::int32_t* labels, const ClusterSums& deltas);
  FastCentres<T> single_out_fast(const MatrixView<T>& centres);
  std::int64_t hamerly_pass(const MatrixView<T>& centres, const PackedColumns<T>& packed, const SumUnits& units,
                            const RowBounds& bounds, const ClusterSums& deltas);
  std::int64_t renew_bounds(const PackedColumns<T>& packed, const SumUnits& units, const RowBounds& bounds, const ClusterSums& deltas);
  std::int64_t assign_all(const PackedColumns<T>& packed, const SumUnits& units, const RowBounds& bounds, const ClusterSums& deltas);
  double cost_of_exponion_pass(const Neighbourhoods& around) const;
  std::int64_t assign_plainly(const PackedColumns<T>& packed, const SumUnits& units, std::int32_t* labels, const ClusterSums& deltas);

  const KMeansData<T> data_;
  const std::int64_t n_clusters_;
  KMeansAlgorithm algorithm_;
  std::int64_t block_;
  bool is_fresh_ = true;  // no bounds yet
  int plain_passes_left_ = 0, next_pause_ = 1;  // bounds that do not pay rest for a while, longer each time
  float new_slack_ = 0;                         // of new bounds, the lower quartile
  KeptTree<T> tree_;
  CodedPasses<T> codes_;
  std::vector<float> upper_, lower_, failing_upper_;
  CentreDrift drift_;
  FastChoice fast_;
  std::unique_ptr<ColumnPack<T>> fast_pack_;
  std::vector<std::int32_t> failing_, failing_starts_;
};

}  // namespace coterie
