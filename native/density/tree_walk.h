// A walk over the points of a kd-tree in the order of their reachability, for OPTICS and for mutual reachability.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "density/optics.h"
#include "density/optics_offers.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "trees/metric_terms.h"

namespace coterie {

inline constexpr std::int64_t nobody = -1;

// `Rule` knows what no offer to a point, or to any point below a node, undercuts, whoever makes it, and how an offer follows
// from that and the distance. Every node knows the unvisited point below it that comes next, and the largest reachability below it: a node whose
// points all have better offers than its box allows is not entered, whatever the radius.
template <class Term, class Rule>
class TreeWalk {
 public:
  // Per position `bound` is above the reachability, or infinite: offers from there on are not looked at.
  TreeWalk(const KDTreeView<double>& tree, const Term& term, const Rule& rule, const OpticsQuestion& question,
           std::vector<double> bound)
      : tree_(tree),
        term_(term),
        rule_(rule),
        question_(question),
        reach_(std::move(bound)),
        from_(reach_.size(), nobody),
        is_open_(reach_.size(), 1),
        next_(size_of(tree.n_nodes()), nobody),
        farthest_(next_.size()),
        totals_(size_of(tree.leaf_capacity)),
        point_(size_of(tree.dims)) {
    reduced_radius_ = COTERIE_ISA::reduce_distance<double>(tree, question.radius / rule.factor);
  }

  void run(const OpticsOutput& out) {
    summarise(tree_.root());
    for (std::int64_t visit = 0; visit < tree_.n_points; ++visit) {
      const std::int64_t position = next_[0];
      out.ordering[visit] = tree_.original[position];
      begin_visit(position);
      offer_below(tree_.root());
      check_interrupt();
    }
    for (std::int64_t i = 0; i < tree_.n_points; ++i) {
      out.reachability[tree_.original[i]] = reach_[i];
      out.predecessor[tree_.original[i]] = from_[i];
    }
  }

 private:
  static std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

  void begin_visit(std::int64_t position) {
    row_ = tree_.original[position];
    home_leaf_ = static_cast<std::int32_t>(position / tree_.leaf_capacity);
    core_ = question_.core[row_];
    limit_ = core_ < out_of_reach ? reduced_radius_ : -1.0;
    is_open_[position] = 0;
    for (std::int64_t j = 0; j < tree_.dims; ++j) point_[j] = tree_.coordinate(position, j);
  }

  double offer(double least, double reduced) const {
    COTERIE_ISA::finish_distances<double>(tree_, &reduced, 1);
    return rule_.offer(least, reduced * rule_.factor);
  }

  // Reduced distance that no point of the node can undercut.
  double gap(TreeNode node) const {
    const double *low = tree_.box_low(node.id), *high = tree_.box_high(node.id);
    double total = 0;
    for (std::int64_t j = 0; j < tree_.dims; ++j) total = term_.add(total, std::max({low[j] - point_[j], point_[j] - high[j], 0.0}));
    // arcs are rounded, and not exactly in the order of chords
    const double slack = tree_.metric == TreeMetric::great_circle ? 1e-14 : Term::slack;
    return total * (1 - slack);
  }

  bool may_improve(TreeNode node) const {
    const double least = std::max(core_, rule_.least_below(node.id));
    if (next_[node.id] == nobody || least >= farthest_[node.id]) return false;
    const double reduced = gap(node);
    return reduced <= limit_ && offer(least, reduced) < farthest_[node.id];
  }

  void offer_below(TreeNode node) {
    if (!node.has_leaf(home_leaf_) && !may_improve(node)) return;
    if (node.is_leaf()) {
      offer_to_points(node);
      summarise_leaf(node);
      return;
    }
    offer_below(node.left());
    offer_below(node.right());
    summarise_children(node);
  }

  void offer_to_points(TreeNode leaf) {
    const double* points = tree_.leaf_points(leaf.first_leaf);
    std::fill(totals_.begin(), totals_.end(), 0.0);
    for (std::int64_t j = 0; j < tree_.dims; ++j)
      for (std::int64_t i = 0; i < tree_.leaf_capacity; ++i)
        totals_[i] = term_.add(totals_[i], points[j * tree_.leaf_capacity + i] - point_[j]);
    const std::int64_t begin = tree_.begin(leaf), size = tree_.size(leaf);
    for (std::int64_t i = 0; i < size; ++i) {
      const double least = std::max(core_, rule_.least_at(begin + i));
      if (!is_open_[begin + i] || totals_[i] > limit_ || least >= reach_[begin + i]) continue;
      const double offered = offer(least, totals_[i]);
      if (offered >= reach_[begin + i]) continue;
      reach_[begin + i] = offered;
      from_[begin + i] = row_;
    }
  }

  void summarise(TreeNode node) {
    if (node.is_leaf()) return summarise_leaf(node);
    summarise(node.left());
    summarise(node.right());
    summarise_children(node);
  }

  bool comes_before(std::int64_t a, std::int64_t b) const {
    if (a == nobody || b == nobody) return b == nobody;
    return reach_[a] != reach_[b] ? reach_[a] < reach_[b] : tree_.original[a] < tree_.original[b];
  }

  void summarise_leaf(TreeNode leaf) {
    std::int64_t next = nobody;
    double farthest = -1;
    for (std::int64_t i = tree_.begin(leaf); i < tree_.end(leaf); ++i) {
      if (!is_open_[i]) continue;
      if (comes_before(i, next)) next = i;
      farthest = std::max(farthest, reach_[i]);
    }
    next_[leaf.id] = next;
    farthest_[leaf.id] = farthest;
  }

  void summarise_children(TreeNode node) {
    const std::int32_t left = node.left().id, right = node.right().id;
    next_[node.id] = comes_before(next_[left], next_[right]) ? next_[left] : next_[right];
    farthest_[node.id] = std::max(farthest_[left], farthest_[right]);
  }

  const KDTreeView<double>& tree_;
  Term term_;
  Rule rule_;
  OpticsQuestion question_;
  double reduced_radius_;
  std::vector<double> reach_;  // these three by position in the tree
  std::vector<std::int64_t> from_;
  std::vector<std::uint8_t> is_open_;
  std::vector<std::int64_t> next_;  // these two by node
  std::vector<double> farthest_;
  std::vector<double> totals_, point_;  // of the visit, as what follows
  std::int64_t row_ = 0;
  std::int32_t home_leaf_ = 0;
  double core_ = 0, limit_ = 0;
};

}  // namespace coterie
