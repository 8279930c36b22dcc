#include "dendrogram/cut_quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dendrogram/running_sum.h"

namespace coterie {
namespace {

double x_log_x(std::int64_t x) { return x > 1 ? static_cast<double>(x) * std::log(static_cast<double>(x)) : 0; }

// How many samples of each class a cluster has: a hash table with linear probing; the first class needs no table.
class Counts {
 public:
  struct Cell {
    std::int32_t label;
    std::int32_t count;
  };

  explicit Counts(std::int32_t label) : first_{label, 1}, used_(1) {}

  std::int64_t used() const { return used_; }
  std::int64_t largest() const { return largest_; }

  template <class Visit>
  void each(Visit&& visit) const {
    if (cells_.empty()) return visit(first_);
    for (const Cell& cell : cells_)
      if (cell.count > 0) visit(cell);
  }

  // Adds samples of a class and returns how many there were before.
  std::int32_t add(const Cell& more) {
    if (cells_.empty() && more.label != first_.label) grow(4);
    if (!cells_.empty() && 2 * (used_ + 1) > static_cast<std::int64_t>(cells_.size())) grow(2 * cells_.size());
    Cell& cell = cells_.empty() ? first_ : find(more.label);
    const std::int32_t before = cell.count;
    used_ += before == 0;
    cell = {more.label, before + more.count};
    largest_ = std::max<std::int64_t>(largest_, cell.count);
    return before;
  }

 private:
  Cell& find(std::int32_t label) {
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = (static_cast<std::uint32_t>(label) * 0x9E3779B1u >> 7) & mask;
    while (cells_[at].count > 0 && cells_[at].label != label) at = (at + 1) & mask;
    return cells_[at];
  }

  void grow(std::size_t size) {
    std::vector<Cell> old = std::move(cells_);
    cells_.assign(size, {0, 0});
    if (old.empty()) old.push_back(first_);
    for (const Cell& cell : old)
      if (cell.count > 0) find(cell.label) = cell;
  }

  Cell first_;
  std::vector<Cell> cells_;
  std::int64_t used_;
  std::int64_t largest_ = 1;
};

// The contingency table of classes and the clusters of the present cut, and the sums over it.
class Table {
 public:
  Table(const TreeView& tree, const std::int32_t* classes, std::int64_t n_classes)
      : largest_of_class_(static_cast<std::size_t>(n_classes), 0),
        home_(static_cast<std::size_t>(tree.n_nodes())),
        sizes_(static_cast<std::size_t>(tree.n_leaves), 1) {
    clusters_.reserve(static_cast<std::size_t>(tree.n_leaves));
    for (std::int64_t leaf = 0; leaf < tree.n_leaves; ++leaf) {
      clusters_.emplace_back(classes[leaf]);
      home_[leaf] = leaf;
      raise_class(classes[leaf], 1);
    }
    largest_classes_ = tree.n_leaves;
  }

  void merge(std::int64_t node, Span children) {
    std::int64_t into = home_[*children.first];
    for (const std::int64_t* child = children.first + 1; child != children.last; ++child) into = join(into, home_[*child]);
    home_[node] = into;
  }

  void write(const ClassCurves& out, std::int64_t cut) const {
    out.largest_classes[cut] = largest_classes_;
    out.largest_clusters[cut] = largest_clusters_;
    out.pairs_together[cut] = pairs_together_;
    out.pairs_in_clusters[cut] = pairs_in_clusters_;
    out.cells_log[cut] = cells_log_.value();
    out.clusters_log[cut] = clusters_log_.value();
  }

 private:
  void raise_class(std::int32_t label, std::int64_t count) {
    std::int64_t& largest = largest_of_class_[static_cast<std::size_t>(label)];
    if (count <= largest) return;
    largest_clusters_ += count - largest;
    largest = count;
  }

  // The table with fewer classes is poured into the other one; its place is the joined cluster's.
  std::int64_t join(std::int64_t a, std::int64_t b) {
    if (clusters_[a].used() < clusters_[b].used()) std::swap(a, b);
    Counts& into = clusters_[a];
    largest_classes_ -= into.largest() + clusters_[b].largest();
    clusters_[b].each([&](const Counts::Cell& cell) {
      const std::int64_t before = into.add(cell), after = before + cell.count;
      pairs_together_ += before * cell.count;
      if (before > 0) cells_log_.add(x_log_x(after) - x_log_x(before) - x_log_x(cell.count));
      raise_class(cell.label, after);
    });
    clusters_[b] = Counts(0);
    largest_classes_ += into.largest();
    pairs_in_clusters_ += sizes_[a] * sizes_[b];
    clusters_log_.add(x_log_x(sizes_[a] + sizes_[b]) - x_log_x(sizes_[a]) - x_log_x(sizes_[b]));
    sizes_[a] += sizes_[b];
    return a;
  }

  std::vector<Counts> clusters_;
  std::vector<std::int64_t> largest_of_class_, home_, sizes_;
  std::int64_t largest_classes_ = 0, largest_clusters_ = 0, pairs_together_ = 0, pairs_in_clusters_ = 0;
  RunningSum cells_log_, clusters_log_;
};

}  // namespace

void class_curves(const TreeView& tree, const std::int32_t* classes, std::int64_t n_classes, const ClassCurves& out) {
  Table table(tree, classes, n_classes);
  table.write(out, 0);
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    table.merge(tree.n_leaves + i, tree.children_of(tree.n_leaves + i));
    table.write(out, i + 1);
  }
}

template <class T>
void scatter_curve(const TreeView& tree, MatrixView<T> X, double* scatter) {
  const std::int64_t d = X.cols;
  std::vector<double> means(static_cast<std::size_t>(tree.n_leaves * d));
  for (std::int64_t leaf = 0; leaf < tree.n_leaves; ++leaf) std::copy(X.row(leaf), X.row(leaf) + d, means.data() + leaf * d);
  std::vector<std::int64_t> home(static_cast<std::size_t>(tree.n_nodes()));
  std::vector<double> sizes(static_cast<std::size_t>(tree.n_leaves), 1.0);
  for (std::int64_t leaf = 0; leaf < tree.n_leaves; ++leaf) home[leaf] = leaf;
  RunningSum total;
  scatter[0] = 0;
  for (std::int64_t i = 0; i < tree.n_inner; ++i) {
    const Span children = tree.children_of(tree.n_leaves + i);
    const std::int64_t into = home[*children.first];
    double* mean = means.data() + into * d;
    for (const std::int64_t* child = children.first + 1; child != children.last; ++child) {
      const double* other = means.data() + home[*child] * d;
      const double added = sizes[home[*child]], share = added / (sizes[into] + added);
      double squared = 0;
      for (std::int64_t j = 0; j < d; ++j) {
        const double step = other[j] - mean[j];
        squared += step * step;
        mean[j] += share * step;
      }
      total.add(sizes[into] * share * squared);
      sizes[into] += added;
    }
    home[tree.n_leaves + i] = into;
    scatter[i + 1] = total.value();
  }
}

template void scatter_curve<float>(const TreeView&, MatrixView<float>, double*);
template void scatter_curve<double>(const TreeView&, MatrixView<double>, double*);

}  // namespace coterie
