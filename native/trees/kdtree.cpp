#include "trees/kdtree.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/cpu_dispatch.h"
#include "support/scratch.h"
#include "trees/kdtree_build.h"

namespace coterie {
namespace {

constexpr std::int64_t leaf_step = 32;

// Minkowski's special cases have their own, faster terms.
TreeMetric simplest_metric(TreeMetric metric, double p) {
  if (metric != TreeMetric::minkowski) return metric;
  if (p == 1) return TreeMetric::manhattan;
  if (p == 2) return TreeMetric::euclidean;
  return p > std::numeric_limits<double>::max() ? TreeMetric::chebyshev : metric;
}

template <class T>
KDTreeView<T> shape_of(MatrixView<T> rows, TreeMetric metric, double p, std::int64_t leaf_size) {
  if (rows.rows < 1 || rows.rows > std::numeric_limits<std::int32_t>::max() || rows.cols < 1)
    throw std::invalid_argument("X of KDTree must have 1 to 2147483647 rows and at least one column, got shape (" +
                                std::to_string(rows.rows) + ", " + std::to_string(rows.cols) + ").");
  if (leaf_size < 1) throw std::invalid_argument("leaf_size of KDTree must be at least 1, got " + std::to_string(leaf_size) + ".");
  if (metric == TreeMetric::great_circle && !(p > 0))
    throw std::invalid_argument("p of KDTree, the radius of the sphere, must be above 0, got " + std::to_string(p) + ".");
  if (metric != TreeMetric::great_circle && !(p >= 1))
    throw std::invalid_argument("p of KDTree must be at least 1, got " + std::to_string(p) + ".");
  KDTreeView<T> view{};
  view.n_points = rows.rows;
  view.dims = rows.cols;
  view.leaf_capacity = (std::min(leaf_size, rows.rows) + leaf_step - 1) / leaf_step * leaf_step;
  view.n_leaves = static_cast<std::int32_t>((rows.rows + view.leaf_capacity - 1) / view.leaf_capacity);
  view.metric = simplest_metric(metric, p);
  view.p = p;
  return view;
}

}  // namespace

void FreeAligned::operator()(void* memory) const noexcept { free_aligned(memory); }

template <class T>
KDTree<T>::KDTree(MatrixView<T> rows, TreeMetric metric, double p, std::int64_t leaf_size, int threads)
    : view_(shape_of(rows, metric, p, leaf_size)) {
  const auto places = static_cast<std::size_t>(view_.n_leaves * view_.leaf_capacity);
  points_.reset(static_cast<T*>(allocate_aligned(places * static_cast<std::size_t>(view_.dims) * sizeof(T))));
  original_.resize(places);
  boxes_.resize(static_cast<std::size_t>(view_.n_nodes() * 2 * view_.dims));
  splits_.resize(static_cast<std::size_t>(view_.n_nodes()));
  view_.points = points_.get();
  view_.original = original_.data();
  view_.boxes = boxes_.data();
  view_.splits = splits_.data();
  build_kdtree(rows, view_, points_.get(), original_.data(), boxes_.data(), splits_.data(), threads);
}

template <class T>
void find_nearest(const KDTree<T>& tree, const TreeQueries<T>& queries, std::int64_t k, bool exclude_self, const T* upper_bounds,
                  std::int64_t* indices, T* distances, int threads) {
  const NearestJob<T> job{queries.groups(), k, exclude_self, upper_bounds, indices, distances};
  engine().of<T>().kdtree.nearest(tree.view(), job, threads);
}

template <class T>
void count_within(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, std::int64_t* counts, int threads) {
  const RadiusJob<T> job{queries.groups(), radius, counts, nullptr, nullptr, nullptr, HitOrder::none};
  engine().of<T>().kdtree.count_within(tree.view(), job, threads);
}

template <class T>
void list_within(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, HitOrder sort, const std::int64_t* row_starts,
                 std::int64_t* indices, T* distances, int threads) {
  const RadiusJob<T> job{queries.groups(), radius, nullptr, row_starts, indices, distances, sort};
  engine().of<T>().kdtree.fill_within(tree.view(), job, threads);
}

#define COTERIE_INSTANTIATE(T)                                                                                               \
  template class KDTree<T>;                                                                                                  \
  template void find_nearest(const KDTree<T>&, const TreeQueries<T>&, std::int64_t, bool, const T*, std::int64_t*, T*, int); \
  template void count_within(const KDTree<T>&, const TreeQueries<T>&, double, std::int64_t*, int);                           \
  template void list_within(const KDTree<T>&, const TreeQueries<T>&, double, HitOrder, const std::int64_t*, std::int64_t*, T*, int);

COTERIE_INSTANTIATE(float)
COTERIE_INSTANTIATE(double)

}  // namespace coterie
