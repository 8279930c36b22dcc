// The merges along a spanning tree, the condensed tree of HDBSCAN, and flat cuts.
#include "density/hierarchy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace coterie {
namespace {

std::int64_t top_of(std::vector<std::int64_t>& parent, std::int64_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

double weight_of(const Copies& copies, std::int64_t row) { return copies.weight == nullptr ? 1.0 : copies.weight[row]; }

template <class Size>
class Condenser {
 public:
  Condenser(const MergeView<Size>& merges, std::int64_t least, const Copies& copies)
      : merges_(merges), copies_(copies), n_(merges.n_merges + 1), next_(n_ + 1), least_(static_cast<Size>(least)) {}

  CondensedRows<Size> run() {
    std::vector<std::pair<std::int64_t, std::int64_t>> queue;  // node, cluster
    if (n_ > 1 || copies_.weight != nullptr) queue.emplace_back(2 * n_ - 2, n_);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const auto [node, cluster] = queue[at];
      if (node < n_) {
        add(cluster, node, density(copies_.core[node]), count(node));
        continue;
      }
      const double distance = merges_.distance[node - n_];
      const std::int64_t sides[2] = {merges_.left[node - n_], merges_.right[node - n_]};
      const bool lasts[2] = {is_lasting(sides[0], distance), is_lasting(sides[1], distance)};
      for (int s = 0; s < 2; ++s) {
        if (!lasts[s]) {
          drop_rows(sides[s], cluster, density(distance));
          continue;
        }
        const bool is_split = lasts[1 - s];
        if (is_split) add(cluster, next_, density(distance), count(sides[s]));
        queue.emplace_back(sides[s], is_split ? next_++ : cluster);
      }
    }
    return std::move(rows_);
  }

 private:
  static double density(double distance) { return distance > 0 ? 1 / distance : std::numeric_limits<double>::infinity(); }

  Size count(std::int64_t node) const { return node < n_ ? static_cast<Size>(weight_of(copies_, node)) : merges_.size[node - n_]; }

  // Copies that part at the distance of the merge already are single rows: they leave.
  bool is_lasting(std::int64_t side, double distance) const {
    return count(side) >= least_ && (side >= n_ || (copies_.core != nullptr && copies_.core[side] < distance));
  }

  void add(std::int64_t parent, std::int64_t child, double density, Size size) {
    rows_.parent.push_back(parent);
    rows_.child.push_back(child);
    rows_.density.push_back(density);
    rows_.size.push_back(size);
  }

  void drop_rows(std::int64_t top, std::int64_t cluster, double density) {
    dropped_.assign(1, top);
    for (std::size_t at = 0; at < dropped_.size(); ++at) {
      const std::int64_t node = dropped_[at];
      if (node < n_) {
        add(cluster, node, density, count(node));
        continue;
      }
      dropped_.push_back(merges_.left[node - n_]);
      dropped_.push_back(merges_.right[node - n_]);
    }
  }

  MergeView<Size> merges_;
  Copies copies_;
  std::int64_t n_, next_;
  Size least_;
  std::vector<std::int64_t> dropped_;
  CondensedRows<Size> rows_;
};

}  // namespace

template <class Size>
MergeTree<Size> merge_components(const std::int64_t* ends, std::int64_t n_edges, const double* weight) {
  const std::int64_t n = n_edges + 1;
  std::vector<std::int64_t> parent(static_cast<std::size_t>(2 * n - 1));
  std::iota(parent.begin(), parent.end(), 0);
  MergeTree<Size> tree;
  const auto count = [&](std::int64_t node) { return node < n ? static_cast<Size>(weight_of({weight}, node)) : tree.size[node - n]; };
  for (std::int64_t e = 0; e < n_edges; ++e) {
    const std::int64_t a = top_of(parent, ends[2 * e]), b = top_of(parent, ends[2 * e + 1]);
    parent[a] = parent[b] = n + e;
    tree.left.push_back(a);
    tree.right.push_back(b);
    tree.size.push_back(count(a) + count(b));
  }
  return tree;
}

template <class Size>
CondensedRows<Size> condense(const MergeView<Size>& merges, std::int64_t min_cluster_size, const Copies& copies) {
  return Condenser<Size>(merges, min_cluster_size, copies).run();
}

std::vector<std::int64_t> cut_below(const std::int64_t* left, const std::int64_t* right, const double* distance, std::int64_t n_merges,
                                    double cut, std::int64_t min_cluster_size, const Copies& copies) {
  const std::int64_t n = n_merges + 1;
  std::vector<std::int64_t> parent(static_cast<std::size_t>(2 * n - 1)), rank(parent.size(), 0);
  std::iota(parent.begin(), parent.end(), 0);
  // the higher tree stays on top, of equal ones the first: components are numbered by who is on top
  const auto unite = [&](std::int64_t a, std::int64_t b) {
    a = top_of(parent, a);
    b = top_of(parent, b);
    if (rank[a] < rank[b]) std::swap(a, b);
    parent[b] = a;
    rank[a] += rank[a] == rank[b];
  };
  for (std::int64_t m = 0; m < n_merges; ++m)
    if (distance[m] < cut) {
      unite(left[m], n + m);
      unite(right[m], n + m);
    }
  const auto count = [&](std::int64_t row) {  // copies that do not reach each other are one row each
    const bool is_whole = copies.weight == nullptr || copies.core[row] < cut;
    return is_whole ? weight_of(copies, row) : std::min(1.0, weight_of(copies, row));
  };
  std::vector<double> size(parent.size(), 0.0);
  std::vector<std::int64_t> label(parent.size(), -1), labels;
  for (std::int64_t i = 0; i < n; ++i) size[top_of(parent, i)] += count(i);
  std::int64_t n_clusters = 0;
  for (std::size_t top = 0; top < size.size(); ++top)
    if (size[top] > 0 && size[top] >= static_cast<double>(min_cluster_size)) label[top] = n_clusters++;
  for (std::int64_t i = 0; i < n; ++i) labels.push_back(label[top_of(parent, i)]);
  return labels;
}

template MergeTree<std::int64_t> merge_components(const std::int64_t*, std::int64_t, const double*);
template MergeTree<double> merge_components(const std::int64_t*, std::int64_t, const double*);
template CondensedRows<std::int64_t> condense(const MergeView<std::int64_t>&, std::int64_t, const Copies&);
template CondensedRows<double> condense(const MergeView<double>&, std::int64_t, const Copies&);

}  // namespace coterie
