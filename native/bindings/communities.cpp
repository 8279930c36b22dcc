#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "graph/configuration.h"
#include "graph/leiden.h"

namespace coterie {
namespace {

template <class T>
std::vector<T> values_of(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

// Neighbours within the nodes, none its own; weights above 0; a mass per node.
CommunityGraph checked_community_graph(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& targets,
                                       const Vector<double>& weights, const Vector<double>& loops, const Vector<double>& out,
                                       const std::optional<Vector<double>>& in, double penalty) {
  const auto n = static_cast<std::int64_t>(loops.shape(0));
  check_starts("starts", starts, targets.shape(0));
  check_size("starts", starts.shape(0), n + 1);
  check_size("weights", weights.shape(0), static_cast<std::int64_t>(targets.shape(0)));
  check_size("out", out.shape(0), n);
  check_optional_size("in", in, n);
  check_indices("targets", targets, n);
  for (std::int64_t v = 0; v < n; ++v)
    for (std::int64_t e = starts.data()[v]; e < starts.data()[v + 1]; ++e)
      check_that(targets.data()[e] != v && weights.data()[e] > 0, "neighbours must be other nodes, with weights above 0.");
  return {values_of(starts),
          values_of(targets),
          values_of(weights),
          values_of(loops),
          values_of(out),
          in ? values_of(*in) : std::vector<double>{},
          penalty};
}

auto bind_leiden(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& targets, const Vector<double>& weights,
                 const Vector<double>& loops, const Vector<double>& out, const std::optional<Vector<double>>& in, double penalty,
                 double theta, std::int64_t n_iterations, std::uint64_t seed) {
  const CommunityGraph graph = checked_community_graph(starts, targets, weights, loops, out, in, penalty);
  check_that(theta > 0, "theta must be above 0.");
  LeidenLevels found;
  without_gil([&] { found = leiden(graph, {theta, n_iterations, seed}); });
  auto levels = new_matrix<std::int32_t>(static_cast<std::int64_t>(found.levels.size()), graph.size());
  for (std::size_t level = 0; level < found.levels.size(); ++level)
    std::copy(found.levels[level].begin(), found.levels[level].end(), levels.data() + level * graph.loops.size());
  return std::make_tuple(levels, copied(found.quality), found.n_iterations, found.is_settled);
}

auto bind_exchange_edges(const Vector<std::int32_t>& sources, const Vector<std::int32_t>& targets, bool is_directed,
                         std::int64_t exchanges_per_edge, std::uint64_t seed) {
  const auto n_edges = static_cast<std::int64_t>(sources.shape(0));
  check_size("targets", targets.shape(0), n_edges);
  check_indices("sources", sources, std::numeric_limits<std::int32_t>::max());
  check_indices("targets", targets, std::numeric_limits<std::int32_t>::max());
  auto first = copied(values_of(sources)), second = copied(values_of(targets));
  without_gil([&] { exchange_edges(first.data(), second.data(), n_edges, is_directed, exchanges_per_edge, seed); });
  return std::make_tuple(first, second);
}

}  // namespace

void bind_communities(nb::module_& module) {
  module.def("leiden", &bind_leiden, "starts"_a, "targets"_a, "weights"_a, "loops"_a, "out"_a, "in_"_a.none(), "penalty"_a, "theta"_a,
             "n_iterations"_a, "seed"_a,
             "Communities of each level from fine to coarse, their qualities, iterations made, and whether the last changed nothing.");
  module.def("exchange_edges", &bind_exchange_edges, "sources"_a, "targets"_a, "is_directed"_a, "exchanges_per_edge"_a, "seed"_a,
             "Sources and targets of a random graph of the same degrees.");
}

}  // namespace coterie
