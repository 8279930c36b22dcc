// The CF tree to arrays and back.
#include <algorithm>

#include "birch/cf_tree.h"

namespace coterie {

CFTree::CFTree(std::int64_t dims, std::int64_t n_nodes, const CFTreeArrays<const std::int64_t, const double>& stored)
    : dims_(dims), root_(n_nodes - 1), row_(static_cast<std::size_t>(dims)) {
  nodes_.reserve(static_cast<std::size_t>(n_nodes));
  for (std::int64_t id = 0; id < n_nodes; ++id) {
    const std::int64_t begin = stored.node_starts[id], end = stored.node_starts[id + 1];
    const bool is_leaf = stored.children[begin] == no_node;
    nodes_.emplace_back(dims, is_leaf);
    if (is_leaf && id > 0) nodes_[static_cast<std::size_t>(id - 1)].next_leaf = id;
    for (std::int64_t entry = begin; entry < end; ++entry)
      nodes_.back().append(stored.weights[entry], stored.deviations[entry], stored.centres + entry * dims, stored.children[entry]);
  }
}

std::int64_t CFTree::n_entries() const {
  std::int64_t total = 0;
  for (const CFNode& each : nodes_) total += each.size();
  return total;
}

// Leaves as they follow each other, then inner nodes from the deepest up.
std::vector<std::int64_t> CFTree::stored_order() const {
  std::vector<std::int64_t> inner, order;
  if (!node(root_).is_leaf()) inner.push_back(root_);
  for (std::size_t done = 0; done < inner.size(); ++done) {
    const CFNode& parent = node(inner[done]);
    if (node(parent.child(0)).is_leaf()) continue;
    for (std::int64_t slot = 0; slot < parent.size(); ++slot) inner.push_back(parent.child(slot));
  }
  for (std::int64_t leaf = first_leaf_; leaf != no_node; leaf = node(leaf).next_leaf) order.push_back(leaf);
  order.insert(order.end(), inner.rbegin(), inner.rend());
  return order;
}

void CFTree::store(const CFTreeArrays<std::int64_t, double>& to) const {
  const std::vector<std::int64_t> order = stored_order();
  std::vector<std::int64_t> number(nodes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  std::int64_t entry = 0;
  to.node_starts[0] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CFNode& each = node(order[i]);
    for (std::int64_t slot = 0; slot < each.size(); ++slot, ++entry) {
      to.children[entry] = each.is_leaf() ? no_node : number[static_cast<std::size_t>(each.child(slot))];
      to.weights[entry] = each.weight(slot);
      to.deviations[entry] = each.deviation(slot);
      each.copy_centre(slot, to.centres + entry * dims_);
    }
    to.node_starts[i + 1] = entry;
  }
}

}  // namespace coterie
