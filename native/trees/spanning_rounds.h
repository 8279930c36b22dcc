// What the rounds of Boruvka share, whichever engine searches: components, their best edges, and merging them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/not_finite.h"
#include "support/parallel.h"
#include "trees/sort_edges.h"
#include "trees/spanning_tree.h"
#include "trees/union_find.h"

namespace coterie {

// Items are rows or tree positions.
template <class T>
class SpanningRounds {
 public:
  static constexpr std::int64_t items_per_task = 4096;

  explicit SpanningRounds(std::int64_t n_items)
      : sets_(n_items), component_(static_cast<std::size_t>(n_items)), size_(component_.size(), 1), n_components_(n_items) {
    for (std::size_t i = 0; i < component_.size(); ++i) component_[i] = static_cast<std::int32_t>(i);
    edges_.reserve(component_.size());
  }

  std::int64_t n_components() const { return n_components_; }
  std::int32_t component(std::int64_t item) const { return component_[static_cast<std::size_t>(item)]; }
  const std::vector<std::int32_t>& components() const { return component_; }

  // The largest component waits for the others' edges: it would search most and gain least. The first round has none.
  std::int32_t waiting() const { return waiting_; }

  // Unites along the best edge of each component. candidate(item, edge, partner) says whether the item has an edge.
  template <class Candidate>
  void merge(Candidate candidate) {
    struct Best {
      SpanningEdge<T> edge{std::numeric_limits<T>::infinity(), std::numeric_limits<std::int32_t>::max(), 0};
      std::int32_t from = -1, to = -1;
    };
    std::vector<Best> best(static_cast<std::size_t>(n_components_));
    SpanningEdge<T> edge;
    std::int32_t partner = -1;
    for (std::int32_t item = 0; item < static_cast<std::int32_t>(component_.size()); ++item) {
      Best& own = best[component_[item]];
      if (candidate(item, edge, partner) && (own.from < 0 || edge < own.edge)) own = {edge, item, partner};
    }
    const std::size_t n_before = edges_.size();
    for (const Best& own : best) {
      if (own.edge.distance != own.edge.distance) throw NotFinite();
      if (own.from >= 0 && sets_.unite(own.from, own.to)) edges_.push_back(own.edge);
    }
    if (edges_.size() == n_before) throw NotFinite();  // among numbers, every component but the one that waits has a nearest
    renumber();
  }

  SpanningEdges<T> take_edges() {
    sort_edges(edges_);
    return std::move(edges_);
  }

 private:
  void renumber() {
    const auto n = static_cast<std::int32_t>(component_.size());
    std::vector<std::int32_t> number(component_.size(), -1);
    size_.clear();
    for (std::int32_t item = 0; item < n; ++item) {
      const std::int32_t root = sets_.find(item);  // roots are lowest members: they come first
      if (root == item) {
        number[item] = static_cast<std::int32_t>(size_.size());
        size_.push_back(0);
      }
      component_[item] = number[root];
      ++size_[component_[item]];
    }
    n_components_ = static_cast<std::int64_t>(size_.size());
    waiting_ = static_cast<std::int32_t>(std::max_element(size_.begin(), size_.end()) - size_.begin());
  }

  UnionFind sets_;
  std::vector<std::int32_t> component_;
  std::vector<std::int64_t> size_;
  std::int64_t n_components_;
  std::int32_t waiting_ = -1;
  SpanningEdges<T> edges_;
};

}  // namespace coterie
