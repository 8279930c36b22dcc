// Sorting queries by the leaf in which they would lie.
#include <algorithm>
#include <numeric>

#include "support/parallel.h"
#include "trees/kdtree.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_task = 4096;
constexpr std::int32_t group_leaves = 2;  // a group that spans more leaves walks more than it shares

template <class T>
std::int32_t home_leaf(const KDTreeView<T>& tree, const T* query) {
  TreeNode node = tree.root();
  while (!node.is_leaf()) {
    const TreeSplit<T>& split = tree.splits[node.id];
    node = query[split.dimension] <= split.value ? node.left() : node.right();
  }
  return node.first_leaf;
}

// Query numbers by (leaf, number): counting when there are many, sorting when the leaves outnumber them.
std::vector<std::int64_t> order_by_leaf(const std::vector<std::int32_t>& leaves, std::int32_t n_leaves) {
  std::vector<std::int64_t> order(leaves.size());
  if (leaves.size() < static_cast<std::size_t>(n_leaves) / 16) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return leaves[a] < leaves[b]; });
    return order;
  }
  std::vector<std::int64_t> starts(static_cast<std::size_t>(n_leaves) + 1, 0);
  for (const std::int32_t leaf : leaves) ++starts[leaf + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::size_t i = 0; i < leaves.size(); ++i) order[starts[leaves[i]]++] = static_cast<std::int64_t>(i);
  return order;
}

}  // namespace

template <class T>
TreeQueries<T>::TreeQueries(const KDTree<T>& tree) : rows_{}, n_rows_(tree.view().n_points), is_self_(true) {
  const std::int64_t n_groups = block_count(n_rows_, query_group_size);
  for (std::int64_t group = 0; group < n_groups; ++group) {
    starts_.push_back(group * query_group_size);
    home_leaves_.push_back(static_cast<std::int32_t>(group * query_group_size / tree.view().leaf_capacity));
  }
  starts_.push_back(n_rows_);
}

template <class T>
TreeQueries<T>::TreeQueries(const KDTree<T>& tree, MatrixView<T> rows, int threads)
    : rows_(rows), n_rows_(rows.rows), is_self_(false) {
  std::vector<std::int32_t> leaves(static_cast<std::size_t>(rows.rows));
  parallel_for(block_count(rows.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(rows.rows, rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) leaves[i] = home_leaf(tree.view(), rows.row(i));
  });
  order_ = order_by_leaf(leaves, tree.view().n_leaves);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::int32_t leaf = leaves[order_[i]];
    if (starts_.empty() || i - starts_.back() == query_group_size || leaf - home_leaves_.back() >= group_leaves) {
      starts_.push_back(i);
      home_leaves_.push_back(leaf);
    }
  }
  starts_.push_back(rows.rows);
}

template <class T>
QueryGroups<T> TreeQueries<T>::groups() const {
  return {rows_.data,     rows_.stride,        is_self_ ? nullptr : order_.data(),
          starts_.data(), home_leaves_.data(), static_cast<std::int64_t>(home_leaves_.size())};
}

template class TreeQueries<float>;
template class TreeQueries<double>;

}  // namespace coterie
