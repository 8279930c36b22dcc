#include "density/dbscan.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "density/shared_sets.h"
#include "support/cpu_dispatch.h"
#include "trees/metric_terms.h"

namespace coterie {
namespace {

constexpr std::int64_t points_per_leaf = 32;

// Values of all nodes from those of the leaves; children have higher numbers than their parent.
template <class T, class V, class AtLeaf, class Combine>
std::vector<V> over_nodes(const KDTreeView<T>& tree, AtLeaf at_leaf, Combine combine) {
  std::vector<V> values(static_cast<std::size_t>(tree.n_nodes()));
  const auto visit = [&](auto&& self, TreeNode node) -> V {
    values[node.id] = node.is_leaf() ? at_leaf(node) : combine(self(self, node.left()), self(self, node.right()));
    return values[node.id];
  };
  visit(visit, tree.root());
  return values;
}

template <class T>
class TreeDbscan {
 public:
  TreeDbscan(const KDTree<T>& tree, const DbscanQuestion& question, int threads)
      : tree_(tree.view()),
        queries_(tree),
        threads_(threads),
        bits_(static_cast<std::size_t>(tree_.n_leaves)),
        parent_(static_cast<std::size_t>(tree_.n_points)),
        anchor_(bits_.size()),
        label_(parent_.size()) {
    job_ = {queries_.groups(), question.radius, question.least_weight, nullptr, nullptr,       true,
            bits_.data(),      parent_.data(),  anchor_.data(),        nullptr, label_.data(), nullptr};
    if (question.weight != nullptr) take_weights(question.weight);
  }

  void run(std::uint8_t* is_core, std::int64_t* labels) {
    const DbscanKernels<T>& kernels = engine().template of<T>().dbscan;
    kernels.mark(tree_, job_, threads_);
    join(kernels);
    number();
    reach(kernels);
    for (std::int64_t i = 0; i < tree_.n_points; ++i) {
      is_core[tree_.original[i]] = is_core_at(i);
      labels[tree_.original[i]] = label_[i] == noise_label ? -1 : label_[i];
    }
  }

 private:
  bool is_core_at(std::int64_t i) const { return (bits_[i / points_per_leaf] >> (i % points_per_leaf) & 1) != 0; }

  void take_weights(const double* weight) {
    for (std::int64_t i = 0; i < tree_.n_points; ++i) weight_.push_back(weight[tree_.original[i]]);
    node_weight_ = over_nodes<T, double>(
        tree_,
        [&](TreeNode leaf) { return std::accumulate(weight_.begin() + tree_.begin(leaf), weight_.begin() + tree_.end(leaf), 0.0); },
        [](double a, double b) { return a + b; });
    job_.weight = weight_.data();
    job_.node_weight = node_weight_.data();
    job_.may_stop_early = std::all_of(weight_.begin(), weight_.end(), [](double w) { return w >= 0; });
  }

  void join(const DbscanKernels<T>& kernels) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t leaf = 0; leaf < bits_.size(); ++leaf) anchor_[leaf] = bits_[leaf] == 0 ? no_core_point : not_connected;
    const std::vector<std::int32_t> cores = over_nodes<T, std::int32_t>(
        tree_, [&](TreeNode leaf) { return __builtin_popcount(bits_[leaf.first_leaf]); },
        [](std::int32_t a, std::int32_t b) { return a + b; });
    job_.node_cores = cores.data();
    kernels.join(tree_, job_, threads_);
  }

  // Components in the order of their lowest rows.
  void number() {
    std::vector<std::int32_t> position(parent_.size()), number(parent_.size(), -1);
    for (std::int64_t i = 0; i < tree_.n_points; ++i) position[tree_.original[i]] = static_cast<std::int32_t>(i);
    std::int32_t n_clusters = 0;
    for (const std::int32_t i : position) {
      label_[i] = noise_label;
      if (!is_core_at(i)) continue;
      std::int32_t& own = number[find_shared(parent_.data(), i)];
      if (own < 0) own = n_clusters++;
      label_[i] = own;
    }
  }

  void reach(const DbscanKernels<T>& kernels) {
    const std::vector<std::int32_t> lowest = over_nodes<T, std::int32_t>(
        tree_, [&](TreeNode leaf) { return *std::min_element(label_.begin() + tree_.begin(leaf), label_.begin() + tree_.end(leaf)); },
        [](std::int32_t a, std::int32_t b) { return std::min(a, b); });
    job_.node_label = lowest.data();
    kernels.reach(tree_, job_, threads_);
  }

  const KDTreeView<T>& tree_;
  TreeQueries<T> queries_;
  int threads_;
  std::vector<std::uint32_t> bits_;
  std::vector<std::int32_t> parent_, anchor_, label_;
  std::vector<double> weight_, node_weight_;
  DbscanJob<T> job_{};
};

template <class T>
double gap_between(const KDTreeView<T>& tree, std::int32_t a, std::int32_t b) {
  double total = 0;
  COTERIE_ISA::with_term<double>(tree.metric, tree.p, [&](auto term) {
    for (std::int64_t j = 0; j < tree.dims; ++j) {
      const double above = static_cast<double>(tree.box_low(b)[j]) - static_cast<double>(tree.box_high(a)[j]);
      const double below = static_cast<double>(tree.box_low(a)[j]) - static_cast<double>(tree.box_high(b)[j]);
      total = term.add(total, std::max({above, below, 0.0}));
    }
  });
  return total;
}

}  // namespace

template <class T>
void dbscan(const KDTree<T>& tree, const DbscanQuestion& question, std::uint8_t* is_core, std::int64_t* labels, int threads) {
  if (tree.view().leaf_capacity != points_per_leaf) throw std::invalid_argument("dbscan needs a tree with leaves of 32 points.");
  TreeDbscan<T>(tree, question, threads).run(is_core, labels);
}

template <class T>
double share_within(const KDTree<T>& tree, double radius) {
  constexpr std::int64_t most_samples = 64;
  const KDTreeView<T>& view = tree.view();
  std::vector<std::int32_t> leaves;
  over_nodes<T, int>(view, [&](TreeNode leaf) { return leaves.push_back(leaf.id), 0; }, [](int, int) { return 0; });
  const auto n = static_cast<std::int64_t>(leaves.size());
  const double reduced = COTERIE_ISA::reduce_distance<T>(view, radius);
  std::int64_t n_near = 0, n_pairs = 0;
  for (std::int64_t s = 0; s < std::min(n, most_samples); ++s)
    for (const std::int32_t other : leaves) {
      n_near += gap_between(view, leaves[s * n / std::min(n, most_samples)], other) <= reduced;
      ++n_pairs;
    }
  return static_cast<double>(n_near) / static_cast<double>(n_pairs);
}

template void dbscan(const KDTree<float>&, const DbscanQuestion&, std::uint8_t*, std::int64_t*, int);
template void dbscan(const KDTree<double>&, const DbscanQuestion&, std::uint8_t*, std::int64_t*, int);
template double share_within(const KDTree<float>&, double);
template double share_within(const KDTree<double>&, double);

}  // namespace coterie
