// From the root down. When a cluster is split,
// - its members keep the nearest other centroid, unless that of a sibling is nearer: all others are where they were;
// - leaves elsewhere whose nearest centroid is gone take that of a part, if it is no farther; else they search;
// - the others take the centroid of a part where it is nearer than what they have: boxes tell which blocks of leaves may.
// Leaves stand in the order of the tree, so that a cluster is a range of places and blocks of places are compact.
#include "dendrogram/centroid_silhouettes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dendrogram/centroid_slots.h"
#include "dendrogram/running_sum.h"
#include "dendrogram/walks.h"
#include "engine.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr double ALONE = -1;            // in place of a squared distance: nothing is nearer
constexpr std::int64_t MANY_PARTS = 8;  // beyond, a search among all centroids is as fast as a look at each part

std::int64_t block_of(std::int64_t place) { return place / POINTS_PER_BLOCK; }

class Curve {
 public:
  template <class T>
  Curve(const TreeView& tree, MatrixView<T> X)
      : tree_(tree),
        n_(tree.n_leaves),
        d_(X.cols),
        first_(count(tree.n_nodes())),
        sizes_(count(tree.n_nodes())),
        slots_(count(tree.n_nodes()), -1),
        means_(count(tree.n_nodes() * d_)),
        leaves_(n_, d_),
        centroids_(d_),
        reach_(count(leaves_.n_blocks()), INF),
        bounds_(reach_.size()),
        own_squared_(count(leaves_.n_places()), 0.0),
        other_squared_(own_squared_.size(), ALONE),
        other_(own_squared_.size(), 0.0),
        values_(own_squared_.size(), 0.0),
        nearest_(own_squared_.size(), -1),
        own_(own_squared_.size(), -1),
        found_(own_squared_.size()),
        point_(count(d_)) {
    std::vector<std::int64_t> order(count(n_));
    count_leaves(tree, sizes_.data());
    order_leaves(tree, sizes_.data(), order.data(), first_.data());
    for (std::int64_t place = 0; place < n_; ++place) {
      std::copy(X.row(order[place]), X.row(order[place]) + d_, mean(order[place]));
      leaves_.put(place, mean(order[place]));
      other_squared_[place] = INF;
    }
    for (std::int64_t block = 0; block < leaves_.n_blocks(); ++block) leaves_.enclose(block);
    average(order);
  }

  void run(std::int64_t most_steps, double* scores) {
    if (tree_.n_inner == 0) return;
    centroids_.put(0, tree_.root(), mean(tree_.root()));
    slots_[tree_.root()] = 0;
    for (std::int64_t i = tree_.n_inner - 1; i > 0 && (most_steps == 0 || steps_ <= most_steps); --i) {
      check_interrupt();
      split(n_ + i);
      scores[i] = sum_.value() / static_cast<double>(n_);
    }
  }

 private:
  static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(n); }
  double* mean(std::int64_t node) { return means_.data() + node * d_; }
  Range places(std::int64_t node) const { return {first_[node], first_[node] + sizes_[node]}; }

  // Means by way of the sums of what is beyond the first leaf: exact where all are equal, where rounding would matter most.
  void average(const std::vector<std::int64_t>& order) {
    const auto first = [&](std::int64_t node) { return mean(order[first_[node]]); };
    for (std::int64_t node = n_; node <= tree_.root(); ++node)
      for (const std::int64_t child : tree_.children_of(node))
        for (std::int64_t j = 0; j < d_; ++j)
          mean(node)[j] += (child < n_ ? 0 : mean(child)[j]) + static_cast<double>(sizes_[child]) * (first(child)[j] - first(node)[j]);
    for (std::int64_t node = n_; node <= tree_.root(); ++node)
      for (std::int64_t j = 0; j < d_; ++j) mean(node)[j] = first(node)[j] + mean(node)[j] / static_cast<double>(sizes_[node]);
  }

  void split(std::int64_t node) {
    const Span parts = tree_.children_of(node);
    const std::int64_t slot = place_parts(node, parts);
    for (const std::int64_t part : parts) part < n_ ? retire(first_[part]) : settle(part, parts);
    follow(slot, parts, places(node));
    for (const std::int64_t part : parts) attract(part, places(node));
    for (const std::int64_t part : parts)
      if (part >= n_) renew(places(part));
    steps_ += 4 * sizes_[node];  // a root and a division take as long as a few differences
  }

  // The first part takes the slot of the whole, which is returned.
  std::int64_t place_parts(std::int64_t node, Span parts) {
    if (!centroids_.has_room(parts.size())) {
      const std::vector<std::int32_t> moved = centroids_.spread(first_, parts.size());
      const auto move = [&](auto& slot) {
        if (slot >= 0) slot = moved[slot];
      };
      std::for_each(slots_.begin(), slots_.end(), move);
      std::for_each(own_.begin(), own_.end(), move);
      std::for_each(nearest_.begin(), nearest_.end(), move);
    }
    const std::int64_t slot = slots_[node];
    slots_[node] = -1;
    for (const std::int64_t part : parts) {
      slots_[part] = part == *parts.first ? slot : centroids_.free_beside(slot);
      centroids_.put(slots_[part], part, mean(part));
      const Range range = places(part);
      std::fill(own_.begin() + range.begin, own_.begin() + range.end, static_cast<std::int32_t>(slots_[part]));
    }
    return slot;
  }

  void retire(std::int64_t place) {
    sum_.add(-values_[place]);
    values_[place] = 0;
    other_squared_[place] = ALONE;
    nearest_[place] = -1;
  }

  void settle(std::int64_t part, Span parts) {
    const Range range = places(part);
    double squared[POINTS_PER_BLOCK];
    const auto each = [&](const double* point, auto&& visit) {
      for (std::int64_t block = block_of(range.begin); block <= block_of(range.end - 1); ++block) {
        leaves_.to_block(point, block, squared);
        const std::int64_t start = block * POINTS_PER_BLOCK;
        for (std::int64_t i = std::max(range.begin, start); i < std::min(range.end, start + POINTS_PER_BLOCK); ++i)
          visit(i, squared[i - start]);
      }
      steps_ += (range.size() + POINTS_PER_BLOCK) * d_;
    };
    each(mean(part), [&](std::int64_t i, double distance) { own_squared_[i] = distance; });
    if (parts.size() > MANY_PARTS) {
      for (std::int64_t i = range.begin; i < range.end; ++i) search(i);
      return;
    }
    for (const std::int64_t sibling : parts)
      if (sibling != part)
        each(mean(sibling), [&](std::int64_t i, double distance) {
          if (distance < other_squared_[i]) take(i, slots_[sibling], distance);
        });
  }

  // Leaves elsewhere whose nearest centroid was that of the whole.
  void follow(std::int64_t slot, Span parts, Range whole) {
    const std::int64_t n_found =
        engine().blocks.find(nearest_.data(), leaves_.n_blocks(), static_cast<std::int32_t>(slot), found_.data());
    steps_ += n_ / 8;
    for (std::int64_t f = 0; f < n_found; ++f) {
      const std::int64_t i = found_[f];
      if (i >= whole.begin && i < whole.end) continue;
      const double before = other_squared_[i];
      other_squared_[i] = INF;
      if (parts.size() <= MANY_PARTS) {
        leaves_.get(i, point_.data());
        for (const std::int64_t part : parts) {
          const double distance = squared_to(mean(part));
          if (distance < other_squared_[i]) take(i, slots_[part], distance);
        }
      }
      if (other_squared_[i] > before) search(i);
      renew({i, i + 1});
    }
  }

  // Leaves elsewhere that the centroid of a part is nearer to than what they have.
  void attract(std::int64_t part, Range whole) {
    leaves_.to_boxes(mean(part), bounds_.data());
    steps_ += leaves_.n_blocks() * d_;
    double squared[POINTS_PER_BLOCK];
    for (std::int64_t block = 0; block < leaves_.n_blocks(); ++block) {
      const std::int64_t start = block * POINTS_PER_BLOCK, end = start + POINTS_PER_BLOCK;
      if (bounds_[block] >= reach_[block] || (start >= whole.begin && end <= whole.end)) continue;
      leaves_.to_block(mean(part), block, squared);
      steps_ += POINTS_PER_BLOCK * d_;
      double reach = ALONE;
      for (std::int64_t i = start; i < end; ++i) {
        if (squared[i - start] < other_squared_[i] && (i < whole.begin || i >= whole.end)) {
          take(i, slots_[part], squared[i - start]);
          renew({i, i + 1});
        }
        reach = std::max(reach, other_squared_[i]);
      }
      reach_[block] = reach;
    }
  }

  // The nearest centroid of all but the own one; boxes that are too far are not opened.
  void search(std::int64_t place) {
    const PointBlocks& blocks = centroids_.blocks();
    leaves_.get(place, point_.data());
    bounds_of_slots_.resize(count(blocks.n_blocks()));
    blocks.to_boxes(point_.data(), bounds_of_slots_.data());
    steps_ += blocks.n_blocks() * d_;
    const auto nearest = std::min_element(bounds_of_slots_.begin(), bounds_of_slots_.end()) - bounds_of_slots_.begin();
    other_squared_[place] = INF;
    open(nearest, place);
    for (std::int64_t block = 0; block < blocks.n_blocks(); ++block)
      if (block != nearest && bounds_of_slots_[block] < other_squared_[place]) open(block, place);
  }

  void open(std::int64_t block, std::int64_t place) {
    double squared[POINTS_PER_BLOCK];
    centroids_.blocks().to_block(point_.data(), block, squared);
    steps_ += POINTS_PER_BLOCK * d_;
    for (std::int64_t i = 0; i < POINTS_PER_BLOCK; ++i) {
      const std::int64_t slot = block * POINTS_PER_BLOCK + i;
      if (squared[i] < other_squared_[place] && slot != own_[place]) take(place, slot, squared[i]);
    }
  }

  void take(std::int64_t place, std::int64_t slot, double squared) {
    nearest_[place] = static_cast<std::int32_t>(slot);
    other_squared_[place] = squared;
    other_[place] = std::sqrt(squared);
    reach_[block_of(place)] = std::max(reach_[block_of(place)], squared);
  }

  double squared_to(const double* centroid) const {
    double squared = 0;
    for (std::int64_t j = 0; j < d_; ++j) squared += (point_[j] - centroid[j]) * (point_[j] - centroid[j]);
    return squared;
  }

  void renew(Range range) {
    const std::int64_t at = range.begin;
    sum_.add(engine().blocks.renew(own_squared_.data() + at, other_.data() + at, values_.data() + at, range.size()));
  }

  const TreeView& tree_;
  std::int64_t n_, d_, steps_ = 0;
  std::vector<std::int64_t> first_, sizes_, slots_;  // per node; slots of the present clusters
  std::vector<double> means_;                        // of the nodes
  PointBlocks leaves_;
  CentroidSlots centroids_;
  std::vector<double> reach_, bounds_, bounds_of_slots_;              // reach of a block: no other_squared_ in it is larger
  std::vector<double> own_squared_, other_squared_, other_, values_;  // per place
  std::vector<std::int32_t> nearest_, own_, found_;                   // slots, slots, places
  std::vector<double> point_;
  RunningSum sum_;
};

}  // namespace

template <class T>
void silhouette_curve(const TreeView& tree, MatrixView<T> X, std::int64_t most_steps, double* scores) {
  std::fill(scores, scores + tree.n_inner + 1, std::numeric_limits<double>::quiet_NaN());
  Curve(tree, X).run(most_steps, scores);
}

template void silhouette_curve<float>(const TreeView&, MatrixView<float>, std::int64_t, double*);
template void silhouette_curve<double>(const TreeView&, MatrixView<double>, std::int64_t, double*);

}  // namespace coterie
