// The CF tree: what every tree keeps, on every instruction set, and the same tree after a pause.
#include "birch/cf_tree.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/check.h"
#include "tests/instruction_sets.h"
#include "tests/point_sets.h"

namespace coterie {
namespace {

using testing::PointSet;

struct Stored {
  std::int64_t dims, n_nodes;
  std::vector<std::int64_t> node_starts, children;
  std::vector<double> weights, deviations, centres;

  explicit Stored(const CFTree& tree)
      : dims(tree.dims()), n_nodes(tree.n_nodes()), node_starts(static_cast<std::size_t>(n_nodes + 1)) {
    const auto n = static_cast<std::size_t>(tree.n_entries());
    children.resize(n), weights.resize(n), deviations.resize(n), centres.resize(n * static_cast<std::size_t>(dims));
    tree.store({node_starts.data(), children.data(), weights.data(), deviations.data(), centres.data()});
  }

  CFTree restored() const {
    return {dims, n_nodes, {node_starts.data(), children.data(), weights.data(), deviations.data(), centres.data()}};
  }

  bool operator==(const Stored&) const = default;
};

bool is_close(double a, double b, double scale) { return std::abs(a - b) <= 1e-9 * (scale + std::abs(b)); }

// The entry has the weight, the mean and the deviations of the entries of its node.
void check_parent(const Stored& tree, std::size_t entry, double scale) {
  const auto begin = static_cast<std::size_t>(tree.node_starts[static_cast<std::size_t>(tree.children[entry])]);
  const auto end = static_cast<std::size_t>(tree.node_starts[static_cast<std::size_t>(tree.children[entry]) + 1]);
  const auto dims = static_cast<std::size_t>(tree.dims);
  double weight = 0, deviation = 0;
  std::vector<double> mean(dims);
  for (std::size_t below = begin; below < end; ++below) {
    weight += tree.weights[below];
    deviation += tree.deviations[below];
    for (std::size_t j = 0; j < dims; ++j) {
      const double difference = tree.centres[below * dims + j] - tree.centres[entry * dims + j];
      mean[j] += tree.weights[below] * tree.centres[below * dims + j];
      deviation += tree.weights[below] * difference * difference;
    }
  }
  CHECK(is_close(tree.weights[entry], weight, 0));
  CHECK(is_close(tree.deviations[entry], deviation, weight * scale * scale));
  for (std::size_t j = 0; j < dims; ++j) CHECK(is_close(tree.centres[entry * dims + j], mean[j] / weight, scale));
}

template <class T>
void check_tree(const Stored& tree, const PointSet<T>& points, const GrowthRules& rules) {
  double weight = 0, scale = 0;
  for (std::int64_t i = 0; i < points.n; ++i)
    for (std::int64_t j = 0; j < tree.dims; ++j) scale = std::max(scale, std::abs(static_cast<double>(points.view().row(i)[j])));
  for (std::size_t node = 0; node < static_cast<std::size_t>(tree.n_nodes); ++node) {
    const std::int64_t size = tree.node_starts[node + 1] - tree.node_starts[node];
    CHECK(size >= 1 && size <= rules.branching_factor);
  }
  for (std::size_t entry = 0; entry < tree.weights.size(); ++entry) {
    if (tree.children[entry] != no_node) {
      check_parent(tree, entry, scale);
      continue;
    }
    weight += tree.weights[entry];
    const bool is_single = tree.weights[entry] == 1;
    CHECK(is_single ? tree.deviations[entry] == 0
                    : std::sqrt(tree.deviations[entry] / tree.weights[entry]) <= rules.threshold * (1 + 1e-12));
  }
  CHECK(weight == static_cast<double>(points.n));
}

template <class T>
Stored grown(const PointSet<T>& points, const GrowthRules& rules) {
  CFTree tree(points.view().cols);
  tree.add(points.view(), nullptr, rules);
  return Stored(tree);
}

// Growing in two steps, with the tree stored and restored in between.
template <class T>
Stored grown_in_parts(const PointSet<T>& points, const GrowthRules& rules) {
  MatrixView<T> first = points.view(), second = points.view();
  first.rows = points.n / 3;
  second.rows -= first.rows, second.data = points.view().row(first.rows);
  CFTree tree(first.cols);
  tree.add(first, nullptr, rules);
  CFTree again = Stored(tree).restored();
  again.add(second, nullptr, rules);
  return Stored(again);
}

template <class T>
std::vector<Stored> check_all_sets() {
  std::vector<Stored> trees;
  for (const PointSet<T>& points : testing::point_sets<T>(300, 3)) {
    if (points.name == "huge" || points.name == "tiny") continue;  // squares overflow or vanish
    for (const double threshold : {1e-3, 0.1, 1.0})
      for (const std::int64_t branching : {2, 5, 17, 50}) {
        trees.push_back(grown(points, {threshold, branching}));
        check_tree(trees.back(), points, {threshold, branching});
        CHECK(grown_in_parts(points, {threshold, branching}) == trees.back());
      }
  }
  return trees;
}

TEST(cf_trees_keep_their_rules_on_any_instruction_set) {
  std::vector<std::vector<Stored>> found;
  testing::on_every_instruction_set([&] {
    check_all_sets<float>();
    found.push_back(check_all_sets<double>());
  });
  for (const auto& trees : found) CHECK(trees == found.front());
}

}  // namespace
}  // namespace coterie
