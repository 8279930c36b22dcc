#include "graph/community_graph.h"

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t nodes_between_polls = 1024;

// Nodes of each community, in their order: those of c are nodes[starts[c]] ... nodes[starts[c + 1] - 1].
struct Members {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> nodes;
};

Members members_of(const Membership& community, std::int64_t n_communities) {
  Members members{std::vector<std::int64_t>(static_cast<std::size_t>(n_communities + 1), 0),
                  std::vector<std::int32_t>(community.size())};
  for (const std::int32_t c : community) ++members.starts[static_cast<std::size_t>(c) + 1];
  for (std::size_t c = 1; c < members.starts.size(); ++c) members.starts[c] += members.starts[c - 1];
  std::vector<std::int64_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::size_t v = 0; v < community.size(); ++v)
    members.nodes[static_cast<std::size_t>(next[static_cast<std::size_t>(community[v])]++)] = static_cast<std::int32_t>(v);
  return members;
}

}  // namespace

CommunityGraph aggregate(const CommunityGraph& graph, const Membership& community, std::int64_t n_communities) {
  const Members members = members_of(community, n_communities);
  const auto size = static_cast<std::size_t>(n_communities);
  CommunityGraph merged;
  merged.penalty = graph.penalty;
  merged.starts.assign(size + 1, 0);
  merged.loops.assign(size, 0);
  merged.out.assign(size, 0);
  merged.in.assign(graph.in.empty() ? 0 : size, 0);
  std::vector<double> weight_to(size, 0);
  std::vector<std::int32_t> met(size + 1);
  const EdgePrefetch prefetch(graph);
  for (std::int64_t c = 0; c < n_communities; ++c) {
    if (c % nodes_between_polls == 0) check_interrupt();
    std::size_t n_met = 0;
    double loops = 0, out = 0, in = 0;
    for (std::int64_t at = members.starts[c]; at < members.starts[c + 1]; ++at) {
      prefetch.ahead(members.nodes, at);
      const std::int32_t v = members.nodes[at];
      loops += graph.loops[v];
      out += graph.out[v];
      if (!graph.in.empty()) in += graph.in[v];
      for (std::int64_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e) {
        const std::int32_t other = community[graph.targets[e]];
        met[n_met] = other;
        n_met += weight_to[other] == 0;
        weight_to[other] += graph.weights[e];
      }
    }
    for (std::size_t m = 0; m < n_met; ++m) {
      const std::int32_t other = met[m];
      if (other == c) {
        loops += weight_to[other];
      } else {
        merged.targets.push_back(other);
        merged.weights.push_back(weight_to[other]);
      }
      weight_to[other] = 0;
    }
    merged.loops[c] = loops;
    merged.out[c] = out;
    if (!graph.in.empty()) merged.in[c] = in;
    merged.starts[c + 1] = static_cast<std::int64_t>(merged.targets.size());
  }
  return merged;
}

std::int64_t renumber(Membership& community) {
  std::vector<std::int32_t> number;
  std::int32_t n_communities = 0;
  for (std::int32_t& c : community) {
    if (static_cast<std::size_t>(c) >= number.size()) number.resize(static_cast<std::size_t>(c) + 1, -1);
    if (number[static_cast<std::size_t>(c)] < 0) number[static_cast<std::size_t>(c)] = n_communities++;
    c = number[static_cast<std::size_t>(c)];
  }
  return n_communities;
}

std::int64_t split_parts(const CommunityGraph& graph, Membership& community) {
  Membership part(community.size(), -1);
  std::vector<std::int32_t> open;
  std::int32_t n_parts = 0;
  for (std::int64_t first = 0; first < graph.size(); ++first) {
    if (first % nodes_between_polls == 0) check_interrupt();
    if (part[first] >= 0) continue;
    part[first] = n_parts;
    open.assign(1, static_cast<std::int32_t>(first));
    while (!open.empty()) {
      const std::int32_t v = open.back();
      open.pop_back();
      for (std::int64_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e) {
        const std::int32_t u = graph.targets[e];
        if (part[u] >= 0 || community[u] != community[v]) continue;
        part[u] = n_parts;
        open.push_back(u);
      }
    }
    ++n_parts;
  }
  community.swap(part);
  return n_parts;
}

double quality_of(const CommunityGraph& graph, const Membership& community, std::int64_t n_communities) {
  const auto size = static_cast<std::size_t>(n_communities);
  std::vector<double> out(size, 0), in(graph.in.empty() ? 0 : size, 0);
  double weight = 0, expected = 0;
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    const std::int32_t own = community[v];
    out[own] += graph.out[v];
    if (!graph.in.empty()) in[own] += graph.in[v];
    weight += graph.loops[v];
    for (std::int64_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
      weight += community[graph.targets[e]] == own ? graph.weights[e] : 0;
  }
  for (std::size_t c = 0; c < size; ++c) expected += out[c] * (graph.in.empty() ? out : in)[c];
  return weight / 2 - graph.penalty * expected;
}

double quality_of_singles(const CommunityGraph& graph) {
  double weight = 0, expected = 0;
  const std::vector<double>& in = graph.in.empty() ? graph.out : graph.in;
  for (std::int64_t v = 0; v < graph.size(); ++v) {
    weight += graph.loops[v];
    expected += graph.out[v] * in[v];
  }
  return weight / 2 - graph.penalty * expected;
}

}  // namespace coterie
