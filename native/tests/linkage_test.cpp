// Linkage against the definition: the nearest pair of all merges, again and again.
#include "linkage/linkage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linkage/first_rounds.h"
#include "linkage/graph_linkage.h"
#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

using Rows = std::vector<std::vector<double>>;
using Members = std::vector<std::size_t>;

// `grid` rounds, so that ties abound.
Rows random_rows(std::size_t n, std::size_t cols, bool grid) {
  const CounterRandom random(n + 31 * cols);
  Rows rows(n, std::vector<double>(cols));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t t = 0; t < cols; ++t) {
      const double value = 4 * random.uniform(t, i);
      rows[i][t] = grid ? std::round(value) : value;
    }
  return rows;
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double total = 0;
  for (std::size_t t = 0; t < x.size(); ++t) total += (x[t] - y[t]) * (x[t] - y[t]);
  return std::sqrt(total);
}

std::vector<double> mean(const Rows& rows, const Members& members) {
  std::vector<double> sum(rows[0].size(), 0.0);
  for (const std::size_t i : members)
    for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += rows[i][t] / static_cast<double>(members.size());
  return sum;
}

// The least radius of a ball about a member that holds both clusters.
double smallest_ball(const Rows& rows, const Members& A, const Members& B) {
  Members all = A;
  all.insert(all.end(), B.begin(), B.end());
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t centre : all) {
    double radius = 0;
    for (const std::size_t i : all) radius = std::max(radius, distance(rows[centre], rows[i]));
    least = std::min(least, radius);
  }
  return least;
}

double between(const Rows& rows, const Members& A, const Members& B, LinkageRule rule) {
  const auto a = static_cast<double>(A.size()), b = static_cast<double>(B.size());
  const double apart = distance(mean(rows, A), mean(rows, B));
  if (rule == LinkageRule::ward) return std::sqrt(2 * a * b / (a + b)) * apart;
  if (rule == LinkageRule::centroid) return apart;
  double least = std::numeric_limits<double>::infinity(), most = 0, sum = 0;
  for (const std::size_t i : A)
    for (const std::size_t j : B) {
      const double d = distance(rows[i], rows[j]);
      least = std::min(least, d);
      most = std::max(most, d);
      sum += d;
    }
  if (rule == LinkageRule::minimax) return smallest_ball(rows, A, B);
  return rule == LinkageRule::single ? least : rule == LinkageRule::complete ? most : sum / (a * b);
}

std::vector<double> by_definition(const Rows& rows, LinkageRule rule) {
  std::vector<Members> clusters;
  for (std::size_t i = 0; i < rows.size(); ++i) clusters.push_back({i});
  std::vector<double> heights;
  while (clusters.size() > 1) {
    std::size_t first = 0, second = 1;
    double height = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < clusters.size(); ++i)
      for (std::size_t j = i + 1; j < clusters.size(); ++j)
        if (const double d = between(rows, clusters[i], clusters[j], rule); d < height) {
          height = d;
          first = i;
          second = j;
        }
    clusters[first].insert(clusters[first].end(), clusters[second].begin(), clusters[second].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(second));
    heights.push_back(height);
  }
  return heights;
}

std::vector<double> flat(const Rows& rows) {
  std::vector<double> numbers;
  for (const auto& row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
  return numbers;
}

std::vector<double> linked_matrix(const Rows& rows, LinkageRule rule, int threads) {
  const std::size_t n = rows.size();
  std::vector<double> square(n * n), Z(4 * (n - 1));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) square[i * n + j] = distance(rows[i], rows[j]);
  link_matrix(square.data(), static_cast<std::int64_t>(n), rule, threads, Z.data());
  return Z;
}

std::vector<double> linked_rows(const Rows& rows, LinkageRule rule, int threads) {
  const std::vector<double> numbers = flat(rows);
  std::vector<double> Z(4 * (rows.size() - 1));
  const auto n = static_cast<std::int64_t>(rows.size()), cols = static_cast<std::int64_t>(rows[0].size());
  link_rows<double>({numbers.data(), n, cols, cols}, rule, threads, Z.data());
  return Z;
}

template <class T>
std::vector<double> linked_in_rounds(const Rows& rows, LinkageRule rule, int threads) {
  const std::vector<double> flat_rows = flat(rows);
  const std::vector<T> numbers(flat_rows.begin(), flat_rows.end());
  std::vector<double> Z(4 * (rows.size() - 1));
  const auto n = static_cast<std::int64_t>(rows.size()), cols = static_cast<std::int64_t>(rows[0].size());
  FirstRounds<T>({numbers.data(), n, cols, cols}, {Kernel::squared_difference, Finish::root, 2.0}, rule, threads).link(Z.data());
  return Z;
}

bool has_heights(const std::vector<double>& Z, const std::vector<double>& heights) {
  for (std::size_t k = 0; k < heights.size(); ++k)
    if (!(std::abs(Z[4 * k + 2] - heights[k]) <= 1e-9 * (1 + heights[k]))) return false;
  return Z[Z.size() - 1] == static_cast<double>(heights.size() + 1);
}

TEST(linkage_merges_the_nearest_pair) {
  for (const std::size_t n : {2, 3, 17, 60})
    for (const LinkageRule rule : {LinkageRule::single, LinkageRule::complete, LinkageRule::average, LinkageRule::ward,
                                   LinkageRule::centroid, LinkageRule::minimax}) {
      const Rows rows = random_rows(n, 3, false);
      const std::vector<double> heights = by_definition(rows, rule);
      CHECK(has_heights(linked_matrix(rows, rule, 1), heights));
      if (works_on_squares(rule)) CHECK(has_heights(linked_rows(rows, rule, 1), heights));
    }
}

TEST(linkage_by_rows_is_linkage_by_matrix_in_many_dimensions) {
  const Rows rows = random_rows(300, 20, false);
  const std::vector<double> by_matrix = linked_matrix(rows, LinkageRule::ward, 2), by_rows = linked_rows(rows, LinkageRule::ward, 2);
  for (std::size_t k = 0; k < by_rows.size(); ++k) CHECK(std::abs(by_rows[k] - by_matrix[k]) < 1e-8 * (1 + by_matrix[k]));
}

TEST(linkage_in_rounds_merges_the_nearest_pair) {
  for (const std::size_t n : {2, 3, 17, 60})
    for (const LinkageRule rule : {LinkageRule::complete, LinkageRule::average}) {
      const Rows rows = random_rows(n, 3, false);
      CHECK(has_heights(linked_in_rounds<double>(rows, rule, 2), by_definition(rows, rule)));
    }
}

TEST(linkage_in_rounds_is_linkage_of_the_matrix) {
  for (const LinkageRule rule : {LinkageRule::complete, LinkageRule::average, LinkageRule::weighted}) {
    const Rows rows = random_rows(400, 2, false);
    const std::vector<double> by_matrix = linked_matrix(rows, rule, 1), by_rounds = linked_in_rounds<double>(rows, rule, 1);
    for (std::size_t k = 0; k < by_matrix.size(); ++k) CHECK(std::abs(by_rounds[k] - by_matrix[k]) <= 1e-12 * (1 + by_matrix[k]));
    for (const bool grid : {false, true}) {
      const Rows many = random_rows(400, 2, grid);
      CHECK(linked_in_rounds<double>(many, rule, 1) == linked_in_rounds<double>(many, rule, 3));
      CHECK(linked_in_rounds<float>(many, rule, 1) == linked_in_rounds<float>(many, rule, 3));
    }
  }
}

// Pairs, fours, eights ... of rows ever farther apart: lists run out again and again, and clusters reach the most that rounds merge.
Rows nested_rows(std::size_t n) {
  const CounterRandom random(n);
  Rows rows(n, std::vector<double>(3));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t t = 0; t < 3; ++t) {
      rows[i][t] = 0.01 * random.uniform(t, i);
      for (std::size_t level = 0, step = i; step > 0; ++level, step /= 2)
        if (step % 2 != 0 && level % 3 == t) rows[i][t] += std::ldexp(1.0, static_cast<int>(level));
    }
  return rows;
}

TEST(linkage_in_rounds_goes_on_when_lists_run_out) {
  for (const LinkageRule rule : {LinkageRule::complete, LinkageRule::average, LinkageRule::weighted})
    for (const std::size_t n : {300, 1024}) {
      const Rows rows = nested_rows(n);
      const std::vector<double> by_matrix = linked_matrix(rows, rule, 1), by_rounds = linked_in_rounds<double>(rows, rule, 1);
      for (std::size_t k = 0; k < by_matrix.size(); ++k) CHECK(std::abs(by_rounds[k] - by_matrix[k]) <= 1e-12 * (1 + by_matrix[k]));
      for (const int threads : {2, 3}) CHECK(by_rounds == linked_in_rounds<double>(rows, rule, threads));
    }
}

TEST(linkage_in_rounds_leaves_few_clusters_to_the_matrix) {
  const Rows rows = random_rows(2000, 3, false);
  const std::vector<double> numbers = flat(rows);
  for (const LinkageRule rule : {LinkageRule::complete, LinkageRule::average, LinkageRule::weighted}) {
    const FirstRounds<double> rounds({numbers.data(), 2000, 3, 3}, {Kernel::squared_difference, Finish::root, 2.0}, rule, 2);
    CHECK(rounds.n_left() <= 2000 / 12 && rounds.n_left() >= 2000 / 24);
  }
}

// Equal rows: one pair merges at a time, which is no work for rounds.
TEST(linkage_in_rounds_takes_equal_rows) {
  const Rows rows(200, std::vector<double>(2, 1.5));
  for (const LinkageRule rule : {LinkageRule::complete, LinkageRule::average, LinkageRule::weighted})
    CHECK(has_heights(linked_in_rounds<double>(rows, rule, 2), std::vector<double>(199, 0.0)));
}

TEST(linkage_is_the_same_for_any_number_of_threads) {
  for (const bool grid : {false, true})
    for (int rule = 0; rule <= static_cast<int>(LinkageRule::minimax); ++rule) {
      const Rows rows = random_rows(400, 2, grid);
      const auto by = static_cast<LinkageRule>(rule);
      CHECK(linked_matrix(rows, by, 1) == linked_matrix(rows, by, 3));
      if (is_linked_by_rows(by)) CHECK(linked_rows(rows, by, 1) == linked_rows(rows, by, 3));
    }
}

// A path 0 - 3 - 1 - 2 whose edges are given from the longest to the shortest, one of them backwards.
TEST(linkage_along_a_tree_takes_the_shortest_edge_first) {
  const std::vector<std::int64_t> edges{0, 3, 1, 3, 2, 1};
  const std::vector<double> distances{5, 2, 1};
  std::vector<double> Z(12);
  link_edges(edges.data(), distances.data(), 4, Z.data());
  CHECK(Z == std::vector<double>{1, 2, 1, 2, 3, 4, 2, 3, 0, 5, 5, 4});
}

TEST(linkage_along_a_tree_settles_ties_by_the_lowest_ids) {
  const std::vector<std::int64_t> edges{4, 3, 2, 3, 0, 1, 1, 2};
  const std::vector<double> distances{1, 1, 1, 1};
  std::vector<double> Z(16);
  link_edges(edges.data(), distances.data(), 5, Z.data());
  CHECK(Z == std::vector<double>{0, 1, 1, 2, 2, 5, 1, 3, 3, 6, 1, 4, 4, 7, 1, 5});
}

TEST(linkage_along_a_spanning_tree_is_single_linkage) {
  for (const bool grid : {false, true}) {
    const Rows rows = random_rows(80, 2, grid);
    std::vector<std::int64_t> edges;
    std::vector<double> lengths, nearest(80, std::numeric_limits<double>::infinity()), Z(4 * 79);
    std::vector<std::size_t> from(80, 0);
    std::vector<bool> is_in(80, false);
    for (std::size_t step = 0, last = 0; step < 79; ++step) {  // Prim
      is_in[last] = true;
      std::size_t next = 80;
      for (std::size_t i = 0; i < 80; ++i) {
        if (is_in[i]) continue;
        if (const double d = distance(rows[i], rows[last]); d < nearest[i]) {
          nearest[i] = d;
          from[i] = last;
        }
        if (next == 80 || nearest[i] < nearest[next]) next = i;
      }
      edges.insert(edges.end(), {static_cast<std::int64_t>(from[next]), static_cast<std::int64_t>(next)});
      lengths.push_back(nearest[next]);
      last = next;
    }
    link_edges(edges.data(), lengths.data(), 80, Z.data());
    CHECK(has_heights(Z, by_definition(rows, LinkageRule::single)));
  }
}

TEST(linkage_along_all_edges_is_linkage) {
  const Rows rows = random_rows(40, 3, false);
  std::vector<double> values, Z(4 * 39);
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (i != j) {
        values.push_back(distance(rows[i], rows[j]));
        columns.push_back(static_cast<std::int32_t>(j));
      }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  const std::vector<double> numbers = flat(rows);
  for (const LinkageRule rule : {LinkageRule::single, LinkageRule::complete, LinkageRule::average, LinkageRule::ward})
    for (const MissingEdge missing : {MissingEdge::infinite, MissingEdge::unknown}) {
      const GraphLinkage graph{{values.data(), columns.data(), starts.data(), 40, 40}, rule, missing, numbers.data(), 3, 39};
      CHECK(link_graph(graph, Z.data()) == 39);
      CHECK(has_heights(Z, by_definition(rows, rule)));
    }
}

}  // namespace
}  // namespace coterie
