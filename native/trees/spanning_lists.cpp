#include "trees/spanning_lists.h"

#include <numeric>
#include <vector>

#include "support/cpu_dispatch.h"

namespace coterie {

template <class T>
NearestPositions<T> nearest_positions(const KDTree<T>& tree, std::int64_t k, int threads) {
  if (k == 0) return {};
  const auto n = static_cast<std::size_t>(tree.view().n_points),
             padded = static_cast<std::size_t>(tree.view().n_leaves * tree.view().leaf_capacity);
  std::vector<std::int32_t> itself(padded, static_cast<std::int32_t>(n) - 1);
  std::iota(itself.begin(), itself.begin() + static_cast<std::ptrdiff_t>(n), 0);
  KDTreeView<T> in_order = tree.view();
  in_order.original = itself.data();
  const std::size_t size = n * static_cast<std::size_t>(k);
  NearestPositions<T> lists{k, UnclearedArray<std::int64_t>(size), UnclearedArray<T>(size)};
  const TreeQueries<T> queries(tree);
  engine().of<T>().kdtree.nearest(in_order, {queries.groups(), k, true, nullptr, lists.position.data(), lists.distance.data()},
                                  threads);
  return lists;
}

template <class T>
NearestPositions<T> nearest_positions(const KDTree<T>& tree, const std::int64_t* rows, const T* distances, std::int64_t k) {
  const std::int32_t* original = tree.view().original;
  const std::int64_t n = tree.view().n_points;
  std::vector<std::int64_t> place(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) place[original[i]] = i;
  const auto size = static_cast<std::size_t>(n * k);
  NearestPositions<T> lists{k, UnclearedArray<std::int64_t>(size), UnclearedArray<T>(size)};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t m = 0; m < k; ++m) {
      lists.position[i * k + m] = place[rows[original[i] * k + m]];
      lists.distance[i * k + m] = distances[original[i] * k + m];
    }
  return lists;
}

template NearestPositions<float> nearest_positions(const KDTree<float>&, std::int64_t, int);
template NearestPositions<double> nearest_positions(const KDTree<double>&, std::int64_t, int);
template NearestPositions<float> nearest_positions(const KDTree<float>&, const std::int64_t*, const float*, std::int64_t);
template NearestPositions<double> nearest_positions(const KDTree<double>&, const std::int64_t*, const double*, std::int64_t);

}  // namespace coterie
