// Communities merged pair by pair, the most tightly connected first.
//
// The tie of two communities is w W / (a b): w the weight between them, a and b their masses (weights of all their edges), W the mass of all.
// 1 is what chance gives. The tie of a union to a third is a mean of the ties of its parts, so ties fall from merge to merge.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

// A symmetric graph without loops; nodes have masses of their own, since what is within a community counts too.
struct TiedGraph {
  std::int64_t n;
  const std::int64_t* starts;
  const std::int32_t* ends;
  const double* weights;
  const double* masses;
};

// A spanning tree of the communities: merge m joins those of nodes ends[2m] and ends[2m + 1]. Ties fall; those of parts of the graph that no
// edge connects are 0, lighter parts first.
struct TieTree {
  std::vector<std::int64_t> ends;
  std::vector<double> ties;
};

TieTree merge_by_ties(const TiedGraph& graph);

}  // namespace coterie
