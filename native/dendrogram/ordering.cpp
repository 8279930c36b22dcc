#include "dendrogram/ordering.h"

#include <algorithm>
#include <limits>

#include "dendrogram/walks.h"
#include "engine.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t PLACES_PER_TASK = 16;
constexpr std::int64_t SMALL_BLOCK = 4096;  // cells that are not worth a second thread
constexpr double UNKNOWN = std::numeric_limits<double>::infinity();

// The places of a node, and those of its two children; all three are the same for a leaf.
struct Block {
  Range all, left, right;
  bool is_leaf() const { return all.size() == 1; }
  // Where an ordering that begins at `place` ends: in the other child.
  Range opposite(std::int64_t place) const { return is_leaf() ? all : (place < left.end ? right : left); }
};

// cost[p][q] = least length of an ordering of the lowest node that holds the places p and q, which are its ends.
class Programme {
 public:
  Programme(const TreeView& tree, const double* distances, double* cost)
      : tree_(tree), distances_(distances), cost_(cost), n_(tree.n_leaves), first_(tree.n_nodes()), sizes_(tree.n_nodes()) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n_));
    count_leaves(tree, sizes_.data());
    order_leaves(tree, sizes_.data(), order.data(), first_.data());
    for (std::int64_t p = 0; p < n_; ++p) {
      check_interrupt();
      std::fill(cost + p * n_, cost + (p + 1) * n_, UNKNOWN);
      cost[p * n_ + p] = 0;
    }
  }

  void join(std::int64_t node, int threads) const;
  std::vector<std::int64_t> unfold() const;

 private:
  // An ordering of `node` still to be written, with its two ends.
  struct Part {
    std::int64_t node, begin, end;
  };

  Range range(std::int64_t node) const { return {first_[node], first_[node] + sizes_[node]}; }
  Block block(std::int64_t node) const {
    if (node < n_) return {range(node), range(node), range(node)};
    const std::int64_t* children = tree_.children_of(node).first;
    return {range(node), range(children[0]), range(children[1])};
  }
  void fill_rows(const Block& left, const Block& right, Range rows) const;
  Part best_ends(const Block& whole) const;
  void split(const Part& part, Part& first, Part& second) const;

  const TreeView& tree_;
  const double* distances_;
  double* cost_;
  std::int64_t n_;
  std::vector<std::int64_t> first_, sizes_;
};

// Rows of one half of the left block: the cheapest way to step to every place of the right one, and from there to its ends.
void Programme::fill_rows(const Block& left, const Block& right, Range rows) const {
  const Range middle = left.opposite(rows.begin);
  const std::int64_t width = right.all.size(), first = right.all.begin;
  std::vector<double> reach(static_cast<std::size_t>(rows.size() * width), UNKNOWN);
  const auto min_plus = engine().ordering.min_plus;
  min_plus({reach.data(), cost_ + rows.begin * n_ + middle.begin, distances_ + middle.begin * n_ + first, rows.size(), middle.size(),
            width, width, n_, n_});
  for (const Range ends : {right.left, right.right}) {
    const Range through = right.opposite(ends.begin);
    min_plus({cost_ + rows.begin * n_ + ends.begin, reach.data() + (through.begin - first), cost_ + through.begin * n_ + ends.begin,
              rows.size(), through.size(), ends.size(), n_, width, n_});
    if (right.is_leaf()) break;
  }
  for (std::int64_t q = first; q < right.all.end; ++q)
    for (std::int64_t p = rows.begin; p < rows.end; ++p) cost_[q * n_ + p] = cost_[p * n_ + q];
}

void Programme::join(std::int64_t node, int threads) const {
  const std::int64_t* children = tree_.children_of(node).first;
  const Block left = block(children[0]), right = block(children[1]);
  const std::int64_t half = left.is_leaf() ? 0 : block_count(left.left.size(), PLACES_PER_TASK);
  const std::int64_t n_tasks = half + block_count(left.right.size(), PLACES_PER_TASK);
  const bool is_small = left.all.size() * right.all.size() < SMALL_BLOCK;
  parallel_for(n_tasks, is_small ? 1 : threads, [&](std::int64_t task, int) {
    const Range& side = task < half ? left.left : left.right;
    const Range rows = block_range(side.size(), PLACES_PER_TASK, task < half ? task : task - half);
    fill_rows(left, right, {side.begin + rows.begin, side.begin + rows.end});
  });
}

Programme::Part Programme::best_ends(const Block& whole) const {
  Part best{tree_.root(), whole.left.begin, whole.right.begin};
  for (std::int64_t p = whole.left.begin; p < whole.left.end; ++p) {
    check_interrupt();
    for (std::int64_t q = whole.right.begin; q < whole.right.end; ++q)
      if (cost_[p * n_ + q] < cost_[best.begin * n_ + best.end]) best = {tree_.root(), p, q};
  }
  return best;
}

// The step from the child that holds one end to the child that holds the other.
void Programme::split(const Part& part, Part& first, Part& second) const {
  const std::int64_t* children = tree_.children_of(part.node).first;
  const bool is_turned = part.begin >= range(children[0]).end;
  first = {children[is_turned], part.begin, part.begin};
  second = {children[!is_turned], part.end, part.end};
  double least = UNKNOWN;
  const Range from = block(first.node).opposite(part.begin), to = block(second.node).opposite(part.end);
  for (std::int64_t k = from.begin; k < from.end; ++k) {
    check_interrupt();
    for (std::int64_t m = to.begin; m < to.end; ++m) {
      const double length = cost_[part.begin * n_ + k] + distances_[k * n_ + m] + cost_[m * n_ + part.end];
      if (length >= least && least < UNKNOWN) continue;
      least = length;
      first.end = k;
      second.begin = m;
    }
  }
}

std::vector<std::int64_t> Programme::unfold() const {
  std::vector<std::int64_t> places;
  if (n_ == 1) return {0};
  std::vector<Part> open{best_ends(block(tree_.root()))};
  while (!open.empty()) {
    const Part part = open.back();
    open.pop_back();
    if (part.node < n_) {
      places.push_back(part.begin);
      continue;
    }
    Part first, second;
    split(part, first, second);
    open.push_back(second);
    open.push_back(first);
  }
  return places;
}

}  // namespace

std::vector<std::int64_t> order_optimally(const TreeView& tree, const double* distances, double* work, int threads) {
  const Programme programme(tree, distances, work);
  for (std::int64_t node = tree.n_leaves; node < tree.n_nodes(); ++node) {
    check_interrupt();
    programme.join(node, threads);
  }
  return programme.unfold();
}

}  // namespace coterie
