// Communities of a graph by the Leiden algorithm (Traag, Waltman and van Eck 2019).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/community_graph.h"

namespace coterie {

struct LeidenOptions {
  double theta;               // how random refinement is, in units of the mean weight of an edge
  std::int64_t n_iterations;  // below 1: until nothing improves
  std::uint64_t seed;
};

struct LeidenLevels {
  std::vector<Membership> levels;  // of all nodes, from fine to coarse, each a union of communities of the one before
  std::vector<double> quality;     // of each level; never falls
  std::int64_t n_iterations = 0;   // that were made
  bool is_settled = false;         // whether the last one changed nothing
};

LeidenLevels leiden(const CommunityGraph& graph, const LeidenOptions& options);

}  // namespace coterie
