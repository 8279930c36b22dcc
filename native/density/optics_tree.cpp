// OPTICS over a kd-tree.
#include "density/optics.h"
#include "density/tree_walk.h"

namespace coterie {
namespace {

struct RoundedOffers {
  double factor;

  double least_at(std::int64_t) const { return 0; }
  double least_below(std::int32_t) const { return 0; }
  double offer(double least, double distance) const { return rounded_offer(least, distance); }
};

}  // namespace

void optics_of_tree(const KDTree<double>& tree, double factor, const OpticsQuestion& question, const OpticsOutput& out) {
  const KDTreeView<double>& view = tree.view();
  std::vector<double> bound(static_cast<std::size_t>(view.n_points), out_of_reach);
  COTERIE_ISA::with_term<double>(view.metric, view.p, [&](auto term) {
    TreeWalk<decltype(term), RoundedOffers>(view, term, {factor}, question, std::move(bound)).run(out);
  });
}

}  // namespace coterie
