#include "birch/cf_tree.h"

#include <algorithm>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_between_polls = 64;

}  // namespace

CFTree::CFTree(std::int64_t dims) : dims_(dims), row_(static_cast<std::size_t>(dims)) { nodes_.emplace_back(dims, true); }

template <class T>
void CFTree::add(const MatrixView<T>& rows, const double* weights, const GrowthRules& rules) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (i % rows_between_polls == 0) check_interrupt();
    const double weight = weights == nullptr ? 1.0 : weights[i];
    if (weight <= 0) continue;
    std::copy(rows.row(i), rows.row(i) + dims_, row_.begin());
    insert(row_.data(), weight, rules);
  }
}

template <class T>
void CFTree::add(const SparseView<T>& rows, const double* weights, const GrowthRules& rules) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (i % rows_between_polls == 0) check_interrupt();
    const double weight = weights == nullptr ? 1.0 : weights[i];
    if (weight <= 0) continue;
    std::fill(row_.begin(), row_.end(), 0.0);
    for (std::int64_t k = rows.row_starts[i]; k < rows.row_starts[i + 1]; ++k)
      row_[static_cast<std::size_t>(rows.columns[k])] = static_cast<double>(rows.values[k]);
    insert(row_.data(), weight, rules);
  }
}

void CFTree::insert(const double* x, double weight, const GrowthRules& rules) {
  path_.clear();
  std::int64_t leaf = root_;
  NearestCentre near{0, 0.0};
  for (;; leaf = node(leaf).child(near.slot)) {
    if (node(leaf).size() > 0) near = node(leaf).nearest(x);
    if (node(leaf).is_leaf()) break;
    path_.push_back({leaf, near.slot, near.squared});
  }
  CFNode& last = node(leaf);
  const bool is_first = last.size() == 0;
  const double together = is_first ? 0.0 : last.weight(near.slot) + weight;
  const bool fits = !is_first && last.widened(near.slot, weight, near.squared) / together <= rules.threshold * rules.threshold;
  if (fits)
    last.absorb(near.slot, x, weight, near.squared);
  else
    last.append(weight, 0.0, x, no_node);
  if (last.size() > rules.branching_factor) split_upwards(leaf, rules);
  for (const Step& step : path_) node(step.node).absorb(step.slot, x, weight, step.squared);
}

// Splits nodes from the leaf on as long as they are overfull; what is left of the path still has to hear of the row.
void CFTree::split_upwards(std::int64_t overfull, const GrowthRules& rules) {
  while (node(overfull).size() > rules.branching_factor) {
    const std::int64_t second = split(overfull);
    const Summary one = node(overfull).summary(), other = node(second).summary();
    if (path_.empty()) {
      nodes_.emplace_back(dims_, false);
      root_ = n_nodes() - 1;
      node(root_).append(one.weight, one.deviation, one.centre.data(), overfull);
    } else {
      node(path_.back().node).replace(path_.back().slot, one);
    }
    const std::int64_t parent = path_.empty() ? root_ : path_.back().node;
    node(parent).append(other.weight, other.deviation, other.centre.data(), second);
    if (path_.empty()) return;
    path_.pop_back();
    overfull = parent;
  }
}

// Moves the entries nearer to the second of the two that are farthest apart to a new node, and returns its number.
std::int64_t CFTree::split(std::int64_t id) {
  const CFNode whole = std::move(node(id));
  const std::vector<bool> is_first = sides_of(whole);
  const std::int64_t second = n_nodes();
  node(id) = CFNode(dims_, whole.is_leaf());
  nodes_.emplace_back(dims_, whole.is_leaf());
  std::vector<double> centre(static_cast<std::size_t>(dims_));
  for (std::int64_t slot = 0; slot < whole.size(); ++slot) {
    whole.copy_centre(slot, centre.data());
    CFNode& side = node(is_first[static_cast<std::size_t>(slot)] ? id : second);
    side.append(whole.weight(slot), whole.deviation(slot), centre.data(), whole.child(slot));
  }
  node(second).next_leaf = whole.next_leaf;
  node(id).next_leaf = whole.is_leaf() ? second : no_node;
  return second;
}

// Whether each entry goes with the first of the two that are farthest apart: of equal pairs the first, of equal distances the second.
std::vector<bool> CFTree::sides_of(const CFNode& overfull) const {
  const std::int64_t n = overfull.size();
  std::vector<double> centre(static_cast<std::size_t>(dims_)), squared(static_cast<std::size_t>(overfull.padded_size()));
  std::int64_t first = 0, second = 1;
  double farthest = -1;
  for (std::int64_t slot = 0; slot < n; ++slot) {
    overfull.copy_centre(slot, centre.data());
    overfull.distances_from(slot, centre.data(), squared.data());
    for (std::int64_t other = slot + 1; other < n; ++other) {
      if (!(squared[static_cast<std::size_t>(other)] > farthest)) continue;
      farthest = squared[static_cast<std::size_t>(other)];
      first = slot, second = other;
    }
  }
  overfull.copy_centre(first, centre.data());
  overfull.distances_from(0, centre.data(), squared.data());
  const std::vector<double> to_first = squared;
  overfull.copy_centre(second, centre.data());
  overfull.distances_from(0, centre.data(), squared.data());
  std::vector<bool> is_first(static_cast<std::size_t>(n));
  for (std::size_t slot = 0; slot < is_first.size(); ++slot) is_first[slot] = to_first[slot] < squared[slot];
  is_first[static_cast<std::size_t>(first)] = true;  // also when all centres are the same
  return is_first;
}

template void CFTree::add<float>(const MatrixView<float>&, const double*, const GrowthRules&);
template void CFTree::add<double>(const MatrixView<double>&, const double*, const GrowthRules&);
template void CFTree::add<float>(const SparseView<float>&, const double*, const GrowthRules&);
template void CFTree::add<double>(const SparseView<double>&, const double*, const GrowthRules&);

}  // namespace coterie
