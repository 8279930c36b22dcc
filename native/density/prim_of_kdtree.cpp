// Prim's tree of mutual reachability over a kd-tree, from the nearest points of every point and any spanning tree.
#include "density/prim_tree.h"
#include "trees/spanning_lists.h"
#include "trees/spanning_tree.h"

namespace coterie {
namespace {

constexpr std::int64_t spare_neighbours = 3;      // beyond the core distance: lists that end exactly there decide nothing
constexpr std::int64_t most_listed = 1 << 22;     // entries of longer lists, where the usual ones end between equal distances

struct CoreLists {
  NearestPositions<double> near;
  std::vector<double> core;  // per position
};

std::vector<double> core_distances(const KDTreeView<double>& tree, const NearestPositions<double>& near, const CoreQuestion& asked) {
  std::vector<double> core(static_cast<std::size_t>(tree.n_points), 0.0);
  if (asked.given != nullptr)
    for (std::int64_t p = 0; p < tree.n_points; ++p) core[p] = asked.given[tree.original[p]];
  else if (asked.min_samples > 1)
    for (std::int64_t p = 0; p < tree.n_points; ++p) core[p] = near.distance[p * near.k + asked.min_samples - 2] / asked.divisor;
  return core;
}

bool reach_beyond_core(const CoreLists& lists, double alpha) {
  for (std::size_t p = 0; p < lists.core.size(); ++p)
    if (lists.near.distance[(p + 1) * lists.near.k - 1] / alpha <= lists.core[p]) return false;
  return true;
}

CoreLists core_lists(const KDTree<double>& tree, const CoreQuestion& asked, double alpha, int threads) {
  const std::int64_t n = tree.view().n_points, all = n - 1;
  for (std::int64_t length = std::min(all, asked.min_samples - 1 + spare_neighbours);; length = std::min(all, 2 * length)) {
    CoreLists lists{nearest_positions(tree, length, threads), {}};
    lists.core = core_distances(tree.view(), lists.near, asked);
    if (length == all || 2 * length * n > most_listed || reach_beyond_core(lists, alpha)) return lists;
  }
}

}  // namespace

TreeReachability regrow_from_first_row(const KDTree<double>& tree, const CoreQuestion& asked, double alpha, int threads) {
  const std::int64_t n = tree.view().n_points;
  const std::int32_t* row = tree.view().original;
  const CoreLists lists = core_lists(tree, asked, alpha, threads);
  TreeReachability found{{}, std::vector<double>(lists.core.size())};
  for (std::int64_t p = 0; p < n; ++p) found.core[row[p]] = lists.core[p];
  std::vector<std::int64_t> ends;
  std::vector<double> distance;
  for (const SpanningEdge<double>& edge : spanning_tree(tree, {found.core.data(), alpha}, lists.near, threads)) {
    ends.insert(ends.end(), {edge.lower, edge.higher});
    distance.push_back(edge.distance);
  }
  const NearLists near{lists.near.position.data(), lists.near.distance.data(), lists.near.k};
  found.grown = regrow_from_first_row(n, row, lists.core.data(), alpha, near, {ends.data(), distance.data()}, threads);
  return found;
}

}  // namespace coterie
