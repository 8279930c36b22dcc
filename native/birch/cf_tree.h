// The CF tree of BIRCH: summaries of rows, grown by one row after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "birch/cf_node.h"
#include "support/matrix_view.h"

namespace coterie {

struct GrowthRules {
  double threshold;               // the largest root mean square distance of a subcluster's rows to its centre
  std::int64_t branching_factor;  // the most entries of a node
};

// The tree in arrays. Nodes are numbered leaves first, in their order; an inner node comes after its children, the root is last.
// Entries lie node by node.
template <class Count, class Real>
struct CFTreeArrays {
  Count* node_starts;  // n_nodes + 1
  Count* children;     // per entry; no_node in leaves
  Real* weights;
  Real* deviations;
  Real* centres;  // per entry a row of `dims`
};

class CFTree {
 public:
  explicit CFTree(std::int64_t dims);
  CFTree(std::int64_t dims, std::int64_t n_nodes, const CFTreeArrays<const std::int64_t, const double>& stored);

  // Adds rows in their order; those of weight 0 are passed over. Null weights are all 1.
  template <class T>
  void add(const MatrixView<T>& rows, const double* weights, const GrowthRules& rules);
  template <class T>
  void add(const SparseView<T>& rows, const double* weights, const GrowthRules& rules);

  std::int64_t dims() const { return dims_; }
  std::int64_t n_nodes() const { return static_cast<std::int64_t>(nodes_.size()); }
  std::int64_t n_entries() const;
  void store(const CFTreeArrays<std::int64_t, double>& to) const;

 private:
  struct Step {
    std::int64_t node, slot;
    double squared;
  };

  CFNode& node(std::int64_t id) { return nodes_[static_cast<std::size_t>(id)]; }
  const CFNode& node(std::int64_t id) const { return nodes_[static_cast<std::size_t>(id)]; }
  void insert(const double* x, double weight, const GrowthRules& rules);
  void split_upwards(std::int64_t overfull, const GrowthRules& rules);
  std::int64_t split(std::int64_t id);
  std::vector<bool> sides_of(const CFNode& overfull) const;
  std::vector<std::int64_t> stored_order() const;

  std::int64_t dims_;
  std::vector<CFNode> nodes_;
  std::int64_t root_ = 0;
  std::int64_t first_leaf_ = 0;  // the first node stays the first leaf: a split keeps the number of its first half
  std::vector<Step> path_;       // from the root to the leaf of the row under way
  std::vector<double> row_;
};

}  // namespace coterie
