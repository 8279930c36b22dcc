// The points of the tree within a radius of every query: how many, and which.
#include "engine.h"
#include "trees/hit_order.h"
#include "trees/radius_walk.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T, class Term>
void count_with(const KDTreeView<T>& tree, const RadiusJob<T>& job, const Term& term, int threads) {
  const RadiusBand<T> band = make_band(tree, job.radius);
  for_each_group<T>(tree, job.queries, threads, [&](const QueryGroup<T>& group) {
    std::int64_t counts[group_size] = {};
    auto add = [&](int query, TreeNode, std::int64_t, std::uint32_t within, const T*) { counts[query] += __builtin_popcount(within); };
    RadiusVisitor<T, Term, true, decltype(add)> visitor(tree, group, term, band, add);
    walk<T>(tree, group, term, visitor);
    for (int i = 0; i < group.size(); ++i) job.counts[group.row(i)] = counts[i] + visitor.whole();
  });
}

template <class T, class Term>
void fill_with(const KDTreeView<T>& tree, const RadiusJob<T>& job, const Term& term, int threads) {
  const RadiusBand<T> band = make_band(tree, job.radius);
  for_each_group<T>(tree, job.queries, threads, [&](const QueryGroup<T>& group) {
    std::int64_t ends[group_size];
    for (int i = 0; i < group_size; ++i) ends[i] = job.row_starts[group.row(i)];
    auto append = [&](int query, TreeNode leaf, std::int64_t first, std::uint32_t within, const T* reduced) {
      const std::int32_t* original = tree.original + tree.begin(leaf) + first;
      for (; within != 0; within &= within - 1) {
        const int point = __builtin_ctz(within);
        job.indices[ends[query]] = original[point];
        job.distances[ends[query]++] = reduced[point];
      }
    };
    RadiusVisitor<T, Term, false, decltype(append)> visitor(tree, group, term, band, append);
    walk<T>(tree, group, term, visitor);
    for (int i = 0; i < group.size(); ++i) {
      const std::int64_t start = job.row_starts[group.row(i)];
      sort_hits(job.sort, ends[i] - start, job.indices + start, job.distances + start);
      finish_distances<T>(tree, job.distances + start, ends[i] - start);
    }
  });
}

template <class T>
void count_within(const KDTreeView<T>& tree, const RadiusJob<T>& job, int threads) {
  with_term<T>(tree.metric, tree.p, [&](auto term) { count_with<T>(tree, job, term, threads); });
}

template <class T>
void fill_within(const KDTreeView<T>& tree, const RadiusJob<T>& job, int threads) {
  with_term<T>(tree.metric, tree.p, [&](auto term) { fill_with<T>(tree, job, term, threads); });
}

}  // namespace

void install_kdtree_radius(Engine& engine) {
  engine.float32.kdtree.count_within = count_within<float>;
  engine.float32.kdtree.fill_within = fill_within<float>;
  engine.float64.kdtree.count_within = count_within<double>;
  engine.float64.kdtree.fill_within = fill_within<double>;
}

}  // namespace coterie::COTERIE_ISA
