// Layouts: the same bits for any number of threads, neighbours near each other; communities that merge by the tightest tie.
#include "layout/layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "graph/community_tree.h"
#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

// Rings of ten nodes, each linked to the two next ones on both sides.
struct Rings {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> ends;
  std::vector<float> weights;

  explicit Rings(std::int64_t n) {
    for (std::int64_t v = 0; v < n; ++v) {
      for (const std::int64_t step : {1, 2, 8, 9}) {
        ends.push_back(static_cast<std::int32_t>(v / 10 * 10 + (v % 10 + step) % 10));
        weights.push_back(step == 1 || step == 9 ? 1.0f : 0.4f);
      }
      starts.push_back(static_cast<std::int64_t>(ends.size()));
    }
  }

  WeightedGraph view() const { return {static_cast<std::int64_t>(starts.size()) - 1, starts.data(), ends.data(), weights.data()}; }
};

std::vector<float> random_places(std::int64_t n, int width, int dims) {
  const CounterRandom random(3);
  std::vector<float> places(static_cast<std::size_t>(n * width), 0.0f);
  for (std::int64_t v = 0; v < n; ++v)
    for (int j = 0; j < dims; ++j)
      places[v * width + j] = static_cast<float>(20 * random.uniform(v, static_cast<std::uint64_t>(j)) - 10);
  return places;
}

double distance(const std::vector<float>& places, int width, std::int64_t a, std::int64_t b) {
  double sum = 0;
  for (int j = 0; j < width; ++j) sum += std::pow(places[a * width + j] - places[b * width + j], 2);
  return std::sqrt(sum);
}

TEST(layouts_do_not_depend_on_threads_and_bring_neighbours_together) {
  const std::int64_t n = 600;
  const Rings rings(n);
  for (const int width : {narrow_layout, wide_layout}) {
    std::vector<float> one = random_places(n, width, width == wide_layout ? 6 : 2), three = one;
    lay_out(rings.view(), {200, 1.0, 7}, width, one.data(), 1);
    lay_out(rings.view(), {200, 1.0, 7}, width, three.data(), 3);
    CHECK(one == three);
    CHECK(std::all_of(one.begin(), one.end(), [](float x) { return std::isfinite(x); }));
    double within = 0, between = 0;
    for (std::int64_t v = 0; v < n; ++v) {
      within += distance(one, width, v, v / 10 * 10 + (v + 1) % 10);
      between += distance(one, width, v, (v + 300) % n);
      for (int j = width == wide_layout ? 6 : 2; j < width; ++j) CHECK(one[v * width + j] == 0.0f);
    }
    CHECK(4 * within < between);
  }
}

TEST(new_nodes_land_where_their_links_lead) {
  const Rings rings(100);
  std::vector<float> placed = random_places(100, narrow_layout, 2);
  lay_out(rings.view(), {200, 1.0, 7}, narrow_layout, placed.data(), 2);
  const std::int64_t starts[] = {0, 2};
  const std::int32_t ends[] = {40, 41};
  const float weights[] = {1.0f, 1.0f};
  std::vector<float> place = {placed[40 * narrow_layout] + 6.0f, placed[40 * narrow_layout + 1], 0.0f, 0.0f};
  const auto to_links = [&] {
    std::vector<float> all = placed;
    all.insert(all.end(), place.begin(), place.end());
    return std::max(distance(all, narrow_layout, 100, 40), distance(all, narrow_layout, 100, 41));
  };
  const double before = to_links();
  lay_out_new({1, starts, ends, weights}, placed.data(), 100, {500, 1.0, 7}, narrow_layout, place.data(), 1);
  CHECK(2 * to_links() < before);
}

// All pairs looked at before every merge.
std::vector<double> ties_by_force(const std::vector<std::vector<double>>& weight, std::vector<double> mass) {
  std::vector<std::vector<double>> w = weight;
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  std::vector<char> is_alive(mass.size(), 1);
  std::vector<double> ties;
  for (std::size_t merge = 1; merge < mass.size(); ++merge) {
    double best = -1;
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < mass.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (is_alive[i] && is_alive[j] && w[i][j] * total / (mass[i] * mass[j]) > best) {
          best = w[i][j] * total / (mass[i] * mass[j]);
          a = i;
          b = j;
        }
    ties.push_back(best);
    for (std::size_t k = 0; k < mass.size(); ++k) w[a][k] = w[k][a] = w[a][k] + w[b][k];
    mass[a] += mass[b];
    is_alive[b] = 0;
  }
  return ties;
}

TEST(communities_merge_by_the_tightest_tie) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const CounterRandom random(seed);
    const std::int64_t n = 12;
    std::vector<std::vector<double>> weight(n, std::vector<double>(n, 0.0));
    std::vector<double> mass(n, 0.5);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < i; ++j)
        if (random.uniform(0, static_cast<std::uint64_t>(i * n + j)) < 0.4)
          weight[i][j] = weight[j][i] = random.uniform(1, static_cast<std::uint64_t>(i * n + j)) + 0.1;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> ends;
    std::vector<double> weights;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        if (weight[i][j] > 0) {
          ends.push_back(static_cast<std::int32_t>(j));
          weights.push_back(weight[i][j]);
          mass[i] += weight[i][j];
        }
      starts.push_back(static_cast<std::int64_t>(ends.size()));
    }
    const TieTree tree = merge_by_ties({n, starts.data(), ends.data(), weights.data(), mass.data()});
    const std::vector<double> expected = ties_by_force(weight, mass);
    CHECK(tree.ties.size() == expected.size() && std::is_sorted(tree.ties.rbegin(), tree.ties.rend()));
    for (std::size_t m = 0; m < expected.size(); ++m) CHECK(std::abs(tree.ties[m] - expected[m]) < 1e-9);
  }
}

}  // namespace
}  // namespace coterie
