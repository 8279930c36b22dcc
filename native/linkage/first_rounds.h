// The first rounds of a linkage of rows that needs a matrix, before there is one.
//
// Every cluster keeps a list of the nearest others. Clusters that are each other's nearest merge, and lists take in the merges: a
// merged cluster is no nearer to a third than the nearer of its parts was, so that all whom a list does not name stay as far as it says.
// A cluster whose list has run out waits; when too few merge, all that wait are searched at once. The matrix is then that of the
// clusters which are left, a twelfth of the rows: it has less than a hundredth of the cells.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/member_clusters.h"
#include "linkage/merges.h"

namespace coterie {

// Rules whose update needs no sizes of other clusters, and whose mutual neighbours may merge at any time.
constexpr bool has_first_rounds(LinkageRule rule) {
  return rule == LinkageRule::complete || rule == LinkageRule::average || rule == LinkageRule::weighted;
}

template <class T>
class FirstRounds {
 public:
  // Keeps a view of the rows.
  FirstRounds(const MatrixView<T>& rows, const Metric& metric, LinkageRule rule, int threads);

  std::int64_t n_left() const { return clusters_.count(); }

  // Links what is left in a matrix of n_left x n_left. `out` is (n - 1) x 4.
  void link(double* out) const;

 private:
  struct Parts;

  std::vector<PositionPair<T>> mutual_pairs() const;
  bool merge_mutual();
  void renew(const Parts& parts);
  void renew_list(std::int32_t cluster, const Parts& parts, NearClusters<T>& list) const;
  void search_waiting();

  LinkageRule rule_;
  int threads_;
  MemberClusters<T> clusters_;
  std::vector<NearClusters<T>> lists_;
  std::vector<SlotMerge> merges_;
};

}  // namespace coterie
