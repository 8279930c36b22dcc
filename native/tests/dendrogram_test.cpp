#include <algorithm>
#include <cmath>
#include <limits>

#include "dendrogram/centroid_silhouettes.h"
#include "dendrogram/cut_quality.h"
#include "dendrogram/newick.h"
#include "dendrogram/ordering.h"
#include "dendrogram/overlap.h"
#include "dendrogram/walks.h"
#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

// A random binary tree; merge i joins two nodes that are still apart.
struct RandomTree {
  std::vector<std::int64_t> starts{0}, children;
  std::vector<double> heights;
  std::int64_t n;

  RandomTree(std::int64_t n_leaves, std::uint64_t seed) : n(n_leaves) {
    const CounterRandom random(seed);
    std::vector<std::int64_t> apart;
    for (std::int64_t leaf = 0; leaf < n; ++leaf) apart.push_back(leaf);
    for (std::int64_t i = 0; i < n - 1; ++i) {
      for (int side = 0; side < 2; ++side) {
        const auto at = random.below(apart.size(), static_cast<std::uint64_t>(side), static_cast<std::uint64_t>(i));
        children.push_back(apart[at]);
        apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(at));
      }
      apart.push_back(n + i);
      starts.push_back(static_cast<std::int64_t>(children.size()));
      heights.push_back(static_cast<double>(i + 1));
    }
  }
  TreeView view() const { return {starts.data(), children.data(), n - 1, n}; }
};

std::vector<double> random_distances(std::int64_t n, std::uint64_t seed) {
  const CounterRandom random(seed);
  std::vector<double> distances(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      distances[i * n + j] = distances[j * n + i] = random.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  return distances;
}

// Least length over all 2^(n-1) ways to turn the children.
double shortest_by_turning(const RandomTree& tree, const std::vector<double>& distances, const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[order[p]] = static_cast<std::int64_t>(p);
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> sizes(2 * tree.n - 1), turned(tree.n), first(2 * tree.n - 1);
  for (int ways = 0; ways < 1 << (tree.n - 1); ++ways) {
    RandomTree copy = tree;
    for (std::int64_t i = 0; i < tree.n - 1; ++i)
      if (ways >> i & 1) std::swap(copy.children[2 * i], copy.children[2 * i + 1]);
    count_leaves(copy.view(), sizes.data());
    order_leaves(copy.view(), sizes.data(), turned.data(), first.data());
    double length = 0;
    for (std::int64_t p = 1; p < tree.n; ++p) length += distances[place[turned[p - 1]] * tree.n + place[turned[p]]];
    best = std::min(best, length);
  }
  return best;
}

TEST(optimal_order_is_the_best_of_all_turns) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomTree tree(2 + static_cast<std::int64_t>(seed % 9), seed);
    std::vector<std::int64_t> sizes(2 * tree.n - 1), order(tree.n), first(2 * tree.n - 1);
    count_leaves(tree.view(), sizes.data());
    order_leaves(tree.view(), sizes.data(), order.data(), first.data());
    const std::vector<double> distances = random_distances(tree.n, seed);
    std::vector<double> work(distances.size());
    const std::vector<std::int64_t> places = order_optimally(tree.view(), distances.data(), work.data(), 2);
    double length = 0;
    for (std::size_t p = 1; p < places.size(); ++p) length += distances[places[p - 1] * tree.n + places[p]];
    CHECK(std::abs(length - shortest_by_turning(tree, distances, order)) < 1e-12);
  }
}

TEST(optimal_order_does_not_depend_on_the_threads) {
  const RandomTree tree(300, 3);
  const std::vector<double> distances = random_distances(tree.n, 4);
  std::vector<double> work(distances.size());
  const auto one = order_optimally(tree.view(), distances.data(), work.data(), 1);
  CHECK(one == order_optimally(tree.view(), distances.data(), work.data(), 3));
  std::vector<std::int64_t> sorted = one;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t p = 0; p < tree.n; ++p) CHECK(sorted[p] == p);
}

TEST(common_nodes_of_pairs_and_of_all_pairs_agree) {
  const RandomTree tree(60, 5);
  std::vector<double> condensed(60 * 59 / 2);
  cophenetic_condensed(tree.view(), tree.heights.data(), condensed.data(), 2);
  std::size_t at = 0;
  for (std::int64_t i = 0; i < 60; ++i)
    for (std::int64_t j = i + 1; j < 60; ++j, ++at) {
      const std::int64_t pair[2] = {j, i};
      std::int64_t node = 0;
      common_nodes(tree.view(), pair, 1, &node);
      CHECK(tree.heights[node - 60] == condensed[at]);
    }
}

TEST(damaged_newick_is_refused_and_never_read_beyond_its_end) {
  const std::string whole = "(('a b':1,[note]b:2.5e-3)x:1,(c:1,d:1,e:1):2)r;";
  CHECK(read_newick(whole).names.size() == 5);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      read_newick(std::string(whole, 0, size));
      CHECK(false);
    } catch (const NewickProblem& problem) {
      CHECK(problem.position <= size);
    }
  }
  for (std::size_t place = 0; place < whole.size(); ++place)
    for (const char sign : {'(', ')', ',', ':', ';', '\'', '[', ']', '\xff'}) {
      std::string damaged = whole;
      damaged[place] = sign;
      try {
        CHECK(!read_newick(damaged).names.empty());
      } catch (const NewickProblem& problem) {
        CHECK(problem.position <= damaged.size());
      }
    }
}

TEST(newick_text_comes_back) {
  const RandomTree tree(50, 6);
  std::vector<double> lengths(static_cast<std::size_t>(tree.view().n_nodes()));
  branch_lengths(tree.view(), tree.heights.data(), lengths.data());
  const NewickTree read = read_newick(write_newick(tree.view(), lengths.data(), {}));
  CHECK(read.names.size() == 50);
  CHECK(read.inner_lengths.size() == 49);
  CHECK(read.has_lengths && read.first_without_length == std::string::npos);
}

TEST(curves_end_with_all_pairs_in_one_cluster) {
  const RandomTree tree(500, 7);
  std::vector<std::int32_t> classes(500);
  for (std::int32_t i = 0; i < 500; ++i) classes[i] = i % 37;
  std::vector<std::int64_t> pure(500), inverse(500), together(500), within(500);
  std::vector<double> cells(500), clusters(500), scatter(500);
  class_curves(tree.view(), classes.data(), 37,
               {pure.data(), inverse.data(), together.data(), within.data(), cells.data(), clusters.data()});
  CHECK(pure[0] == 500 && inverse[0] == 37 && together[0] == 0 && within[0] == 0);
  CHECK(pure[499] == 14 && inverse[499] == 500 && within[499] == 500 * 499 / 2);
  CHECK(std::abs(clusters[499] - 500 * std::log(500.0)) < 1e-9);
  std::vector<double> rows(500);
  for (int i = 0; i < 500; ++i) rows[i] = i;
  scatter_curve<double>(tree.view(), {rows.data(), 500, 1, 1}, scatter.data());
  CHECK(scatter[0] == 0 && std::abs(scatter[499] - 500.0 * (500.0 * 500.0 - 1) / 12) < 1e-6);
}

// The simplified silhouette of the cut after the first n_merges, from its labels.
double silhouette_of_cut(const RandomTree& tree, const std::vector<double>& rows, std::int64_t n_merges) {
  std::vector<std::uint8_t> is_joined(tree.heights.size(), 0);
  std::fill(is_joined.begin(), is_joined.begin() + n_merges, std::uint8_t{1});
  std::vector<std::int64_t> labels(tree.n);
  const std::int64_t k = label_leaves(tree.view(), is_joined.data(), labels.data());
  std::vector<double> centroids(2 * k, 0.0), sizes(k, 0.0);
  for (std::int64_t i = 0; i < tree.n; ++i) {
    sizes[labels[i]] += 1;
    for (int j = 0; j < 2; ++j) centroids[2 * labels[i] + j] += rows[2 * i + j];
  }
  double total = 0;
  for (std::int64_t i = 0; i < tree.n; ++i) {
    if (sizes[labels[i]] == 1) continue;
    double own = 0, other = std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < k; ++c) {
      const double distance = std::hypot(rows[2 * i] - centroids[2 * c] / sizes[c], rows[2 * i + 1] - centroids[2 * c + 1] / sizes[c]);
      if (c == labels[i])
        own = distance;
      else
        other = std::min(other, distance);
    }
    total += std::max(own, other) > 0 ? (other - own) / std::max(own, other) : 0;
  }
  return total / static_cast<double>(tree.n);
}

TEST(silhouettes_of_all_cuts_are_those_of_each) {
  for (const std::int64_t n : {2, 3, 65, 400}) {
    const RandomTree tree(n, static_cast<std::uint64_t>(n));
    const CounterRandom random(9);
    std::vector<double> rows(2 * n), scores(n);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = random.uniform(i, 0);
    silhouette_curve<double>(tree.view(), {rows.data(), n, 2, 2}, 0, scores.data());
    CHECK(std::isnan(scores[0]) && std::isnan(scores[n - 1]));
    for (std::int64_t i = 1; i < n - 1; ++i) CHECK(std::abs(scores[i] - silhouette_of_cut(tree, rows, i)) < 1e-12);
    std::vector<double> some(n);
    silhouette_curve<double>(tree.view(), {rows.data(), n, 2, 2}, 1, some.data());
    for (std::int64_t i = 1; i < n - 2; ++i) CHECK(std::isnan(some[i]));
  }
}

TEST(a_tree_overlaps_itself_wholly) {
  const RandomTree tree(100, 8);
  std::vector<std::int64_t> numbers, cells(100), rows(100), columns(100);
  for (std::int64_t k = 100; k >= 1; --k) numbers.push_back(k);
  overlap_curve(tree.view(), tree.view(), numbers.data(), 100, cells.data(), rows.data(), columns.data());
  CHECK(cells == rows && rows == columns);
  CHECK(cells[0] == 100 && cells[99] == 100 * 100);
}

TEST(arrays_that_are_no_tree_are_found) {
  const std::int64_t starts[] = {0, 2, 4};
  const auto fault = [&](std::vector<std::int64_t> children) { return find_problem({starts, children.data(), 2, 3}).fault; };
  CHECK(fault({0, 1, 3, 2}) == TreeFault::none);
  CHECK(fault({0, 1, 0, 2}) == TreeFault::used_twice);
  CHECK(fault({0, 3, 1, 2}) == TreeFault::not_made_yet);
  CHECK(fault({0, 9, 1, 2}) == TreeFault::out_of_range);
  CHECK(fault({-1, 0, 1, 2}) == TreeFault::out_of_range);
}

}  // namespace
}  // namespace coterie
