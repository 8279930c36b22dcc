// Finds the nearest clusters and how far all others are at least: by products in many dimensions, by a tree elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linkage/cluster_index.h"
#include "linkage/product_search.h"
#include "tiles/tiles.h"

namespace coterie {

// Lists of k clusters by (distance, slot), slot -1 where there are fewer; whoever is not named is at least `others` away.
struct NearestClusters {
  std::vector<Candidate> nearest;
  std::vector<double> others;
};

class ClusterSearch {
 public:
  ClusterSearch(const Clusters& clusters, int threads);

  // `live` names all live slots, and perhaps dead ones.
  void nearest(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked, std::int64_t k, NearestClusters& out);

  // To be told after every merge.
  void merged(std::int32_t first, std::int32_t second);

 private:
  void scale();
  bool is_worth_packing(std::int64_t n_asked) const;
  void pack(const std::vector<std::int32_t>& live);
  void shrink(std::int32_t slot, float* row) const;
  float weight(std::int32_t slot) const;
  void ask_tree(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked, std::int64_t k, NearestClusters& out);
  std::vector<CloseColumn> ask_products(const std::vector<std::int32_t>& asked, std::int64_t k) const;
  bool take(const CloseColumn* close, std::int64_t k, std::int32_t slot, Candidate* nearest, double& others) const;
  void ask_again(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked,
                 const std::vector<std::uint8_t>& is_certain, std::int64_t k, NearestClusters& out);

  const Clusters& clusters_;
  int threads_;
  ClusterIndex tree_;
  bool uses_products_;
  std::vector<double> centre_;
  double factor_ = 1;  // makes the longest row 1 long
  std::unique_ptr<ColumnPack<float>> columns_;
  std::vector<float> weights_;                           // per packed column
  std::vector<std::int32_t> slots_, position_of_slot_;   // per packed column, per slot
  std::int64_t n_live_ = 0;                              // columns
};

}  // namespace coterie
