#include "trees/spanning_tree.h"

#include "support/cpu_dispatch.h"
#include "trees/spanning_lists.h"
#include "trees/spanning_rounds.h"

namespace coterie {
namespace {

constexpr std::int64_t usual_neighbours = 8;  // 4 means more searches, 12 longer lists than are used

// Rounds over one kd-tree. Items are tree positions. A point keeps its nearest partner elsewhere until the partner joins
// its component; without one it keeps a bound below which there is none.
template <class T>
class TreeBoruvka {
 public:
  TreeBoruvka(const KDTree<T>& tree, const Reachability<T>& reach, const NearestPositions<T>& known, int threads)
      : tree_(tree.view()),
        alpha_(reach.alpha),
        known_(known),
        threads_(threads),
        rounds_(tree_.n_points),
        distance_(static_cast<std::size_t>(tree_.n_points), T{0}),
        partner_(distance_.size(), no_partner),
        next_(distance_.size(), 0) {
    if (reach.core != nullptr)
      for (std::int64_t i = 0; i < tree_.n_points; ++i) core_.push_back(reach.core[tree_.original[i]]);
    node_component_.resize(static_cast<std::size_t>(tree_.n_nodes()));
    summarise_nodes();
  }

  SpanningEdges<T> run() {
    while (rounds_.n_components() > 1) {
      bound_.assign(static_cast<std::size_t>(rounds_.n_components()), std::numeric_limits<T>::infinity());
      look_up_lists();
      summarise_components();
      search();
      rounds_.merge([&](std::int32_t item, SpanningEdge<T>& edge, std::int32_t& partner) {
        partner = partner_[item];
        const std::int32_t component = rounds_.component(item);
        if (partner == no_partner || component == rounds_.waiting()) return false;
        if (distance_[item] > bound_[component]) return false;  // another of its component is nearer to its partner
        const std::int32_t a = tree_.original[item], b = tree_.original[partner];
        edge = {distance_[item], std::min(a, b), std::max(a, b)};
        return true;
      });
    }
    return rounds_.take_edges();
  }

 private:
  // Lowest row and smallest core of every node, bottom-up: children have higher numbers than their parent.
  void summarise_nodes() {
    node_lowest_.resize(node_component_.size());
    if (!core_.empty()) node_core_.resize(node_component_.size());
    for_nodes(
        [&](TreeNode leaf) {
          node_lowest_[leaf.id] = *std::min_element(tree_.original + tree_.begin(leaf), tree_.original + tree_.end(leaf));
          if (!core_.empty())
            node_core_[leaf.id] = *std::min_element(core_.data() + tree_.begin(leaf), core_.data() + tree_.end(leaf));
        },
        [&](std::int32_t id, std::int32_t left, std::int32_t right) {
          node_lowest_[id] = std::min(node_lowest_[left], node_lowest_[right]);
          if (!core_.empty()) node_core_[id] = std::min(node_core_[left], node_core_[right]);
        });
  }

  void summarise_components() {
    for_nodes(
        [&](TreeNode leaf) {
          const std::int32_t first = rounds_.component(tree_.begin(leaf));
          bool is_one = true;
          for (std::int64_t i = tree_.begin(leaf); i < tree_.end(leaf); ++i) is_one &= rounds_.component(i) == first;
          node_component_[leaf.id] = is_one ? first : several_components;
        },
        [&](std::int32_t id, std::int32_t left, std::int32_t right) {
          node_component_[id] = node_component_[left] == node_component_[right] ? node_component_[left] : several_components;
        });
  }

  template <class AtLeaf, class AtInner>
  void for_nodes(AtLeaf at_leaf, AtInner at_inner) {
    visit(tree_.root(), at_leaf, at_inner);
  }

  // As deep as the tree: the logarithm of its leaves.
  template <class AtLeaf, class AtInner>
  void visit(TreeNode node, AtLeaf& at_leaf, AtInner& at_inner) {
    if (node.is_leaf()) return at_leaf(node);
    visit(node.left(), at_leaf, at_inner);
    visit(node.right(), at_leaf, at_inner);
    at_inner(node.id, node.left().id, node.right().id);
  }

  T between(std::int32_t a, std::int32_t b, T distance) const {
    if (alpha_ != 1) distance = static_cast<T>(static_cast<double>(distance) / alpha_);
    return core_.empty() ? distance : std::max(std::max(core_[a], core_[b]), distance);
  }

  // Points whose partner joined them take the next one from their list, if the list is sure of it.
  void look_up_lists() {
    const std::int64_t n = tree_.n_points;
    parallel_for(block_count(n, SpanningRounds<T>::items_per_task), threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n, SpanningRounds<T>::items_per_task, task);
      for (auto i = static_cast<std::int32_t>(range.begin); i < range.end; ++i) {
        if (partner_[i] != no_partner && rounds_.component(partner_[i]) != rounds_.component(i)) continue;
        partner_[i] = no_partner;
        if (next_[i] < known_.k) look_up(i);
      }
    });
    for (std::int64_t i = 0; i < n; ++i)
      if (partner_[i] != no_partner) bound_[rounds_.component(i)] = std::min(bound_[rounds_.component(i)], distance_[i]);
  }

  void look_up(std::int32_t i) {
    const std::int64_t* position = known_.position.data() + i * known_.k;
    const T* distance = known_.distance.data() + i * known_.k;
    while (next_[i] < known_.k && is_joined(i, position[next_[i]])) ++next_[i];
    const T beyond = between(i, i, distance[known_.k - 1]);  // no point outside the list is nearer
    SpanningEdge<T> best{std::numeric_limits<T>::infinity(), 0, 0};
    std::int32_t partner = no_partner;
    for (std::int64_t m = next_[i]; m < known_.k && position[m] >= 0; ++m) {
      if (partner != no_partner && between(i, i, distance[m]) > best.distance) break;
      const auto other = static_cast<std::int32_t>(position[m]);
      if (rounds_.component(other) == rounds_.component(i)) continue;
      const SpanningEdge<T> edge{between(i, other, distance[m]), tree_.original[other], 0};
      if (partner == no_partner || edge < best) {
        best = edge;
        partner = other;
      }
    }
    if (partner != no_partner && best.distance < beyond) {
      partner_[i] = partner;
      distance_[i] = best.distance;
    } else {
      next_[i] = static_cast<std::int32_t>(known_.k);  // the list cannot say; a search does from now on
      distance_[i] = std::max(distance_[i], beyond);
    }
  }

  bool is_joined(std::int32_t i, std::int64_t other) const { return other < 0 || rounds_.component(other) == rounds_.component(i); }

  // First the most promising point of every component: what it finds spares most of the others. Then nodes that are in one
  // component, and the points of the others one by one.
  void search() {
    std::vector<std::int32_t> first(bound_.size(), no_partner);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(tree_.n_points); ++i) {
      std::int32_t& leader = first[rounds_.component(i)];
      if (is_asked(i) && (leader == no_partner || distance_[i] < distance_[leader])) leader = i;
    }
    std::erase(first, no_partner);
    search(first, {});
    std::vector<std::int32_t> others;
    std::vector<TreeNode> whole;
    collect(tree_.root(), others, whole);
    search(others, std::move(whole));
  }

  void collect(TreeNode node, std::vector<std::int32_t>& points, std::vector<TreeNode>& whole) const {
    const std::int32_t component = node_component_[node.id];
    if (component == rounds_.waiting() && component != several_components) return;
    if (component != several_components) return whole.push_back(node);
    if (!node.is_leaf()) {
      collect(node.left(), points, whole);
      return collect(node.right(), points, whole);
    }
    for (auto i = static_cast<std::int32_t>(tree_.begin(node)); i < tree_.end(node); ++i)
      if (is_asked(i)) points.push_back(i);
  }

  bool is_asked(std::int32_t i) const {
    const std::int32_t component = rounds_.component(i);
    return partner_[i] == no_partner && component != rounds_.waiting() && distance_[i] <= bound_[component];
  }

  void search(const std::vector<std::int32_t>& queries, std::vector<TreeNode> whole) {
    const auto component = [&](TreeNode node) { return node_component_[node.id]; };
    std::stable_sort(whole.begin(), whole.end(), [&](TreeNode a, TreeNode b) { return component(a) < component(b); });
    std::vector<std::int64_t> starts{0};
    for (std::size_t i = 1; i <= whole.size(); ++i)
      if (i == whole.size() || component(whole[i]) != component(whole[i - 1])) starts.push_back(static_cast<std::int64_t>(i));
    const SpanningSearch<T> job{rounds_.components().data(),
                                node_component_.data(),
                                node_lowest_.data(),
                                core_.empty() ? nullptr : core_.data(),
                                core_.empty() ? nullptr : node_core_.data(),
                                alpha_,
                                queries.data(),
                                static_cast<std::int64_t>(queries.size()),
                                {whole.data(), starts.data(), static_cast<std::int64_t>(starts.size()) - 1},
                                bound_.data(),
                                distance_.data(),
                                partner_.data()};
    engine().of<T>().spanning.search(tree_, job, threads_);
  }

  const KDTreeView<T>& tree_;
  double alpha_;
  const NearestPositions<T>& known_;
  int threads_;
  SpanningRounds<T> rounds_;
  std::vector<T> core_;                 // per position; empty: none
  std::vector<T> distance_;             // per position, as in SpanningSearch
  std::vector<std::int32_t> partner_;
  std::vector<std::int32_t> next_;      // per position: entries of its list before this one are in its component
  std::vector<std::int32_t> node_component_, node_lowest_;
  std::vector<T> node_core_;
  std::vector<T> bound_;                // per component
};

}  // namespace

template <class T>
SpanningEdges<T> spanning_tree(const KDTree<T>& tree, const Reachability<T>& reach, int threads) {
  const std::int64_t k = tree.view().n_points > usual_neighbours ? usual_neighbours : 0;
  return spanning_tree<T>(tree, reach, nearest_positions(tree, k, threads), threads);
}

template <class T>
SpanningEdges<T> spanning_tree(const KDTree<T>& tree, const Reachability<T>& reach, const NearestPositions<T>& known, int threads) {
  return TreeBoruvka<T>(tree, reach, known, threads).run();
}

template SpanningEdges<float> spanning_tree(const KDTree<float>&, const Reachability<float>&, int);
template SpanningEdges<double> spanning_tree(const KDTree<double>&, const Reachability<double>&, int);
template SpanningEdges<float> spanning_tree(const KDTree<float>&, const Reachability<float>&, const NearestPositions<float>&, int);
template SpanningEdges<double> spanning_tree(const KDTree<double>&, const Reachability<double>&, const NearestPositions<double>&, int);

}  // namespace coterie
