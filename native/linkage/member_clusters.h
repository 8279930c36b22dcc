// Small clusters as the lists of their rows, and the distances between clusters that these give: no matrix, and no formula that
// needs the distances of the parts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "linkage/merge_matrix.h"
#include "linkage/merges.h"
#include "tiles/tiles.h"

namespace coterie {

inline constexpr std::int64_t near_count = 16;  // clusters in a list; measured with 8, 12, 16, 24 at 20,000 x 10

template <class T>
struct NearCluster {
  std::int32_t at;
  T distance;
};

// The clusters that are nearest to one, by (distance, position); all others are at least `others` away.
template <class T>
struct NearClusters {
  NearCluster<T> nearest[near_count];
  std::int32_t count = 0;
  T others = 0;

  // Keeps the nearest of those within the bound; sorts the candidates.
  void keep(NearCluster<T>* candidates, std::int64_t n_candidates);
};

template <class T>
class MemberClusters {
 public:
  // Keeps a view of the rows, each a cluster.
  MemberClusters(const MatrixView<T>& rows, const Metric& metric, LinkageRule rule, int threads);

  std::int64_t count() const { return static_cast<std::int64_t>(slots_.size()); }
  std::int64_t n_rows() const { return rows_.rows; }
  std::int64_t size(std::int64_t cluster) const {
    return starts_[static_cast<std::size_t>(cluster) + 1] - starts_[static_cast<std::size_t>(cluster)];
  }
  const std::vector<std::int32_t>& slots() const { return slots_; }  // per cluster: its lowest row
  std::vector<T> sizes() const;

  // Disjoint pairs become one cluster each, at the position of the first. Returns where each position has gone.
  std::vector<std::int32_t> merge(const std::vector<PositionPair<T>>& pairs);

  // Lists of all clusters while each is one row.
  std::vector<NearClusters<T>> nearest_of_rows() const;

  // New lists of some clusters, by the distances to all others that may be among the nearest.
  void nearest(const std::vector<std::int32_t>& clusters, std::vector<NearClusters<T>>& lists) const;

  // Distances of a cluster to some others; those of a pair are the same to the bit from either side where those of rows are.
  void between(std::int32_t cluster, const std::int32_t* others, std::int64_t count, T* out) const;

  // The square matrix of all clusters, with nothing of use on its diagonal.
  void fill(T* square) const;

 private:
  struct Columns;
  struct Centres;
  class BoundedSearch;

  const T* shift() const { return shift_.empty() ? nullptr : shift_.data(); }
  const T* row(std::int64_t place) const { return ordered_.data() + place * rows_.cols; }
  std::int64_t start(std::int64_t cluster) const { return starts_[static_cast<std::size_t>(cluster)]; }
  bool has_bounds() const { return metric_.kernel == Kernel::squared_difference && metric_.finish == Finish::root; }
  void order_rows();
  void nearest_of_all(const std::vector<std::int32_t>& clusters, std::vector<NearClusters<T>>& lists) const;
  void nearest_by_bounds(const std::vector<std::int32_t>& clusters, std::vector<NearClusters<T>>& lists) const;
  T mean_or_greatest(std::int32_t cluster, std::int32_t other, const T* tile, std::int64_t stride) const;
  // Calls use(cluster, first of the others, how many, its distances to them) for all pairs, or for those of later clusters only;
  // one after the other for each cluster, different clusters from any thread.
  void walk(const std::vector<std::int32_t>& clusters, bool only_later,
            const std::function<void(std::int64_t, std::int64_t, std::int64_t, const T*)>& use) const;

  MatrixView<T> rows_;
  Metric metric_;
  LinkageRule rule_;
  int threads_;
  std::vector<T> shift_;
  std::vector<std::int32_t> slots_;
  std::vector<std::int32_t> members_;  // rows, cluster by cluster
  std::vector<std::int64_t> starts_;   // per cluster: its first member; and the end
  std::vector<T> weights_;             // per member: its share in the cluster, for the weighted rule
  std::vector<T> ordered_;             // the rows of the members, in their order
};

}  // namespace coterie
