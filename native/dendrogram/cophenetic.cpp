// Heights at which leaves are joined: all pairs row by row, or single pairs by heavy paths.
#include "dendrogram/walks.h"

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t ROWS_PER_TASK = 16;

struct Layout {
  std::vector<std::int64_t> sizes, parents, order, first_place;
  explicit Layout(const TreeView& tree)
      : sizes(tree.n_nodes()), parents(tree.n_nodes()), order(tree.n_leaves), first_place(tree.n_nodes()) {
    count_leaves(tree, sizes.data());
    find_parents(tree, parents.data());
    order_leaves(tree, sizes.data(), order.data(), first_place.data());
  }
};

// Climbs from a leaf to the root: whatever an ancestor adds to the leaves below is joined at its height.
void fill_row(const Layout& layout, const double* heights, std::int64_t n, std::int64_t leaf, double* row) {
  std::int64_t begin = layout.first_place[leaf], end = begin + 1;
  for (std::int64_t node = layout.parents[leaf]; node >= 0; node = layout.parents[node]) {
    const double height = heights[node - n];
    const std::int64_t first = layout.first_place[node], last = first + layout.sizes[node];
    const auto write = [&](std::int64_t place) {
      const std::int64_t other = layout.order[place];
      if (other > leaf) row[other - leaf - 1] = height;
    };
    for (std::int64_t place = first; place < begin; ++place) write(place);
    for (std::int64_t place = end; place < last; ++place) write(place);
    begin = first;
    end = last;
  }
}

// top[v] = the uppermost node of the heavy path of v: every node continues the path of its parent in its largest child.
std::vector<std::int64_t> heavy_tops(const TreeView& tree, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> top(static_cast<std::size_t>(tree.n_nodes()));
  top[tree.root()] = tree.root();
  for (std::int64_t node = tree.root(); node >= tree.n_leaves; --node) {
    const Span children = tree.children_of(node);
    std::int64_t heavy = *children.first;
    for (const std::int64_t child : children)
      if (sizes[child] > sizes[heavy]) heavy = child;
    for (const std::int64_t child : children) top[child] = child == heavy ? top[node] : child;
  }
  return top;
}

}  // namespace

void cophenetic_condensed(const TreeView& tree, const double* heights, double* condensed, int threads) {
  const Layout layout(tree);
  const std::int64_t n = tree.n_leaves;
  parallel_for(block_count(n, ROWS_PER_TASK), threads, [&](std::int64_t task, int) {
    const Range leaves = block_range(n, ROWS_PER_TASK, task);
    for (std::int64_t leaf = leaves.begin; leaf < leaves.end; ++leaf)
      fill_row(layout, heights, n, leaf, condensed + leaf * (2 * n - leaf - 1) / 2);
  });
}

void common_nodes(const TreeView& tree, const std::int64_t* pairs, std::int64_t n_pairs, std::int64_t* nodes) {
  const Layout layout(tree);
  const std::vector<std::int64_t> top = heavy_tops(tree, layout.sizes);
  for (std::int64_t pair = 0; pair < n_pairs; ++pair) {
    std::int64_t a = pairs[2 * pair], b = pairs[2 * pair + 1];
    // of two paths the one with the lower top cannot hold the common node: ancestors have higher numbers
    while (top[a] != top[b]) {
      if (top[a] < top[b])
        a = layout.parents[top[a]];
      else
        b = layout.parents[top[b]];
    }
    nodes[pair] = a > b ? a : b;
  }
}

}  // namespace coterie
