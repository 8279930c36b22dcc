#include "bindings/bindings.h"
#include "bindings/checks.h"

#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "trees/spanning_lists.h"
#include "trees/spanning_tree.h"
#include "trees/union_find.h"

namespace coterie {
namespace {

template <class T>
using Core = std::optional<Vector<T>>;

template <class T>
Reachability<T> checked_reach(const Core<T>& core, double alpha, std::int64_t n_rows) {
  if (core && static_cast<std::int64_t>(core->shape(0)) != n_rows)
    throw std::invalid_argument("core of spanning_tree must have one entry per row, " + std::to_string(n_rows) + ", got " +
                                std::to_string(core->shape(0)) + ".");
  if (!(alpha > 0)) throw std::invalid_argument("alpha of spanning_tree must be above 0, got " + std::to_string(alpha) + ".");
  return {data_or_null(core), alpha};
}

// (n - 1) x 2 rows and n - 1 distances.
template <class T>
auto spanning_arrays(const SpanningEdges<T>& edges) {
  const auto n = static_cast<std::int64_t>(edges.size());
  auto ends = new_matrix<std::int64_t>(n, 2);
  auto distances = new_vector<T>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    ends.data()[2 * i] = edges[i].lower;
    ends.data()[2 * i + 1] = edges[i].higher;
    distances.data()[i] = edges[i].distance;
  }
  return std::make_tuple(ends, distances);
}

template <class T>
auto by_tiles(const Matrix<T>& X, const Metric& metric, const Core<T>& core, double alpha, int threads) {
  const Reachability<T> reach = checked_reach<T>(core, alpha, view(X).rows);
  SpanningEdges<T> edges;
  without_gil([&] { edges = spanning_tree<T>(view(X), metric, reach, threads); });
  return spanning_arrays(edges);
}

template <class T>
auto by_matrix(const Matrix<T>& D, const Core<T>& core, double alpha) {
  if (D.shape(0) != D.shape(1)) throw std::invalid_argument("D of spanning_tree_of_matrix must be square.");
  const Reachability<T> reach = checked_reach<T>(core, alpha, view(D).rows);
  SpanningEdges<T> edges;
  without_gil([&] { edges = spanning_tree<T>(view(D), reach); });
  return spanning_arrays(edges);
}

template <class T>
auto by_tree(const KDTree<T>& tree, const Core<T>& core, double alpha, int threads) {
  const Reachability<T> reach = checked_reach<T>(core, alpha, tree.view().n_points);
  SpanningEdges<T> edges;
  without_gil([&] { edges = spanning_tree<T>(tree, reach, threads); });
  return spanning_arrays(edges);
}

template <class T>
auto by_neighbours(const KDTree<T>& tree, const Matrix<std::int64_t>& index, const Matrix<T>& distance, const Core<T>& core,
                   double alpha, int threads) {
  const std::int64_t n = tree.view().n_points, k = view(index).cols;
  const Reachability<T> reach = checked_reach<T>(core, alpha, n);
  check_size("index", view(index).rows, n);
  check_size("distance", view(distance).rows, n);
  check_size("distance", view(distance).cols, k);
  check_indices("index", index.data(), index.size(), n);
  SpanningEdges<T> edges;
  without_gil([&] { edges = spanning_tree<T>(tree, reach, nearest_positions(tree, index.data(), distance.data(), k), threads); });
  return spanning_arrays(edges);
}

// Marks the edges, taken in their order, that join what no edge before them joined.
auto joining_edges(const Matrix<std::int64_t>& ends, std::int64_t n_rows) {
  check_edges("edges", ends, n_rows);
  const std::int64_t n = view(ends).rows;
  auto joins = new_vector<std::uint8_t>(n);
  without_gil([&] {
    UnionFind sets(n_rows);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t* edge = ends.data() + 2 * i;
      joins.data()[i] = sets.unite(static_cast<std::int32_t>(edge[0]), static_cast<std::int32_t>(edge[1]));
    }
  });
  return joins;
}

template <class T>
void bind_spanning_for(nb::module_& module) {
  module.def("spanning_tree", &by_tiles<T>, "X"_a.noconvert(), "metric"_a, "core"_a.none() = nb::none(), "alpha"_a = 1.0,
             "n_threads"_a = 0,
             "Edges (lower row, higher row) and distances of the minimum spanning tree, by (distance, lower, higher); with core, "
             "of max(core[i], core[j], distance / alpha).");
  module.def("spanning_tree_of_matrix", &by_matrix<T>, "D"_a.noconvert(), "core"_a.none() = nb::none(), "alpha"_a = 1.0,
             "As spanning_tree, for a matrix of distances.");
  module.def("spanning_tree_of_tree", &by_tree<T>, "tree"_a, "core"_a.none() = nb::none(), "alpha"_a = 1.0, "n_threads"_a = 0,
             "As spanning_tree, over a kd-tree.");
  module.def("spanning_tree_of_neighbours", &by_neighbours<T>, "tree"_a, "index"_a.noconvert(), "distance"_a.noconvert(),
             "core"_a.none() = nb::none(), "alpha"_a = 1.0, "n_threads"_a = 0,
             "As spanning_tree, over a kd-tree of which the nearest others of every row are known, nearest first.");
}

}  // namespace

void bind_spanning(nb::module_& module) {
  module.def("joining_edges", &joining_edges, "edges"_a, "n_rows"_a,
             "Which edges, taken in their order, join what no edge before them joined: 1 or 0.");
  bind_spanning_for<float>(module);
  bind_spanning_for<double>(module);
}

}  // namespace coterie
