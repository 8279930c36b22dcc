// Passes of k-means over rows as codes, as long as these settle enough of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kmeans/column_moments.h"
#include "kmeans/kmeans_kernels.h"

namespace coterie {

template <class T>
class CodedPasses {
 public:
  // `plain_cost`: of a pass over rows as they are, in the unit of pass_cost.
  CodedPasses(const KMeansData<T>& data, std::int64_t n_clusters, const ColumnMoments& columns, double plain_cost);

  // Assigns all rows and returns true; or returns false, with none or some of them assigned. Adds to `changed`.
  bool assign(const PackedColumns<T>& centres, const SumUnits& units, const RowBounds& bounds, const ClusterSums& deltas,
              std::int64_t& changed);
  // What a pass over all rows costs, by what the last one found; codes are used if they pay.
  double cost() const { return are_in_use_ ? cost_ : plain_cost_; }
  bool are_in_use() const { return are_in_use_; }

 private:
  // Codes of the first rows.
  struct Codes {
    std::shared_ptr<void> groups;
    std::vector<float> rest, term;
  };

  Codes code(const KMeansData<T>& data) const;
  CodedOutcome assign_by(const Codes& codes, const KMeansData<T>& data, const PackedColumns<T>& centres, const SumUnits& units,
                         const RowBounds& bounds, const ClusterSums& deltas) const;
  double cost_after(const CodedOutcome& found, std::int64_t n_rows) const;
  void rest_for_a_while();

  const KMeansData<T> data_;
  std::int64_t n_clusters_;
  double plain_cost_, cost_ = 0;
  double step_ = 0;  // 0: never
  bool are_in_use_ = false;
  int passes_missed_ = 0, next_pause_;  // codes that do not pay rest for a while, longer each time
  Codes codes_;                         // of all rows, once they are used
};

}  // namespace coterie
