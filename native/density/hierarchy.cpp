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

class Condenser {
 public:
  Condenser(const std::int64_t* left, const std::int64_t* right, const double* distance, const std::int64_t* size,
            std::int64_t n_merges, std::int64_t least)
      : left_(left), right_(right), distance_(distance), size_(size), n_(n_merges + 1), least_(least), next_(n_ + 1) {}

  CondensedRows run() {
    std::vector<std::pair<std::int64_t, std::int64_t>> queue;  // node, cluster
    if (n_ > 1) queue.emplace_back(2 * n_ - 2, n_);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const auto [node, cluster] = queue[at];
      const double distance = distance_[node - n_];
      const double density = distance > 0 ? 1 / distance : std::numeric_limits<double>::infinity();
      const std::int64_t sides[2] = {left_[node - n_], right_[node - n_]};
      const bool is_split = count(sides[0]) >= least_ && count(sides[1]) >= least_;
      for (const std::int64_t side : sides) {
        if (count(side) < least_) {
          drop_rows(side, cluster, density);
          continue;
        }
        if (is_split) add(cluster, next_, density, count(side));
        queue.emplace_back(side, is_split ? next_++ : cluster);
      }
    }
    return std::move(rows_);
  }

 private:
  std::int64_t count(std::int64_t node) const { return node < n_ ? 1 : size_[node - n_]; }

  void add(std::int64_t parent, std::int64_t child, double density, std::int64_t size) {
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
        add(cluster, node, density, 1);
        continue;
      }
      dropped_.push_back(left_[node - n_]);
      dropped_.push_back(right_[node - n_]);
    }
  }

  const std::int64_t *left_, *right_;
  const double* distance_;
  const std::int64_t* size_;
  std::int64_t n_, least_, next_;
  std::vector<std::int64_t> dropped_;
  CondensedRows rows_;
};

}  // namespace

MergeTree merge_components(const std::int64_t* ends, std::int64_t n_edges) {
  const std::int64_t n = n_edges + 1;
  std::vector<std::int64_t> parent(static_cast<std::size_t>(2 * n - 1));
  std::iota(parent.begin(), parent.end(), 0);
  MergeTree tree;
  for (std::int64_t e = 0; e < n_edges; ++e) {
    const std::int64_t a = top_of(parent, ends[2 * e]), b = top_of(parent, ends[2 * e + 1]);
    parent[a] = parent[b] = n + e;
    tree.left.push_back(a);
    tree.right.push_back(b);
    tree.size.push_back((a < n ? 1 : tree.size[a - n]) + (b < n ? 1 : tree.size[b - n]));
  }
  return tree;
}

CondensedRows condense(const std::int64_t* left, const std::int64_t* right, const double* distance, const std::int64_t* size,
                       std::int64_t n_merges, std::int64_t min_cluster_size) {
  return Condenser(left, right, distance, size, n_merges, min_cluster_size).run();
}

std::vector<std::int64_t> cut_below(const std::int64_t* left, const std::int64_t* right, const double* distance,
                                    std::int64_t n_merges, double cut, std::int64_t min_cluster_size) {
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
  std::vector<std::int64_t> size(parent.size(), 0), label(parent.size(), -1), labels;
  for (std::int64_t i = 0; i < n; ++i) ++size[top_of(parent, i)];
  std::int64_t n_clusters = 0;
  for (std::size_t top = 0; top < size.size(); ++top)
    if (size[top] > 0 && size[top] >= min_cluster_size) label[top] = n_clusters++;
  for (std::int64_t i = 0; i < n; ++i) labels.push_back(label[top_of(parent, i)]);
  return labels;
}

}  // namespace coterie
