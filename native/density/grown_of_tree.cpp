#include "density/grown_tree.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "trees/metric_terms.h"

namespace coterie {
namespace {

// Distances from one point of a kd-tree to all, rounded as the tree rounds them.
template <class Term>
class PointDistances {
 public:
  PointDistances(const KDTreeView<double>& tree, const Term& term)
      : tree_(tree), term_(term), position_(static_cast<std::size_t>(tree.n_points)),
        totals_(static_cast<std::size_t>(tree.n_leaves * tree.leaf_capacity)), distances_(position_.size()) {
    for (std::int64_t i = 0; i < tree.n_points; ++i) position_[tree.original[i]] = i;
  }

  const double* from(std::int64_t row) {
    check_interrupt();
    std::fill(totals_.begin(), totals_.end(), 0.0);
    for (std::int32_t leaf = 0; leaf < tree_.n_leaves; ++leaf)
      for (std::int64_t j = 0; j < tree_.dims; ++j)
        add_dimension(totals_.data() + leaf * tree_.leaf_capacity, tree_.leaf_points(leaf) + j * tree_.leaf_capacity,
                      tree_.coordinate(position_[row], j));
    COTERIE_ISA::finish_distances<double>(tree_, totals_.data(), tree_.n_points);
    for (std::int64_t i = 0; i < tree_.n_points; ++i) distances_[tree_.original[i]] = totals_[i];
    return distances_.data();
  }

 private:
  void add_dimension(double* totals, const double* coordinates, double own) const {
    for (std::int64_t i = 0; i < tree_.leaf_capacity; ++i) totals[i] = term_.add(totals[i], coordinates[i] - own);
  }

  const KDTreeView<double>& tree_;
  Term term_;
  std::vector<std::int64_t> position_;  // per row of the data
  std::vector<double> totals_;          // per position
  std::vector<double> distances_;       // per row of the data
};

}  // namespace

GrownTree grow_from_first_row(const KDTree<double>& tree, const double* core, double alpha) {
  const KDTreeView<double>& view = tree.view();
  GrownTree grown;
  COTERIE_ISA::with_term<double>(view.metric, view.p, [&](auto term) {
    PointDistances<decltype(term)> distances(view, term);
    grown = grow_from_first_row(view.n_points, [&](std::int64_t row) { return distances.from(row); }, core, alpha);
  });
  return grown;
}

}  // namespace coterie
