// A weighted graph whose nodes may stand for many, and partitions of it: what the levels of Leiden work on.
//
// Quality of a partition, for every objective:
//   H = sum over communities c of  B_c / 2 - penalty * out_c * in_c
// B the symmetric weights (of a directed graph the sum of both directions), B_c all of them within c, each pair twice and loops as they are;
// out and in the masses of nodes. Modularity: masses are strengths. CPM: masses are numbers of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace coterie {

struct CommunityGraph {
  std::vector<std::int64_t> starts;  // of the neighbours of each node, and their end
  std::vector<std::int32_t> targets;  // neighbours: no node is its own, none comes twice
  std::vector<double>
      weights;  // above 0, multiples of a step so coarse that no sum of them is rounded: sums are the same in any order
  std::vector<double> loops;  // B of the node with itself
  std::vector<double> out, in;  // masses; `in` is empty where it equals `out`
  double penalty = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(loops.size()); }
};

using Membership = std::vector<std::int32_t>;

// Nodes that are visited in random order: what one needs is fetched while those before it are worked on.
class EdgePrefetch {
 public:
  explicit EdgePrefetch(const CommunityGraph& graph) : graph_(graph) {}

  // The visit of order[at] is next.
  void ahead(const std::vector<std::int32_t>& order, std::int64_t at) const {
    if (at + rows_ahead >= static_cast<std::int64_t>(order.size())) return;
    __builtin_prefetch(graph_.starts.data() + order[static_cast<std::size_t>(at + rows_ahead)]);
    const auto v = static_cast<std::size_t>(order[static_cast<std::size_t>(at + edges_ahead)]);
    const std::int64_t begin = graph_.starts[v], count = std::min(graph_.starts[v + 1] - begin, most_edges);
    for (std::int64_t e = 0; e < count; e += targets_per_line) __builtin_prefetch(graph_.targets.data() + begin + e);
    for (std::int64_t e = 0; e < count; e += weights_per_line) __builtin_prefetch(graph_.weights.data() + begin + e);
  }

 private:
  static constexpr std::int64_t rows_ahead = 8, edges_ahead = 4, most_edges = 64, targets_per_line = 16, weights_per_line = 8;
  const CommunityGraph& graph_;
};

// Communities become nodes, in the order of their numbers; a number without nodes must not occur.
CommunityGraph aggregate(const CommunityGraph& graph, const Membership& community, std::int64_t n_communities);

// Numbers communities 0, 1, ... in the order of their first nodes; returns how many there are.
std::int64_t renumber(Membership& community);

// Every connected part of a community becomes one; returns how many there are.
std::int64_t split_parts(const CommunityGraph& graph, Membership& community);

// H of a partition whose communities are numbered from 0 on.
double quality_of(const CommunityGraph& graph, const Membership& community, std::int64_t n_communities);

// H where every node is a community.
double quality_of_singles(const CommunityGraph& graph);

}  // namespace coterie
