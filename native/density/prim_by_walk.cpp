// Prim's tree of mutual reachability with every tie decided, by a walk over a kd-tree.
#include <cmath>
#include <numeric>

#include "density/prim_tree.h"
#include "density/tree_walk.h"

namespace coterie {
namespace {

struct MutualOffers {
  double factor;
  double alpha;
  const double* core;       // per position
  const double* node_core;  // per node, the least below it

  double least_at(std::int64_t position) const { return core[position]; }
  double least_below(std::int32_t node) const { return node_core[node]; }
  double offer(double least, double distance) const { return std::max(least, distance / alpha); }
};

std::vector<double> least_below_nodes(const KDTreeView<double>& tree, const std::vector<double>& core) {
  std::vector<double> least(size_of(tree.n_nodes()));
  const auto visit = [&](const auto& self, TreeNode node) -> double {  // as deep as the logarithm of the leaves
    if (node.is_leaf()) return least[node.id] = *std::min_element(core.begin() + tree.begin(node), core.begin() + tree.end(node));
    const double left = self(self, node.left()), right = self(self, node.right());
    return least[node.id] = std::min(left, right);
  };
  visit(visit, tree.root());
  return least;
}

// The longest edge on the way from row 0 to each row: no row is reached later, in whatever order the tree grows.
std::vector<double> longest_on_the_way(std::int64_t n, const GrownTree& known) {
  std::vector<double> longest(size_of(n), 0.0);
  for (std::size_t e = 0; e < known.distance.size(); ++e)  // the first end of each edge is in the tree already
    longest[known.ends[2 * e + 1]] = std::max(longest[known.ends[2 * e]], known.distance[e]);
  return longest;
}

}  // namespace

GrownTree grow_from_first_row(const KDTree<double>& tree, const double* core, double alpha, const GrownTree& known) {
  const KDTreeView<double>& view = tree.view();
  const std::int64_t n = view.n_points;
  const std::vector<double> longest = longest_on_the_way(n, known);
  std::vector<double> core_at(size_of(n)), bound(size_of(n)), reach(size_of(n));
  std::vector<std::int64_t> ordering(size_of(n)), source(size_of(n));
  for (std::int64_t p = 0; p < n; ++p) {
    core_at[p] = core[view.original[p]];
    bound[p] = view.original[p] == 0 ? -1 : std::nextafter(longest[view.original[p]], out_of_reach);
  }
  const std::vector<double> node_core = least_below_nodes(view, core_at);
  const MutualOffers rule{1.0, alpha, core_at.data(), node_core.data()};
  COTERIE_ISA::with_term<double>(view.metric, view.p, [&](auto term) {
    TreeWalk<decltype(term), MutualOffers>(view, term, rule, {core, out_of_reach}, std::move(bound))
        .run({ordering.data(), reach.data(), source.data()});
  });
  GrownTree grown;
  for (std::int64_t visit = 1; visit < n; ++visit) {
    grown.ends.insert(grown.ends.end(), {source[ordering[visit]], ordering[visit]});
    grown.distance.push_back(reach[ordering[visit]]);
  }
  return grown;
}

}  // namespace coterie
