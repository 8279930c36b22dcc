#include "layout/layout.h"

#include <nanobind/stl/tuple.h>

#include <cmath>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "graph/community_tree.h"

namespace coterie {
namespace {

using Places = Matrix<float>;

WeightedGraph checked_graph(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& ends, const Vector<float>& weights,
                            std::int64_t n_rows, std::int64_t n_ends) {
  check_size("starts", starts.shape(0), n_rows + 1);
  check_starts("starts", starts, ends.shape(0));
  check_size("weights", weights.shape(0), static_cast<std::int64_t>(ends.shape(0)));
  check_indices("ends", ends, n_ends);
  for (std::size_t e = 0; e < weights.shape(0); ++e)
    check_that(weights.data()[e] >= 0 && weights.data()[e] <= 1, "weights must be from 0 to 1.");
  return {n_rows, starts.data(), ends.data(), weights.data()};
}

void check_places(const char* name, const Places& places) {
  const std::size_t width = places.shape(1);
  check_that(width == narrow_layout || width == wide_layout, std::string(name) + " must have 4 or 8 columns.");
  for (std::size_t i = 0; i < places.size(); ++i) check_that(std::isfinite(places.data()[i]), std::string(name) + " must be finite.");
}

LayoutSchedule checked_schedule(std::int64_t n_epochs, double rate, std::uint64_t seed) {
  check_that(n_epochs >= 0 && n_epochs <= 1'000'000, "n_epochs must be from 0 to a million.");
  check_that(rate >= 0 && rate <= 100, "rate must be from 0 to 100.");
  return {n_epochs, rate, seed};
}

NewMatrix<float> copy_of(const Places& places) {
  auto result = new_matrix<float>(view(places).rows, view(places).cols);
  std::copy(places.data(), places.data() + places.size(), result.data());
  return result;
}

auto bind_lay_out(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& ends, const Vector<float>& weights,
                  const Places& start, std::int64_t n_epochs, double rate, std::uint64_t seed, int threads) {
  check_places("start", start);
  const std::int64_t n = view(start).rows;
  const WeightedGraph graph = checked_graph(starts, ends, weights, n, n);
  const LayoutSchedule schedule = checked_schedule(n_epochs, rate, seed);
  auto places = copy_of(start);
  without_gil([&] { lay_out(graph, schedule, static_cast<int>(start.shape(1)), places.data(), threads); });
  return places;
}

auto bind_lay_out_new(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& ends, const Vector<float>& weights,
                      const Places& placed, const Places& start, std::int64_t n_epochs, double rate, std::uint64_t seed, int threads) {
  check_places("start", start);
  check_places("placed", placed);
  check_columns("placed", placed, view(start).cols);
  check_that(placed.shape(0) > 0, "placed must have a row.");
  const WeightedGraph graph = checked_graph(starts, ends, weights, view(start).rows, view(placed).rows);
  const LayoutSchedule schedule = checked_schedule(n_epochs, rate, seed);
  auto places = copy_of(start);
  without_gil([&] {
    lay_out_new(graph, placed.data(), view(placed).rows, schedule, static_cast<int>(start.shape(1)), places.data(), threads);
  });
  return places;
}

auto bind_merge_by_ties(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& ends, const Vector<double>& weights,
                        const Vector<double>& masses) {
  const auto n = static_cast<std::int64_t>(masses.shape(0));
  check_size("starts", starts.shape(0), n + 1);
  check_starts("starts", starts, ends.shape(0));
  check_size("weights", weights.shape(0), static_cast<std::int64_t>(ends.shape(0)));
  check_indices("ends", ends, n);
  for (std::size_t e = 0; e < weights.shape(0); ++e)
    check_that(weights.data()[e] > 0 && std::isfinite(weights.data()[e]), "weights must be positive and finite.");
  for (std::size_t i = 0; i < masses.shape(0); ++i)
    check_that(masses.data()[i] > 0 && std::isfinite(masses.data()[i]), "masses must be positive and finite.");
  TieTree tree;
  without_gil([&] { tree = merge_by_ties({n, starts.data(), ends.data(), weights.data(), masses.data()}); });
  auto edges = new_matrix<std::int64_t>(static_cast<std::int64_t>(tree.ties.size()), 2);
  std::copy(tree.ends.begin(), tree.ends.end(), edges.data());
  return std::make_tuple(edges, copied(tree.ties));
}

}  // namespace

void bind_layout(nb::module_& module) {
  module.def("lay_out", &bind_lay_out, "starts"_a, "ends"_a, "weights"_a, "start"_a, "n_epochs"_a, "rate"_a, "seed"_a,
             "n_threads"_a = 0, "Places of the nodes of a symmetric graph, from a start of 4 or 8 columns.");
  module.def("lay_out_new", &bind_lay_out_new, "starts"_a, "ends"_a, "weights"_a, "placed"_a, "start"_a, "n_epochs"_a, "rate"_a,
             "seed"_a, "n_threads"_a = 0, "Places of new nodes with edges to placed ones, which stay.");
  module.def("merge_by_ties", &bind_merge_by_ties, "starts"_a, "ends"_a, "weights"_a, "masses"_a,
             "Edges of the tree by which communities merge, and their ties, falling.");
}

}  // namespace coterie
