// Leiden: connected communities, nested levels whose quality rises, the same answer for the same seed; random graphs of given degrees.
#include "graph/leiden.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/configuration.h"
#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

// Dense groups of 20 nodes, and some edges between them; whole weights.
CommunityGraph groups_of_nodes(std::int64_t n, bool is_directed) {
  const CounterRandom random(5);
  CommunityGraph graph;
  graph.starts.push_back(0);
  graph.loops.assign(static_cast<std::size_t>(n), 0);
  graph.out.assign(static_cast<std::size_t>(n), 0);
  double total = 0;
  for (std::int64_t v = 0; v < n; ++v) {
    for (std::int64_t u = 0; u < n; ++u) {
      const auto pair = static_cast<std::uint64_t>(std::min(u, v) * n + std::max(u, v));
      if (u == v || random.uniform(0, pair) >= (u / 20 == v / 20 ? 0.5 : 0.02)) continue;
      graph.targets.push_back(static_cast<std::int32_t>(u));
      graph.weights.push_back(1 + static_cast<double>(random.below(3, 1, pair)));
      graph.out[v] += graph.weights.back();
    }
    graph.starts.push_back(static_cast<std::int64_t>(graph.targets.size()));
    total += graph.out[v];
  }
  graph.penalty = 0.5 / total;
  if (is_directed) graph.in = graph.out;
  return graph;
}

TEST(levels_of_leiden_are_nested_connected_and_rise) {
  for (const bool is_directed : {false, true}) {
    const CommunityGraph graph = groups_of_nodes(200, is_directed);
    const LeidenLevels found = leiden(graph, {0.01, 0, 3});
    CHECK(found.is_settled && found.levels.size() == found.quality.size());
    CHECK(std::is_sorted(found.quality.begin(), found.quality.end()));
    for (std::size_t level = 0; level < found.levels.size(); ++level) {
      Membership parts = found.levels[level];
      const auto n_communities = 1 + *std::max_element(parts.begin(), parts.end());
      CHECK(split_parts(graph, parts) == n_communities);
      std::map<std::int32_t, std::set<std::int32_t>> above;
      if (level > 0)
        for (std::size_t v = 0; v < parts.size(); ++v) above[found.levels[level - 1][v]].insert(found.levels[level][v]);
      CHECK(std::all_of(above.begin(), above.end(), [](const auto& each) { return each.second.size() == 1; }));
    }
    CHECK(1 + *std::max_element(found.levels.back().begin(), found.levels.back().end()) == 10);
    CHECK(leiden(graph, {0.01, 0, 3}).levels == found.levels);
  }
}

TEST(nodes_of_no_graph_are_alone) {
  CommunityGraph graph;
  graph.starts.assign(4, 0);
  graph.loops.assign(3, 0);
  graph.out.assign(3, 0);
  CHECK(leiden(graph, {0.01, 2, 0}).levels.back() == (Membership{0, 1, 2}));
}

TEST(exchanged_edges_keep_degrees_and_stay_simple) {
  for (const bool is_directed : {false, true}) {
    const CommunityGraph graph = groups_of_nodes(100, false);
    std::vector<std::int32_t> sources, targets;
    for (std::int32_t v = 0; v < 100; ++v)
      for (std::int64_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
        if (is_directed || v < graph.targets[e]) {
          sources.push_back(v);
          targets.push_back(graph.targets[e]);
        }
    std::vector<std::int32_t> first = sources, second = targets;
    exchange_edges(first.data(), second.data(), static_cast<std::int64_t>(first.size()), is_directed, 10, 1);
    std::vector<std::int64_t> out(100, 0), in(100, 0);
    std::set<std::pair<std::int32_t, std::int32_t>> seen, before;
    for (std::size_t e = 0; e < first.size(); ++e) {
      ++(is_directed ? out : in)[first[e]], ++in[second[e]];
      --(is_directed ? out : in)[sources[e]], --in[targets[e]];
      CHECK(first[e] != second[e]);
      const bool turns = !is_directed && first[e] > second[e];
      seen.insert(turns ? std::pair(second[e], first[e]) : std::pair(first[e], second[e]));
      before.insert({sources[e], targets[e]});
    }
    CHECK(seen.size() == first.size() && seen != before);
    CHECK(std::all_of(in.begin(), in.end(), [](std::int64_t d) { return d == 0; }));
    CHECK(std::all_of(out.begin(), out.end(), [](std::int64_t d) { return d == 0; }));
  }
}

}  // namespace
}  // namespace coterie
