// Assignment of rows to centres, iteration after iteration, skipping what cannot have changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmeans/columns.h"
#include "kmeans/kmeans.h"
#include "kmeans/state.h"

namespace coterie {

template <class T>
class Accelerator {
 public:
  Accelerator(const KMeansData<T>& data, std::int64_t n_clusters, KMeansAlgorithm wanted, const ColumnMoments& columns);

  // Sets the labels for `centres`; `previous` are the centres of the last call (empty at the first). Returns the changes.
  std::int64_t assign(const MatrixView<T>& centres, const std::vector<T>& previous, const SumUnits& units, std::int32_t* labels,
                      const ClusterSums& deltas);
  // The row was moved by somebody else: its bounds no longer hold.
  void forget(std::int64_t row);
  std::string name() const;

 private:
  bool has_bounds() const { return algorithm_ != KMeansAlgorithm::lloyd; }
  void measure_centres(const MatrixView<T>& centres, const std::vector<T>& previous);
  void measure_drift(std::int64_t cluster);
  void note_largest_upper(const std::int32_t* labels);

  const KMeansData<T> data_;
  const std::int64_t n_clusters_;
  KMeansAlgorithm algorithm_;
  std::int64_t block_;
  bool is_fresh_ = true;  // no bounds yet
  std::vector<float> upper_, lower_, moved_, largest_upper_;
  std::vector<float> between_;  // clusters x clusters: lower bounds of the distances of centres
  std::vector<ClusterDrift> drift_;
  std::vector<std::int32_t> failing_, block_counts_;
  std::vector<std::int64_t> starts_;
};

}  // namespace coterie
