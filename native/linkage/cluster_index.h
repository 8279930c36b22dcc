// Finds the nearest clusters: a kd-tree over the centroids of some moment, and the clusters born since.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linkage/clusters.h"
#include "trees/kdtree.h"

namespace coterie {

class ClusterIndex {
 public:
  ClusterIndex(const Clusters& clusters, int threads) : clusters_(clusters), threads_(threads) {}

  // `live` names all live slots, and perhaps dead ones. The k nearest of each slot asked for, by (distance, slot): rows x k, slot -1 where there are fewer.
  void nearest(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked, std::int64_t k,
               std::vector<Candidate>& found);

  // To be told after every merge: the parts are gone, the whole is new.
  void merged(std::int32_t first, std::int32_t second);

 private:
  void forget(std::int32_t slot);
  bool should_rebuild(std::int64_t n_live, std::int64_t n_asked);
  void rebuild(std::vector<std::int32_t> live);
  void measure_nodes();
  void ask_tree(const std::vector<std::int32_t>& asked, std::int64_t k, std::vector<Candidate>& found) const;
  void ask_young(const std::vector<std::int32_t>& asked, std::int64_t k, std::vector<Candidate>& found) const;

  const Clusters& clusters_;
  int threads_;
  std::unique_ptr<KDTree<double>> tree_;
  std::vector<double> sizes_, spreads_, least_sizes_, least_spreads_;  // by tree position, by node
  std::vector<std::int32_t> slots_, position_of_slot_;
  std::vector<std::int32_t> young_;
  double spent_on_young_ = 0;
};

}  // namespace coterie
