#include "dendrogram/walks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace coterie {

TreeProblem find_problem(const TreeView& tree) {
  std::vector<bool> is_used(static_cast<std::size_t>(std::max<std::int64_t>(0, tree.n_nodes())));
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    if (tree.starts[i + 1] - tree.starts[i] < 2) return {TreeFault::too_few_children, i, tree.starts[i]};
    for (std::int64_t at = tree.starts[i]; at < tree.starts[i + 1]; ++at) {
      const std::int64_t child = tree.children[at];
      if (child < 0 || child >= tree.n_nodes()) return {TreeFault::out_of_range, i, at};
      if (child >= tree.n_leaves + i) return {TreeFault::not_made_yet, i, at};
      if (is_used[static_cast<std::size_t>(child)]) return {TreeFault::used_twice, i, at};
      is_used[static_cast<std::size_t>(child)] = true;
    }
  }
  return {TreeFault::none, 0, 0};
}

void count_leaves(const TreeView& tree, std::int64_t* sizes) {
  std::fill(sizes, sizes + tree.n_leaves, 1);
  for (std::int64_t node = tree.n_leaves; node < tree.n_nodes(); ++node) {
    sizes[node] = 0;
    for (const std::int64_t child : tree.children_of(node)) sizes[node] += sizes[child];
  }
}

void find_parents(const TreeView& tree, std::int64_t* parents) {
  std::fill(parents, parents + tree.n_nodes(), -1);
  for (std::int64_t node = tree.n_leaves; node < tree.n_nodes(); ++node)
    for (const std::int64_t child : tree.children_of(node)) parents[child] = node;
}

void order_leaves(const TreeView& tree, const std::int64_t* sizes, std::int64_t* order, std::int64_t* first_place) {
  first_place[tree.root()] = 0;
  for (std::int64_t node = tree.root(); node >= tree.n_leaves; --node) {
    std::int64_t place = first_place[node];
    for (const std::int64_t child : tree.children_of(node)) {
      first_place[child] = place;
      place += sizes[child];
    }
  }
  for (std::int64_t leaf = 0; leaf < tree.n_leaves; ++leaf) order[first_place[leaf]] = leaf;
}

void greatest_below(const TreeView& tree, const double* values, double* greatest) {
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    greatest[i] = values[i];
    for (const std::int64_t child : tree.children_of(tree.n_leaves + i))
      if (child >= tree.n_leaves) greatest[i] = std::max(greatest[i], greatest[child - tree.n_leaves]);
  }
}

void longest_ways_down(const TreeView& tree, const double* lengths, double* heights) {
  const auto way = [&](std::int64_t child) { return (child < tree.n_leaves ? 0.0 : heights[child - tree.n_leaves]) + lengths[child]; };
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    const Span children = tree.children_of(tree.n_leaves + i);
    double longest = -std::numeric_limits<double>::infinity();
    for (const std::int64_t child : children) longest = std::max(longest, way(child));
    // ways that differ by rounding only are equal: the shortest branch has lost least
    const double equal = longest - 4 * std::numeric_limits<double>::epsilon() * std::abs(longest);
    double shortest = std::numeric_limits<double>::infinity();
    heights[i] = longest;
    for (const std::int64_t child : children) {
      if (way(child) < equal || std::abs(lengths[child]) >= shortest) continue;
      shortest = std::abs(lengths[child]);
      heights[i] = way(child);
    }
  }
}

void leaf_ranges(const TreeView& tree, const std::int64_t* leaf_values, std::int64_t* least, std::int64_t* greatest) {
  const auto low = [&](std::int64_t v) { return v < tree.n_leaves ? leaf_values[v] : least[v - tree.n_leaves]; };
  const auto high = [&](std::int64_t v) { return v < tree.n_leaves ? leaf_values[v] : greatest[v - tree.n_leaves]; };
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    const Span children = tree.children_of(tree.n_leaves + i);
    least[i] = low(*children.first);
    greatest[i] = high(*children.first);
    for (const std::int64_t child : children) {
      least[i] = std::min(least[i], low(child));
      greatest[i] = std::max(greatest[i], high(child));
    }
  }
}

void mark_below(const TreeView& tree, std::int64_t node, std::uint8_t* is_below) {
  std::fill(is_below, is_below + tree.n_nodes(), std::uint8_t{0});
  is_below[node] = 1;
  for (std::int64_t above = node; above >= tree.n_leaves; --above)
    if (is_below[above])
      for (const std::int64_t child : tree.children_of(above)) is_below[child] = 1;
}

void join_small(const TreeView& tree, const std::int64_t* sizes, std::int64_t min_size, std::uint8_t* is_joined) {
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    const Span children = tree.children_of(tree.n_leaves + i);
    is_joined[i] = std::any_of(children.begin(), children.end(), [&](std::int64_t child) { return sizes[child] < min_size; });
  }
}

std::int64_t label_leaves(const TreeView& tree, const std::uint8_t* is_joined, std::int64_t* labels) {
  std::vector<std::int64_t> top(static_cast<std::size_t>(tree.n_nodes()), -1);  // the cluster's topmost node
  for (std::int64_t node = tree.root(); node >= tree.n_leaves; --node) {
    if (top[node] < 0 && is_joined[node - tree.n_leaves]) top[node] = node;
    if (top[node] >= 0)
      for (const std::int64_t child : tree.children_of(node)) top[child] = top[node];
  }
  std::vector<std::int64_t> number(static_cast<std::size_t>(tree.n_nodes()), -1);
  std::int64_t n_clusters = 0;
  for (std::int64_t leaf = 0; leaf < tree.n_leaves; ++leaf) {
    const std::int64_t cluster = top[leaf] < 0 ? leaf : top[leaf];
    if (number[cluster] < 0) number[cluster] = n_clusters++;
    labels[leaf] = number[cluster];
  }
  return n_clusters;
}

std::vector<std::int64_t> order_by_height(const TreeView& tree, const double* heights) {
  std::vector<std::int64_t> parents(static_cast<std::size_t>(tree.n_nodes())), missing(static_cast<std::size_t>(tree.n_inner), 0);
  find_parents(tree, parents.data());
  const auto is_later = [&](std::int64_t a, std::int64_t b) { return heights[a] != heights[b] ? heights[a] > heights[b] : a > b; };
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, decltype(is_later)> ready(is_later);
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    for (const std::int64_t child : tree.children_of(tree.n_leaves + i)) missing[i] += child >= tree.n_leaves;
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(tree.n_inner));
  while (!ready.empty()) {
    const std::int64_t i = ready.top();
    ready.pop();
    order.push_back(i);
    const std::int64_t parent = parents[tree.n_leaves + i];
    if (parent >= 0 && --missing[parent - tree.n_leaves] == 0) ready.push(parent - tree.n_leaves);
  }
  return order;
}

}  // namespace coterie
