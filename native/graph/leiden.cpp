#include "graph/leiden.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "support/parallel.h"
#include "support/random.h"

namespace coterie {
namespace {

constexpr std::int64_t visits_between_polls = 4096;
constexpr double least_gain = 1e-12;  // of a move, as a share of what it compares: less is rounding, and could go round in circles
constexpr std::uint64_t streams_per_level = 4;
constexpr double inverse[] = {0,       1.0,     1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6, 1.0 / 7,
                              1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14};

// exp(x) for x <= 0 by operations that every processor rounds alike; error below 1e-15, and 0 below 1e-17.
double exp_of_negative(double x) {
  if (x < -40) return 0;
  constexpr double high_of_ln2 = 0.693147180369123816490, low_of_ln2 = 1.90821492927058770002e-10;
  const double whole = std::floor(x * 1.4426950408889634 + 0.5);
  const double rest = (x - whole * high_of_ln2) - whole * low_of_ln2;
  double sum = 1;
  for (int i = 14; i > 0; --i) sum = 1 + sum * rest * inverse[i];
  return std::ldexp(sum, static_cast<int>(whole));
}

std::vector<std::int32_t> shuffled(std::int64_t n, const CounterRandom& random, std::uint64_t stream) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i)
    std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i + 1), stream, static_cast<std::uint64_t>(i))]);
  return order;
}

// Out and in mass of nodes or communities; where they are equal, one array is kept.
template <bool is_directed>
struct Masses {
  const double* out;
  const double* in;

  // Penalty of a node and a community together, beyond what each has alone.
  double between(std::int64_t v, const std::vector<double>& total_out, const std::vector<double>& total_in, std::int64_t c) const {
    if constexpr (is_directed) return out[v] * total_in[c] + in[v] * total_out[c];
    return 2 * out[v] * total_out[c];
  }
};

// Sums of weights from one node to the communities about it.
class WeightsTo {
 public:
  explicit WeightsTo(std::int64_t n) : weight_(static_cast<std::size_t>(n), 0), met_(static_cast<std::size_t>(n) + 1) {}

  void add(std::int32_t c, double weight) {
    const double before = weight_[c];
    met_[n_met_] = c;  // kept if it is the first time: no branch that nobody can foretell
    n_met_ += before == 0;
    weight_[c] = before + weight;
  }
  std::span<const std::int32_t> met() const { return {met_.data(), n_met_}; }
  double operator[](std::int32_t c) const { return weight_[c]; }
  void clear() {
    for (const std::int32_t c : met()) weight_[c] = 0;
    n_met_ = 0;
  }

 private:
  std::vector<double> weight_;
  std::vector<std::int32_t> met_;
  std::size_t n_met_ = 0;
};

// Local moving with a queue: nodes are visited in random order, later those whose neighbours have moved away.
template <bool is_directed>
class LocalMoving {
 public:
  LocalMoving(const CommunityGraph& graph, Membership& community)
      : graph_(graph),
        community_(community),
        masses_{graph.out.data(), graph.in.data()},
        n_(graph.size()),
        out_(graph.out.size(), 0),
        in_(graph.in.size(), 0),
        count_(graph.out.size(), 0),
        weights_to_(graph.size()) {
    for (std::int64_t v = 0; v < n_; ++v) enter(v, community[v]);
    for (std::int64_t c = n_ - 1; c >= 0; --c)
      if (count_[c] == 0) empty_.push_back(static_cast<std::int32_t>(c));
  }

  // Returns whether any node moved.
  bool run(std::vector<std::int32_t> order) {
    std::vector<std::int32_t> queue = std::move(order);
    std::vector<std::uint8_t> is_waiting(static_cast<std::size_t>(n_), 1);
    std::int64_t head = 0, n_waiting = n_, n_visits = 0;
    bool has_moved = false;
    const EdgePrefetch prefetch(graph_);
    while (n_waiting > 0) {
      if (++n_visits % visits_between_polls == 0) check_interrupt();
      prefetch.ahead(queue, head);
      const std::int32_t v = queue[head];
      head = head + 1 == n_ ? 0 : head + 1;
      --n_waiting;
      is_waiting[v] = 0;
      const std::int32_t best = best_for(v);
      if (best == community_[v]) continue;
      has_moved = true;
      move(v, best);
      for (std::int64_t e = graph_.starts[v]; e < graph_.starts[v + 1]; ++e) {
        const std::int32_t u = graph_.targets[e];
        if (is_waiting[u] || community_[u] == best) continue;
        is_waiting[u] = 1;
        std::int64_t tail = head + n_waiting++;
        if (tail >= n_) tail -= n_;
        queue[tail] = u;
      }
    }
    return has_moved;
  }

 private:
  // The community that gains most; the own one unless another is better, an empty one where it is best to be alone.
  std::int32_t best_for(std::int32_t v) {
    const std::int32_t own = community_[v];
    for (std::int64_t e = graph_.starts[v]; e < graph_.starts[v + 1]; ++e)
      weights_to_.add(community_[graph_.targets[e]], graph_.weights[e]);
    const double alone = is_directed ? 2 * graph_.out[v] * graph_.in[v] : 2 * graph_.out[v] * graph_.out[v];
    const double own_penalty = graph_.penalty * (masses_.between(v, out_, in_, own) - alone);
    double best_gain = weights_to_[own] - own_penalty;
    // rounding of the gains: sums are exact, products are not
    const double margin = least_gain * (weights_to_[own] + std::abs(own_penalty));
    std::int32_t best = own;
    best_gain += margin;
    for (const std::int32_t c : weights_to_.met()) {
      const double gain = weights_to_[c] - graph_.penalty * masses_.between(v, out_, in_, c);
      if (gain > best_gain && c != own) {
        best_gain = gain;
        best = c;
      }
    }
    weights_to_.clear();
    if (best_gain < 0 && count_[own] > 1) best = empty_.back();
    return best;
  }

  void enter(std::int64_t v, std::int32_t c) {
    out_[c] += graph_.out[v];
    if (is_directed) in_[c] += graph_.in[v];
    ++count_[c];
  }

  void move(std::int32_t v, std::int32_t to) {
    const std::int32_t from = community_[v];
    if (count_[to] == 0) empty_.pop_back();  // only the last empty one is ever offered
    out_[from] -= graph_.out[v];
    if (is_directed) in_[from] -= graph_.in[v];
    if (--count_[from] == 0) empty_.push_back(from);
    enter(v, to);
    community_[v] = to;
  }

  const CommunityGraph& graph_;
  Membership& community_;
  Masses<is_directed> masses_;
  std::int64_t n_;
  std::vector<double> out_, in_;
  std::vector<std::int32_t> count_, empty_;
  WeightsTo weights_to_;
};

// Refinement: within each community, single nodes join parts that they and the rest hold well together with, at random.
template <bool is_directed>
class Refinement {
 public:
  Refinement(const CommunityGraph& graph, const Membership& community, double temperature)
      : graph_(graph),
        community_(community),
        masses_{graph.out.data(), graph.in.data()},
        temperature_(temperature),
        part_(community.size()),
        is_single_(community.size(), 1),
        out_(graph.out),
        in_(graph.in),
        all_out_(graph.out.size(), 0),
        all_in_(graph.in.size(), 0),
        outward_(community.size(), 0),
        weights_to_(graph.size()) {
    std::iota(part_.begin(), part_.end(), 0);
    for (std::int64_t v = 0; v < graph.size(); ++v) {
      all_out_[community[v]] += graph.out[v];
      if (is_directed) all_in_[community[v]] += graph.in[v];
      for (std::int64_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
        if (community[graph.targets[e]] == community[v]) outward_[v] += graph.weights[e];
    }
  }

  Membership run(const std::vector<std::int32_t>& order, const CounterRandom& random, std::uint64_t stream) {
    const EdgePrefetch prefetch(graph_);
    const auto n = static_cast<std::int64_t>(order.size());
    for (std::int64_t at = 0; at < n; ++at) {
      if (at % visits_between_polls == 0) check_interrupt();
      prefetch.ahead(order, at);
      const std::int32_t v = order[at];
      if (is_single_[v] && is_well_connected(v, v)) join(v, random, stream);
    }
    return std::move(part_);
  }

 private:
  // Whether a part is tied to the rest of its community at least as much as expected.
  bool is_well_connected(std::int32_t part, std::int32_t member) const {
    const std::int32_t all = community_[member];
    if constexpr (is_directed)
      return outward_[part] >= graph_.penalty * (out_[part] * (all_in_[all] - in_[part]) + in_[part] * (all_out_[all] - out_[part]));
    return outward_[part] >= graph_.penalty * 2 * out_[part] * (all_out_[all] - out_[part]);
  }

  void join(std::int32_t v, const CounterRandom& random, std::uint64_t stream) {
    for (std::int64_t e = graph_.starts[v]; e < graph_.starts[v + 1]; ++e) {
      const std::int32_t u = graph_.targets[e];
      if (community_[u] == community_[v]) weights_to_.add(part_[u], graph_.weights[e]);
    }
    gains_.clear();
    double best = 0;
    for (const std::int32_t part : weights_to_.met()) {
      if (!is_well_connected(part, v)) continue;
      const double gain = weights_to_[part] - graph_.penalty * masses_.between(v, out_, in_, part);
      if (gain >= 0) gains_.push_back({part, gain});
      best = std::max(best, gain);
    }
    const std::int32_t chosen = choose(v, best, random, stream);
    if (chosen != v) {
      outward_[chosen] += outward_[v] - 2 * weights_to_[chosen];
      out_[chosen] += graph_.out[v];
      if (is_directed) in_[chosen] += graph_.in[v];
      part_[v] = chosen;
      is_single_[chosen] = 0;
    }
    weights_to_.clear();
  }

  // A part with probability in proportion to exp(gain / temperature); to stay alone gains 0.
  std::int32_t choose(std::int32_t v, double best, const CounterRandom& random, std::uint64_t stream) {
    if (gains_.empty()) return v;
    double sum = exp_of_negative(-best / temperature_);
    for (Gain& each : gains_) {
      sum += exp_of_negative((each.gain - best) / temperature_);
      each.gain = sum;
    }
    const double drawn = random.uniform(stream, static_cast<std::uint64_t>(v)) * sum;
    if (drawn < exp_of_negative(-best / temperature_)) return v;
    for (const Gain& each : gains_)
      if (drawn < each.gain) return each.part;
    return gains_.back().part;
  }

  struct Gain {
    std::int32_t part;
    double gain;  // then the sum of all shares up to this one
  };

  const CommunityGraph& graph_;
  const Membership& community_;
  Masses<is_directed> masses_;
  double temperature_;
  Membership part_;  // named by one of its nodes
  std::vector<std::uint8_t> is_single_;
  std::vector<double> out_, in_, all_out_, all_in_;
  std::vector<double> outward_;  // weight of a part to the rest of its community
  WeightsTo weights_to_;
  std::vector<Gain> gains_;
};

Membership composed(const Membership& inner, const Membership& outer) {
  Membership result(inner.size());
  for (std::size_t v = 0; v < inner.size(); ++v) result[v] = outer[static_cast<std::size_t>(inner[v])];
  return result;
}

// One pass from single nodes to communities, which begins with moves within `community` and leaves its result there.
template <bool is_directed>
bool iterate(const CommunityGraph& base, Membership& community, double temperature, const CounterRandom& random, std::uint64_t stream,
             LeidenLevels& found) {
  found.levels.clear();
  found.quality.clear();
  CommunityGraph merged;
  const CommunityGraph* graph = &base;
  Membership at_level = community, node_of;  // of nodes of this level; and the node of this level that each first one is in
  bool has_moved = false;
  for (;; stream += streams_per_level) {
    has_moved |= LocalMoving<is_directed>(*graph, at_level).run(shuffled(graph->size(), random, stream));
    const std::int64_t n_communities = renumber(at_level);
    if (n_communities == graph->size()) break;
    Membership part =
        Refinement<is_directed>(*graph, at_level, temperature).run(shuffled(graph->size(), random, stream + 1), random, stream + 2);
    const std::int64_t n_parts = renumber(part);
    if (n_parts == graph->size()) break;
    Membership of_parts(static_cast<std::size_t>(n_parts));
    for (std::size_t v = 0; v < part.size(); ++v) of_parts[static_cast<std::size_t>(part[v])] = at_level[v];
    merged = aggregate(*graph, part, n_parts);
    graph = &merged;
    at_level.swap(of_parts);
    node_of = node_of.empty() ? std::move(part) : composed(node_of, part);
    found.levels.push_back(node_of);
    found.quality.push_back(quality_of_singles(merged));
  }
  Membership last = node_of.empty() ? at_level : composed(node_of, at_level);
  split_parts(base, last);
  const std::int64_t n_last = renumber(last);
  if (found.levels.empty() || found.levels.back() != last) {
    found.levels.push_back(last);
    found.quality.push_back(quality_of(base, last, n_last));
  }
  community = std::move(last);
  return has_moved;
}

template <bool is_directed>
LeidenLevels run(const CommunityGraph& graph, const LeidenOptions& options) {
  LeidenLevels found;
  Membership community(static_cast<std::size_t>(graph.size()));
  std::iota(community.begin(), community.end(), 0);
  const CounterRandom random(options.seed);
  const double total = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
  const double mean = graph.weights.empty() ? 1.0 : total / static_cast<double>(graph.weights.size());
  while (!found.is_settled && (options.n_iterations < 1 || found.n_iterations < options.n_iterations)) {
    const auto stream = static_cast<std::uint64_t>(found.n_iterations) << 20;
    const bool has_moved = iterate<is_directed>(graph, community, options.theta * mean, random, stream, found);
    ++found.n_iterations;
    found.is_settled = !has_moved;
  }
  return found;
}

}  // namespace

LeidenLevels leiden(const CommunityGraph& graph, const LeidenOptions& options) {
  return graph.in.empty() ? run<false>(graph, options) : run<true>(graph, options);
}

}  // namespace coterie
