#include "trees/spanning_lists.h"

#include <algorithm>
#include <numeric>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {

template <class T>
NearestPositions<T> nearest_positions(const KDTree<T>& tree, std::int64_t k, int threads) {
  if (k == 0) return {};
  const auto n = static_cast<std::size_t>(tree.view().n_points), padded = static_cast<std::size_t>(tree.view().n_leaves * tree.view().leaf_capacity);
  std::vector<std::int32_t> itself(padded, static_cast<std::int32_t>(n) - 1);
  std::iota(itself.begin(), itself.begin() + static_cast<std::ptrdiff_t>(n), 0);
  KDTreeView<T> in_order = tree.view();
  in_order.original = itself.data();
  NearestPositions<T> lists{k, std::vector<std::int64_t>(n * static_cast<std::size_t>(k)), std::vector<T>(n * static_cast<std::size_t>(k))};
  const TreeQueries<T> queries(tree);
  engine().of<T>().kdtree.nearest(in_order, {queries.groups(), k, true, nullptr, lists.position.data(), lists.distance.data()}, threads);
  return lists;
}

template <class T>
NearestPositions<T> nearest_positions(const KDTree<T>& tree, const NearestRows<T>& known, int threads) {
  const std::int64_t n = tree.view().n_points, k = known.k;
  const std::int32_t* original = tree.view().original;
  std::vector<std::int32_t> position(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) position[static_cast<std::size_t>(original[i])] = static_cast<std::int32_t>(i);
  NearestPositions<T> lists{k, std::vector<std::int64_t>(static_cast<std::size_t>(n * k)), std::vector<T>(static_cast<std::size_t>(n * k))};
  constexpr std::int64_t block = 4096;
  parallel_for(block_count(n, block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, block, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t row = original[i];
      std::copy_n(known.distance + row * k, k, lists.distance.begin() + i * k);
      std::transform(known.index + row * k, known.index + (row + 1) * k, lists.position.begin() + i * k,
                     [&](std::int64_t other) { return other < 0 ? -1 : std::int64_t{position[static_cast<std::size_t>(other)]}; });
    }
  });
  return lists;
}

template NearestPositions<float> nearest_positions(const KDTree<float>&, std::int64_t, int);
template NearestPositions<double> nearest_positions(const KDTree<double>&, std::int64_t, int);
template NearestPositions<float> nearest_positions(const KDTree<float>&, const NearestRows<float>&, int);
template NearestPositions<double> nearest_positions(const KDTree<double>&, const NearestRows<double>&, int);

}  // namespace coterie
