// The first rounds of a linkage of rows that needs a matrix, before there is one.
//
// Distances are computed by blocks of rows, each block takes in the merges so far, and clusters that are each other's
// nearest merge. The matrix is then that of the clusters which are left: half of its cells in ten dimensions, a quarter in
// two. Computing blocks again takes some time, but memory is what bounds these methods.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "linkage/merges.h"
#include "linkage/row_kernels.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

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

  std::int64_t n_left() const { return static_cast<std::int64_t>(slots_.size()); }

  // Links what is left in a matrix of n_left x n_left. `out` is (n - 1) x 4.
  void link(double* out) const;

 private:
  // Pairs of positions that merged, and who is left.
  struct Round {
    ColumnMerges<T> merges;
    std::vector<std::int32_t> merge_of;  // per position before: the merge it takes part in, -1: none
    std::vector<std::int32_t> kept;      // positions that live on
    std::vector<std::int32_t> moved;     // per position before: where it is now, -1: gone
  };
  struct Nearest {
    std::int32_t at;
    T distance;
  };
  // Rows of distances, and whose they are.
  struct Block {
    std::vector<std::int32_t> at;
    std::vector<T*> row;
  };

  std::int64_t width_before(std::size_t round) const { return static_cast<std::int64_t>(rounds_[round].merge_of.size()); }
  std::vector<Nearest> nearest_of_all() const;
  bool merge_mutual(const std::vector<Nearest>& nearest);
  void finish_round(Round&& round);
  void for_all_rows(const std::function<void(std::int64_t, const T*)>& use) const;
  void compute(Range clusters, T* memory, Block& block) const;
  void take_in(const Round& round, std::int64_t width, Block& block) const;

  MatrixView<T> rows_;
  Metric metric_;
  LinkageRule rule_;
  int threads_;
  std::vector<T> shift_;
  ColumnPack<T> pack_;
  std::vector<T> zeros_;
  std::vector<Round> rounds_;
  std::vector<SlotMerge> merges_;
  std::vector<std::int32_t> slots_;     // per cluster: its lowest row
  std::vector<T> sizes_;                // per cluster
  std::vector<std::int32_t> members_;   // rows, cluster by cluster; the parts of a merge side by side
  std::vector<std::int64_t> starts_;    // per cluster: its first member; and the end
};

}  // namespace coterie
