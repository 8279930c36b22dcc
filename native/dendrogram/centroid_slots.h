// The centroids of the present clusters, in blocks. Clusters that are neighbours in the tree share blocks, as far as there is room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dendrogram/point_blocks.h"

namespace coterie {

class CentroidSlots {
 public:
  explicit CentroidSlots(std::int64_t d)
      : d_(d), blocks_(4 * POINTS_PER_BLOCK, d), nodes_(static_cast<std::size_t>(blocks_.n_places()), -1) {}

  const PointBlocks& blocks() const { return blocks_; }
  bool has_room(std::int64_t n_more) const { return 4 * (n_used_ + n_more) <= 3 * blocks_.n_places(); }

  void put(std::int64_t slot, std::int64_t node, const double* point) {
    n_used_ += nodes_[slot] < 0;
    nodes_[slot] = node;
    blocks_.put(slot, point);
    blocks_.enclose(slot / POINTS_PER_BLOCK);
  }

  std::int64_t free_beside(std::int64_t slot) const {
    std::int64_t free = slot / POINTS_PER_BLOCK * POINTS_PER_BLOCK;
    while (nodes_[free] >= 0) free = free + 1 < blocks_.n_places() ? free + 1 : 0;
    return free;
  }

  // Room for more, the clusters in the order of their first leaves with gaps between them. Returns the new slot of each old one.
  std::vector<std::int32_t> spread(const std::vector<std::int64_t>& first_places, std::int64_t n_more) {
    std::vector<std::int64_t> used;
    for (std::size_t slot = 0; slot < nodes_.size(); ++slot)
      if (nodes_[slot] >= 0) used.push_back(static_cast<std::int64_t>(slot));
    std::sort(used.begin(), used.end(), [&](auto a, auto b) { return first_places[nodes_[a]] < first_places[nodes_[b]]; });
    PointBlocks wider(2 * (n_used_ + n_more), d_);
    std::vector<std::int64_t> nodes(static_cast<std::size_t>(wider.n_places()), -1);
    std::vector<std::int32_t> moved(nodes_.size(), -1);
    std::vector<double> point(static_cast<std::size_t>(d_));
    const std::int64_t gap = wider.n_places() / n_used_;
    for (std::int64_t i = 0; i < n_used_; ++i) {
      blocks_.get(used[i], point.data());
      wider.put(i * gap, point.data());
      nodes[i * gap] = nodes_[used[i]];
      moved[used[i]] = static_cast<std::int32_t>(i * gap);
    }
    for (std::int64_t block = 0; block < wider.n_blocks(); ++block) wider.enclose(block);
    blocks_ = std::move(wider);
    nodes_ = std::move(nodes);
    return moved;
  }

 private:
  std::int64_t d_, n_used_ = 0;
  PointBlocks blocks_;
  std::vector<std::int64_t> nodes_;  // of each slot; -1: free
};

}  // namespace coterie
