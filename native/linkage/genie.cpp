#include "linkage/genie.h"

#include <algorithm>
#include <stdexcept>

#include "support/parallel.h"
#include "trees/union_find.h"

namespace coterie {
namespace {

// Sums over a prefix of an array that changes, in O(log n).
class PrefixSums {
 public:
  explicit PrefixSums(std::int64_t n) : tree_(static_cast<std::size_t>(n + 1), 0) {}

  void add(std::int64_t at, std::int64_t amount) {
    for (std::int64_t i = at; i < static_cast<std::int64_t>(tree_.size()); i += i & -i) tree_[static_cast<std::size_t>(i)] += amount;
  }

  std::int64_t up_to(std::int64_t at) const {
    std::int64_t sum = 0;
    for (std::int64_t i = at; i > 0; i -= i & -i) sum += tree_[static_cast<std::size_t>(i)];
    return sum;
  }

 private:
  std::vector<std::int64_t> tree_;
};

// The sizes of all clusters, how unequal they are, and the least of them. All sums are of whole numbers, so they are exact.
class Sizes {
 public:
  explicit Sizes(std::int64_t n_ones)
      : n_clusters_(n_ones), total_(n_ones), count_(static_cast<std::size_t>(n_ones + 1), 0), below_(n_ones), below_sum_(n_ones) {
    if (n_ones == 0) return;
    count_[1] = n_ones;
    below_.add(1, n_ones);
    below_sum_.add(1, n_ones);
  }

  void merge(std::int64_t a, std::int64_t b) {
    remove(a);
    remove(b);
    insert(a + b);
    while (count_[static_cast<std::size_t>(least_)] == 0) ++least_;
  }

  std::int64_t least() const { return least_; }

  // The sum of |a - b| over all pairs of sizes, over its largest value.
  bool is_above(double gini_threshold) const {
    return static_cast<double>(differences_) > gini_threshold * static_cast<double>(total_) * static_cast<double>(n_clusters_ - 1);
  }

 private:
  std::int64_t differences_from(std::int64_t size) const {
    const std::int64_t n_below = below_.up_to(size), sum_below = below_sum_.up_to(size);
    return size * n_below - sum_below + (sum_ - sum_below) - size * (n_clusters_ - n_below);
  }

  void remove(std::int64_t size) {
    --n_clusters_;
    sum_ -= size;
    change(size, -1);
    differences_ -= differences_from(size);
  }

  void insert(std::int64_t size) {
    differences_ += differences_from(size);
    ++n_clusters_;
    sum_ += size;
    change(size, 1);
  }

  void change(std::int64_t size, std::int64_t by) {
    count_[static_cast<std::size_t>(size)] += by;
    below_.add(size, by);
    below_sum_.add(size, by * size);
  }

  std::int64_t n_clusters_, total_, sum_ = total_, differences_ = 0, least_ = 1;
  std::vector<std::int64_t> count_;
  PrefixSums below_, below_sum_;
};

// The edges that are left, in their order.
class EdgeList {
 public:
  explicit EdgeList(std::int64_t n) : next_(static_cast<std::size_t>(n + 1)), previous_(static_cast<std::size_t>(n + 1)) {
    for (std::int64_t i = 0; i <= n; ++i) {
      next_[static_cast<std::size_t>(i)] = i == n ? 0 : i + 1;
      previous_[static_cast<std::size_t>(i)] = i == 0 ? n : i - 1;
    }
    end_ = n;
    first_ = 0;
  }

  std::int64_t first() const { return first_; }
  std::int64_t after(std::int64_t edge) const { return next_[static_cast<std::size_t>(edge)]; }
  std::int64_t end() const { return end_; }

  void remove(std::int64_t edge) {
    const std::int64_t before = previous_[static_cast<std::size_t>(edge)], behind = next_[static_cast<std::size_t>(edge)];
    if (edge == first_)
      first_ = behind;
    else
      next_[static_cast<std::size_t>(before)] = behind;
    previous_[static_cast<std::size_t>(behind)] = before;
  }

 private:
  std::vector<std::int64_t> next_, previous_;
  std::int64_t first_, end_;
};

class Genie {
 public:
  Genie(const std::int64_t* ends, std::int64_t n_rows, const std::uint8_t* counts)
      : ends_(ends), n_rows_(n_rows), sets_(n_rows), node_(static_cast<std::size_t>(n_rows)), size_(static_cast<std::size_t>(n_rows)) {
    for (std::int64_t row = 0; row < n_rows; ++row) {
      node_[static_cast<std::size_t>(row)] = row;
      size_[static_cast<std::size_t>(row)] = counts == nullptr || counts[row] != 0;
    }
    merges_.reserve(static_cast<std::size_t>(n_rows));
  }

  // The set of one end of an edge.
  std::int32_t set_of(std::int64_t edge, int end) { return sets_.find(static_cast<std::int32_t>(ends_[2 * edge + end])); }
  std::int64_t size_at(std::int64_t edge, int end) { return size_[static_cast<std::size_t>(set_of(edge, end))]; }

  void merge(std::int64_t edge) {
    const std::int32_t a = set_of(edge, 0), b = set_of(edge, 1);
    if (a == b) throw std::invalid_argument("edges of genie_merges must be a tree, got a cycle.");
    const std::int64_t x = node_[static_cast<std::size_t>(a)], y = node_[static_cast<std::size_t>(b)];
    sets_.unite(a, b);
    const auto joined = static_cast<std::size_t>(std::min(a, b));
    size_[joined] = size_[static_cast<std::size_t>(a)] + size_[static_cast<std::size_t>(b)];
    node_[joined] = n_rows_ + static_cast<std::int64_t>(merges_.size());
    merges_.push_back({std::min(x, y), std::max(x, y), edge});
  }

  std::vector<GenieMerge> take_merges() { return std::move(merges_); }

 private:
  const std::int64_t* ends_;
  std::int64_t n_rows_;
  UnionFind sets_;
  std::vector<std::int64_t> node_, size_;  // of the set that has this lowest row
  std::vector<GenieMerge> merges_;
};

}  // namespace

std::vector<GenieMerge> genie_merges(const std::int64_t* ends, std::int64_t n_rows, double gini_threshold,
                                     const std::uint8_t* counts) {
  const std::int64_t n_edges = n_rows - 1;
  Genie genie(ends, n_rows, counts);
  EdgeList left(n_edges);
  for (std::int64_t edge = 0; edge < n_edges; ++edge)
    if (genie.size_at(edge, 0) == 0 || genie.size_at(edge, 1) == 0) {
      genie.merge(edge);
      left.remove(edge);
    }
  std::int64_t n_counted = n_rows;
  if (counts != nullptr) n_counted = std::count_if(counts, counts + n_rows, [](std::uint8_t one) { return one != 0; });
  Sizes sizes(n_counted);
  // No edge before `cursor` touches a cluster of `least_seen` rows: clusters only grow. It starts anew when the least size rises to m,
  // when at most n / m edges are left, so that all walks together take n log n steps.
  std::int64_t cursor = left.first(), least_seen = 1;
  for (std::int64_t step = 0; left.first() != left.end(); ++step) {
    if (step % 65536 == 0) check_interrupt();
    std::int64_t edge = left.first();
    if (sizes.is_above(gini_threshold)) {
      if (sizes.least() != least_seen) {
        least_seen = sizes.least();
        cursor = left.first();
      }
      while (cursor != left.end() && genie.size_at(cursor, 0) != least_seen && genie.size_at(cursor, 1) != least_seen)
        cursor = left.after(cursor);
      if (cursor == left.end()) throw std::invalid_argument("edges of genie_merges must be a tree, got rows that none reaches.");
      edge = cursor;
    }
    if (edge == cursor) cursor = left.after(cursor);
    left.remove(edge);
    const std::int64_t a = genie.size_at(edge, 0), b = genie.size_at(edge, 1);
    genie.merge(edge);
    sizes.merge(a, b);
  }
  return genie.take_merges();
}

}  // namespace coterie
