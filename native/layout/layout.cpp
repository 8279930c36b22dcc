// Attraction along edges whose turn it is, repulsion from random nodes.
#include "layout/layout.h"

#include <algorithm>
#include <vector>

#include "support/parallel.h"
#include "support/random.h"

namespace coterie {
namespace {

constexpr std::int64_t nodes_per_task = 256;
constexpr int pushes_per_pull = 4;  // one block of random numbers
constexpr float longest_step = 4.0f;
constexpr float least_gap = 0.001f;  // keeps the push of two nodes at one place finite

template <int width>
struct PlaceTypes {
  typedef float value __attribute__((vector_size(width * sizeof(float))));
  typedef float unaligned __attribute__((vector_size(width * sizeof(float)), aligned(4), may_alias));
};
template <int width>
using Place = typename PlaceTypes<width>::value;

template <int width>
inline Place<width> load_place(const float* from) {
  return *reinterpret_cast<const typename PlaceTypes<width>::unaligned*>(from);
}

// In pairs, in this order on every processor.
template <int width>
inline float squared_length(Place<width> v) {
  v *= v;
  if constexpr (width == wide_layout)
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  else
    return (v[0] + v[2]) + (v[1] + v[3]);
}

template <int width>
inline Place<width> shortened(Place<width> step) {
  const Place<width> most = longest_step - Place<width>{};
  step = step > most ? most : step;
  return step < -most ? -most : step;
}

// One node's way through one epoch.
template <int width>
class Mover {
 public:
  Mover(const float* others, std::int64_t n_others, std::uint64_t seed) : others_(others), n_(n_others), random_(seed) {}

  Place<width> at(std::int64_t node) const { return load_place<width>(others_ + node * width); }

  void pull(Place<width>& x, std::int64_t other, float rate) const {
    const Place<width> apart = x - at(other);
    x += rate * shortened<width>(apart * (-2.0f / (1.0f + squared_length<width>(apart))));
  }

  // From the same place, all at once: none waits for another.
  void push(Place<width>& x, float rate, std::uint64_t node, std::uint32_t epoch, std::uint32_t turn) const {
    const RandomBlock drawn = random_.block(node, (static_cast<std::uint64_t>(epoch) << 32) | turn);
    Place<width> step = {};
    for (int s = 0; s < pushes_per_pull; ++s) {
      const Place<width> apart = x - at(static_cast<std::int64_t>((static_cast<std::uint64_t>(drawn[s]) * n_) >> 32));
      const float squared = squared_length<width>(apart);
      step += shortened<width>(apart * (2.0f / ((least_gap + squared) * (1.0f + squared))));
    }
    x += rate * step;
  }

 private:
  const float* others_;
  std::uint64_t n_;
  CounterRandom random_;
};

// When each edge pulls: the heaviest in every epoch, one of half its weight in every other; the first time at random.
class Turns {
 public:
  Turns(const WeightedGraph& graph, const LayoutSchedule& schedule) : period_(graph.starts[graph.n]), next_(period_.size()) {
    const std::int64_t n_edges = graph.starts[graph.n];
    const float heaviest = n_edges > 0 ? *std::max_element(graph.weights, graph.weights + n_edges) : 0.0f;
    const CounterRandom random(schedule.seed ^ 0x5bd1e995u);
    for (std::int64_t e = 0; e < n_edges; ++e) {
      const float share = heaviest > 0 ? graph.weights[e] / heaviest : 0.0f;
      const bool is_ever = share * static_cast<float>(schedule.n_epochs) >= 1.0f;
      period_[e] = is_ever ? 1.0f / share : static_cast<float>(schedule.n_epochs);
      next_[e] = is_ever ? static_cast<float>(random.uniform(1, static_cast<std::uint64_t>(e))) * period_[e] : period_[e];
    }
  }

  bool is_turn(std::int64_t edge, float epoch) {
    if (next_[edge] >= epoch + 1.0f) return false;
    next_[edge] += period_[edge];
    return true;
  }

 private:
  std::vector<float> period_, next_;
};

float rate_of(const LayoutSchedule& schedule, std::int64_t epoch) {
  return static_cast<float>(schedule.rate * (1.0 - static_cast<double>(epoch) / static_cast<double>(schedule.n_epochs)));
}

template <int width>
Place<width> moved(const WeightedGraph& graph, const Mover<width>& mover, Turns& turns, Place<width> x, std::int64_t node,
                   std::int64_t epoch, float rate) {
  std::uint32_t n_pulls = 0;
  for (std::int64_t e = graph.starts[node]; e < graph.starts[node + 1]; ++e)
    if (turns.is_turn(e, static_cast<float>(epoch))) {
      mover.pull(x, graph.ends[e], rate);
      mover.push(x, rate, static_cast<std::uint64_t>(node), static_cast<std::uint32_t>(epoch), n_pulls++);
    }
  return x;
}

template <int width>
void store_place(float* to, Place<width> x) {
  *reinterpret_cast<typename PlaceTypes<width>::unaligned*>(to) = x;
}

template <int width>
void lay_out_all(const WeightedGraph& graph, const LayoutSchedule& schedule, float* places, int threads) {
  Turns turns(graph, schedule);
  std::vector<float> other(places, places + graph.n * width);
  float *from = places, *to = other.data();
  for (std::int64_t epoch = 0; epoch < schedule.n_epochs; ++epoch) {
    const Mover<width> mover(from, graph.n, schedule.seed);
    parallel_for(block_count(graph.n, nodes_per_task), threads, [&](std::int64_t task, int) {
      const Range range = block_range(graph.n, nodes_per_task, task);
      for (std::int64_t i = range.begin; i < range.end; ++i)
        store_place<width>(to + i * width, moved<width>(graph, mover, turns, mover.at(i), i, epoch, rate_of(schedule, epoch)));
    });
    std::swap(from, to);
  }
  if (from != places) std::copy(from, from + graph.n * width, places);
}

template <int width>
void lay_out_among(const WeightedGraph& graph, const float* placed, std::int64_t n_placed, const LayoutSchedule& schedule,
                   float* places, int threads) {
  Turns turns(graph, schedule);
  const Mover<width> mover(placed, n_placed, schedule.seed);
  parallel_for(block_count(graph.n, nodes_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(graph.n, nodes_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      Place<width> x = load_place<width>(places + i * width);
      for (std::int64_t epoch = 0; epoch < schedule.n_epochs; ++epoch)
        x = moved<width>(graph, mover, turns, x, i, epoch, rate_of(schedule, epoch));
      store_place<width>(places + i * width, x);
    }
    check_interrupt();
  });
}

}  // namespace

void lay_out(const WeightedGraph& graph, const LayoutSchedule& schedule, int width, float* places, int threads) {
  (width == wide_layout ? lay_out_all<wide_layout> : lay_out_all<narrow_layout>)(graph, schedule, places, threads);
}

void lay_out_new(const WeightedGraph& graph, const float* placed, std::int64_t n_placed, const LayoutSchedule& schedule, int width,
                 float* places, int threads) {
  (width == wide_layout ? lay_out_among<wide_layout> : lay_out_among<narrow_layout>)(graph, placed, n_placed, schedule, places,
                                                                                     threads);
}

}  // namespace coterie
