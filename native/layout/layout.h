// Places for the nodes of a weighted graph, in few dimensions: edges pull, other nodes push.
//
// UMAP's objective with the kernel 1 / (1 + d^2): the cross entropy between the weights and how near the places are. Every epoch moves each
// node by itself: along those of its edges whose turn it is, and away from nodes drawn at random, all at their places of the epoch before.
// So nodes need not wait for each other, and any number of threads gives the same bits.
#pragma once

#include <cstdint>

namespace coterie {

// Row i has edges to ends[starts[i]] .. ends[starts[i + 1] - 1]; the graph is symmetric, weights are from 0 to 1.
struct WeightedGraph {
  std::int64_t n;
  const std::int64_t* starts;
  const std::int32_t* ends;
  const float* weights;
};

struct LayoutSchedule {
  std::int64_t n_epochs;
  double rate;  // of the first epoch; it falls to 0
  std::uint64_t seed;
};

// Places lie side by side, `width` numbers each: 4 or 8, those beyond the dimensions are 0 and stay so.
inline constexpr int narrow_layout = 4, wide_layout = 8;

// Moves the places, which hold a start.
void lay_out(const WeightedGraph& graph, const LayoutSchedule& schedule, int width, float* places, int threads);

// New nodes among placed ones: row i of the graph has edges to placed nodes; `n_placed` of them do not move. Places of new nodes hold a
// start.
void lay_out_new(const WeightedGraph& graph, const float* placed, std::int64_t n_placed, const LayoutSchedule& schedule, int width,
                 float* places, int threads);

}  // namespace coterie
