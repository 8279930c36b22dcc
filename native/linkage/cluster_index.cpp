#include "linkage/cluster_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t queries_per_task = 64;
constexpr std::int32_t nowhere = -1, among_young = -2;  // in place of a tree position
// Fewer rows than these are not worth waking the threads for.
constexpr std::int64_t least_parallel_rows = 8192, least_parallel_queries = 256;
// Nanoseconds, measured in 3 and 10 dimensions: a coordinate of a young cluster, and of building a tree, per level.
constexpr double young_cost = 0.7, tree_cost = 2.5;

// Rows of centroids, next to each other.
std::vector<double> centroids_of(const Clusters& clusters, const std::vector<std::int32_t>& slots) {
  std::vector<double> rows(slots.size() * static_cast<std::size_t>(clusters.cols()));
  for (std::size_t i = 0; i < slots.size(); ++i)
    std::copy_n(clusters.centroid(slots[i]), clusters.cols(), rows.data() + i * static_cast<std::size_t>(clusters.cols()));
  return rows;
}

void insert(Candidate* list, std::int64_t k, const Candidate& candidate) {
  std::int64_t place = k;
  while (place > 0 && (list[place - 1].slot < 0 || candidate.distance < list[place - 1].distance ||
                       (candidate.distance == list[place - 1].distance && candidate.slot < list[place - 1].slot))) {
    --place;
    if (place + 1 < k) list[place + 1] = list[place];
  }
  if (place < k) list[place] = candidate;
}

}  // namespace

// As soon as asking the young one by one has cost as much as a new tree would.
bool ClusterIndex::should_rebuild(std::int64_t n_live, std::int64_t n_asked) {
  if (!tree_) return true;
  const double depth = std::log2(static_cast<double>(n_live) / default_leaf_size + 2) + 4;
  spent_on_young_ +=
      young_cost * static_cast<double>(n_asked) * static_cast<double>(young_.size()) * static_cast<double>(clusters_.cols());
  return spent_on_young_ > tree_cost * static_cast<double>(n_live) * (depth + static_cast<double>(clusters_.cols()));
}

void ClusterIndex::rebuild(std::vector<std::int32_t> live) {
  std::erase_if(live, [&](std::int32_t slot) { return !clusters_.is_live(slot); });
  const std::vector<double> rows = centroids_of(clusters_, live);
  const auto n = static_cast<std::int64_t>(live.size());
  tree_ = std::make_unique<KDTree<double>>(MatrixView<double>{rows.data(), n, clusters_.cols(), clusters_.cols()},
                                           TreeMetric::sqeuclidean, 2.0, default_leaf_size, n < least_parallel_rows ? 1 : threads_);
  const KDTreeView<double>& tree = tree_->view();
  const auto places = static_cast<std::size_t>(tree.n_leaves * tree.leaf_capacity);
  sizes_.assign(places, 1.0);
  spreads_.assign(places, infinity);
  slots_.assign(places, -1);
  position_of_slot_.assign(static_cast<std::size_t>(clusters_.n_slots()), nowhere);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t slot = live[static_cast<std::size_t>(tree.original[i])];
    slots_[static_cast<std::size_t>(i)] = slot;
    sizes_[static_cast<std::size_t>(i)] = clusters_.size(slot);
    spreads_[static_cast<std::size_t>(i)] = clusters_.spread(slot);
    position_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(i);
  }
  young_.clear();
  spent_on_young_ = 0;
  measure_nodes();
}

void ClusterIndex::measure_nodes() {
  const KDTreeView<double>& tree = tree_->view();
  least_sizes_.assign(static_cast<std::size_t>(tree.n_nodes()), infinity);
  least_spreads_.assign(static_cast<std::size_t>(tree.n_nodes()), infinity);
  n_live_.assign(static_cast<std::size_t>(tree.n_nodes()), 0);
  std::vector<TreeNode> nodes{tree.root()};
  for (std::size_t i = 0; i < nodes.size(); ++i)  // parents before children
    if (const TreeNode node = nodes[i]; !node.is_leaf()) {
      nodes.push_back(node.left());
      nodes.push_back(node.right());
    }
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    n_live_[static_cast<std::size_t>(node->id)] = static_cast<std::int32_t>(tree.size(*node));
    double &size = least_sizes_[static_cast<std::size_t>(node->id)], &spread = least_spreads_[static_cast<std::size_t>(node->id)];
    if (node->is_leaf()) {
      for (std::int64_t i = tree.begin(*node); i < tree.end(*node); ++i) {
        size = std::min(size, sizes_[static_cast<std::size_t>(i)]);
        spread = std::min(spread, spreads_[static_cast<std::size_t>(i)]);
      }
    } else {
      for (const TreeNode child : {node->left(), node->right()}) {
        size = std::min(size, least_sizes_[static_cast<std::size_t>(child.id)]);
        spread = std::min(spread, least_spreads_[static_cast<std::size_t>(child.id)]);
      }
    }
  }
}

// Nodes without a live cluster are not entered any more.
void ClusterIndex::bury(std::int32_t position) {
  spreads_[static_cast<std::size_t>(position)] = infinity;
  const auto leaf = static_cast<std::int32_t>(position / tree_->view().leaf_capacity);
  for (TreeNode node = tree_->view().root();; node = node.left().has_leaf(leaf) ? node.left() : node.right()) {
    if (--n_live_[static_cast<std::size_t>(node.id)] == 0) least_spreads_[static_cast<std::size_t>(node.id)] = infinity;
    if (node.is_leaf()) return;
  }
}

void ClusterIndex::forget(std::int32_t slot) {
  if (!tree_) return;  // the first tree will hold what is live then
  std::int32_t& position = position_of_slot_[static_cast<std::size_t>(slot)];
  if (position >= 0) bury(position);
  if (position != among_young) position = nowhere;
}

void ClusterIndex::merged(std::int32_t first, std::int32_t second) {
  forget(first);
  forget(second);
  if (!tree_) return;
  std::int32_t& position = position_of_slot_[static_cast<std::size_t>(first)];
  if (position != among_young) young_.push_back(first);
  position = among_young;
}

void ClusterIndex::ask_tree(const std::vector<std::int32_t>& asked, std::int64_t k, std::vector<Candidate>& found) const {
  const std::vector<double> rows = centroids_of(clusters_, asked);
  const auto n = static_cast<std::int64_t>(asked.size());
  const int threads = n < least_parallel_queries ? 1 : threads_;
  std::vector<double> sizes(asked.size()), spreads(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    sizes[i] = clusters_.size(asked[i]);
    spreads[i] = clusters_.spread(asked[i]);
  }
  const TreeQueries<double> queries(*tree_, {rows.data(), n, clusters_.cols(), clusters_.cols()}, threads);
  engine().centroids.nearest(
      {tree_->view(), sizes_.data(), spreads_.data(), slots_.data(), least_sizes_.data(), least_spreads_.data()},
      {queries.groups(), sizes.data(), spreads.data(), asked.data(), k, found.data()}, clusters_.rule(), threads);
}

void ClusterIndex::ask_young(const std::vector<std::int32_t>& asked, std::int64_t k, std::vector<Candidate>& found) const {
  const auto n = static_cast<std::int64_t>(asked.size());
  parallel_for(block_count(n, queries_per_task), n < least_parallel_queries ? 1 : threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n, queries_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i)
      for (const std::int32_t slot : young_)
        if (slot != asked[static_cast<std::size_t>(i)])
          insert(found.data() + i * k, k, {clusters_.distance(asked[static_cast<std::size_t>(i)], slot), slot, 0});
  });
}

void ClusterIndex::nearest(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked, std::int64_t k,
                           std::vector<Candidate>& found) {
  found.resize(asked.size() * static_cast<std::size_t>(k));
  if (should_rebuild(static_cast<std::int64_t>(live.size()), static_cast<std::int64_t>(asked.size()))) rebuild(live);
  std::erase_if(young_, [&](std::int32_t slot) { return !clusters_.is_live(slot); });
  ask_tree(asked, k, found);
  if (!young_.empty()) ask_young(asked, k, found);
  for (Candidate& candidate : found)
    if (candidate.slot >= 0) candidate.version = clusters_.version(candidate.slot);
}

}  // namespace coterie
