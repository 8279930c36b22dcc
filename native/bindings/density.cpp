#include "bindings/bindings.h"
#include "bindings/checks.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "density/dbscan.h"
#include "density/hierarchy.h"
#include "density/optics.h"
#include "density/prim_tree.h"

namespace coterie {
namespace {

template <class T>
auto bind_dbscan(const KDTree<T>& tree, double radius, double least_weight, const std::optional<Vector<double>>& weight, int threads) {
  const std::int64_t n = tree.view().n_points;
  if (weight && static_cast<std::int64_t>(weight->shape(0)) != n)
    throw nb::value_error("weight of dbscan must have one entry per row.");
  auto is_core = new_vector<std::uint8_t>(n);
  auto labels = new_vector<std::int64_t>(n);
  const DbscanQuestion question{radius, least_weight, data_or_null(weight)};
  without_gil([&] { dbscan<T>(tree, question, is_core.data(), labels.data(), threads); });
  return std::make_pair(is_core, labels);
}

template <class T>
NewVector<T> as_array(const std::vector<T>& values) {
  auto array = new_vector<T>(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

auto as_arrays(const GrownTree& tree) {
  auto edges = new_matrix<std::int64_t>(static_cast<std::int64_t>(tree.distance.size()), 2);
  std::copy(tree.ends.begin(), tree.ends.end(), edges.data());
  return std::make_pair(edges, as_array(tree.distance));
}

auto bind_grow_of_matrix(const Matrix<double>& D, const Vector<double>& core, double alpha) {
  check_that(D.shape(0) == D.shape(1), "D must be square.");
  check_size("core", core.shape(0), view(D).rows);
  GrownTree tree;
  const auto row_of = [&](std::int64_t i) { return D.data() + i * view(D).cols; };
  without_gil([&] { tree = grow_from_first_row(view(D).rows, row_of, core.data(), alpha); });
  return as_arrays(tree);
}

auto bind_regrow_of_tree(const KDTree<double>& tree, std::int64_t min_samples, double alpha, double core_divisor, int threads,
                         const std::optional<Vector<double>>& core) {
  check_optional_size("core", core, tree.view().n_points);
  TreeReachability found;
  without_gil([&] { found = regrow_from_first_row(tree, {min_samples, core_divisor, data_or_null(core)}, alpha, threads); });
  return std::make_tuple(as_arrays(found.grown.tree), as_array(found.core), found.grown.is_certain);
}

auto bind_grow_of_tree(const KDTree<double>& tree, const Vector<double>& core, double alpha, const Matrix<std::int64_t>& edges,
                       const Vector<double>& distance) {
  const auto n = static_cast<std::int64_t>(distance.shape(0));
  check_size("core", core.shape(0), tree.view().n_points);
  check_size("distance", distance.shape(0), tree.view().n_points - 1);
  check_size("edges", edges.shape(0), n);
  check_edges("edges", edges, n + 1);
  const GrownTree known{{edges.data(), edges.data() + 2 * n}, {distance.data(), distance.data() + n}};
  GrownTree grown;
  without_gil([&] { grown = grow_from_first_row(tree, core.data(), alpha, known); });
  return as_arrays(grown);
}

auto bind_regrow(const Matrix<std::int64_t>& near, const Matrix<double>& near_distance, const Vector<double>& core, double alpha,
                 const Matrix<std::int64_t>& edges, const Vector<double>& distance, int threads) {
  const std::int64_t n = view(near).rows;
  check_indices("near", near.data(), near.size(), n);
  check_size("near_distance", near_distance.size(), static_cast<std::int64_t>(near.size()));
  check_size("core", core.shape(0), n);
  check_size("distance", distance.shape(0), n - 1);
  check_size("edges", edges.shape(0), n - 1);
  check_edges("edges", edges, n);
  Regrown grown;
  const NearLists lists{near.data(), near_distance.data(), view(near).cols};
  const KnownTree known{edges.data(), distance.data()};
  without_gil([&] { grown = regrow_from_first_row(n, nullptr, core.data(), alpha, lists, known, threads); });
  return std::make_tuple(as_arrays(grown.tree), grown.is_certain);
}

using Ids = Vector<std::int64_t>;

template <class Size>
auto merged(const Matrix<std::int64_t>& ends, const double* weight) {
  check_edges("edges", ends, view(ends).rows + 1);
  MergeTree<Size> tree;
  without_gil([&] { tree = merge_components<Size>(ends.data(), view(ends).rows, weight); });
  return std::make_tuple(as_array(tree.left), as_array(tree.right), as_array(tree.size));
}

auto bind_merge_components(const Matrix<std::int64_t>& ends) { return merged<std::int64_t>(ends, nullptr); }

auto bind_merge_weights(const Matrix<std::int64_t>& ends, const Vector<double>& weight) {
  check_size("weight", weight.shape(0), view(ends).rows + 1);
  return merged<double>(ends, weight.data());
}

template <class Size>
auto condensed(const Ids& left, const Ids& right, const Vector<double>& distance, const Vector<Size>& size, std::int64_t least,
               const Copies& copies) {
  CondensedRows<Size> rows;
  const auto n = static_cast<std::int64_t>(left.shape(0));
  check_merges(left, right);
  check_size("distance", distance.shape(0), n);
  check_size("size", size.shape(0), n);
  without_gil([&] { rows = condense<Size>({left.data(), right.data(), distance.data(), size.data(), n}, least, copies); });
  return std::make_tuple(as_array(rows.parent), as_array(rows.child), as_array(rows.density), as_array(rows.size));
}

auto bind_condense(const Ids& left, const Ids& right, const Vector<double>& distance, const Ids& size, std::int64_t least) {
  return condensed<std::int64_t>(left, right, distance, size, least, {});
}

auto bind_condense_weights(const Ids& left, const Ids& right, const Vector<double>& distance, const Vector<double>& size,
                           std::int64_t least, const Vector<double>& weight, const Vector<double>& core) {
  check_size("weight", weight.shape(0), static_cast<std::int64_t>(left.shape(0)) + 1);
  check_size("core", core.shape(0), static_cast<std::int64_t>(left.shape(0)) + 1);
  return condensed<double>(left, right, distance, size, least, {weight.data(), core.data()});
}

auto bind_cut_below(const Ids& left, const Ids& right, const Vector<double>& distance, double cut, std::int64_t least,
                    const std::optional<Vector<double>>& weight, const std::optional<Vector<double>>& core) {
  const auto n = static_cast<std::int64_t>(left.shape(0));
  check_merges(left, right);
  check_size("distance", distance.shape(0), n);
  check_optional_size("weight", weight, n + 1);
  check_optional_size("core", core, n + 1);
  check_that(!weight || core, "weight must come with core.");
  const Copies copies{data_or_null(weight), data_or_null(core)};
  return as_array(cut_below(left.data(), right.data(), distance.data(), n, cut, least, copies));
}

// Runs a walk of OPTICS; `walk` gets the question and where to write.
template <class Walk>
auto walked(const Vector<double>& core, double radius, Walk&& walk) {
  const auto n = static_cast<std::int64_t>(core.shape(0));
  auto ordering = new_vector<std::int64_t>(n), predecessor = new_vector<std::int64_t>(n);
  auto reachability = new_vector<double>(n);
  walk(OpticsQuestion{core.data(), radius}, OpticsOutput{ordering.data(), reachability.data(), predecessor.data()});
  return std::make_tuple(ordering, reachability, predecessor);
}

auto bind_optics_of_tree(const KDTree<double>& tree, double factor, const Vector<double>& core, double radius) {
  check_size("core", core.shape(0), tree.view().n_points);
  return walked(core, radius, [&](const OpticsQuestion& question, const OpticsOutput& out) {
    without_gil([&] { optics_of_tree(tree, factor, question, out); });
  });
}

auto bind_optics_of_graph(const Vector<double>& values, const Vector<std::int32_t>& columns, const Ids& row_starts,
                          const Vector<double>& core, double radius) {
  const auto n = static_cast<std::int64_t>(core.shape(0));
  check_size("row_starts", row_starts.shape(0), n + 1);
  const auto graph = checked_sparse_view(values, columns, row_starts, n);
  return walked(core, radius, [&](const OpticsQuestion& question, const OpticsOutput& out) {
    without_gil([&] { optics_of_graph(graph, question, out); });
  });
}

auto bind_optics_of_rows(const nb::callable& distances_from, const Vector<double>& core, double radius) {
  Vector<double> row;
  const auto ask = [&](std::int64_t i) {
    row = nb::cast<Vector<double>>(distances_from(i));
    check_size("distances_from", row.shape(0), static_cast<std::int64_t>(core.shape(0)));
    return row.data();
  };
  return walked(core, radius, [&](const OpticsQuestion& question, const OpticsOutput& out) {
    optics_of_rows(static_cast<std::int64_t>(core.shape(0)), ask, question, out);
  });
}

template <class T>
void bind_density_for(nb::module_& module) {
  module.def("dbscan", &bind_dbscan<T>, "tree"_a, "radius"_a, "least_weight"_a, "weight"_a.none() = nb::none(), "n_threads"_a = 0,
             "Whether each row is a core point (0 or 1), and the labels of DBSCAN, noise -1.");
  module.def("share_within", &share_within<T>, "tree"_a, "radius"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Share of the leaves of a tree that lie within the radius of a leaf, from a sample.");
}

}  // namespace

void bind_density(nb::module_& module) {
  module.def("grow_of_matrix", &bind_grow_of_matrix, "D"_a, "core"_a, "alpha"_a,
             "Edges and distances of the spanning tree of mutual reachability, in the order of Prim's algorithm.");
  module.def("regrow", &bind_regrow, "near"_a, "near_distance"_a, "core"_a, "alpha"_a, "edges"_a, "distance"_a, "n_threads"_a = 0,
             "As grow_of_matrix, from the nearest other rows and any spanning tree; and whether no ties of distances can have "
             "changed it.");
  module.def("regrow_of_tree", &bind_regrow_of_tree, "tree"_a, "min_samples"_a, "alpha"_a, "core_divisor"_a, "n_threads"_a = 0,
             "core"_a.none() = nb::none(), "As regrow for the points of a kd-tree, and their core distances, unless they are given.");
  module.def("grow_of_tree", &bind_grow_of_tree, "tree"_a, "core"_a, "alpha"_a, "edges"_a, "distance"_a,
             "As regrow_of_tree with all ties decided; edges and distance are what it found.");
  module.def("merge_components", &bind_merge_components, "edges"_a,
             "Left, right and size of the merges along the edges of a spanning tree, sorted by distance.");
  module.def("merge_components", &bind_merge_weights, "edges"_a, "weight"_a, "The same with sizes as sums of weights.");
  module.def("condense", &bind_condense, "left"_a, "right"_a, "distance"_a, "size"_a, "min_cluster_size"_a,
             "Parent, child, density and size: the tree of clusters of at least min_cluster_size rows.");
  module.def("condense", &bind_condense_weights, "left"_a, "right"_a, "distance"_a, "size"_a, "min_cluster_size"_a, "weight"_a,
             "core"_a, "The same where a row of weight w stands for w rows that reach each other at its core distance.");
  module.def("cut_below", &bind_cut_below, "left"_a, "right"_a, "distance"_a, "cut"_a, "min_cluster_size"_a,
             "weight"_a.none() = nb::none(), "core"_a.none() = nb::none(),
             "Labels of the components of merges below the cut; small ones are -1. Weights come with core distances.");
  module.def("optics_of_tree", &bind_optics_of_tree, "tree"_a, "factor"_a, "core"_a, "radius"_a,
             "Ordering, reachability and predecessors of OPTICS; distances are those of the tree times the factor.");
  module.def("optics_of_graph", &bind_optics_of_graph, "values"_a, "columns"_a, "row_starts"_a, "core"_a, "radius"_a,
             "Ordering, reachability and predecessors of OPTICS from a CSR matrix of distances.");
  module.def("optics_of_rows", &bind_optics_of_rows, "distances_from"_a, "core"_a, "radius"_a,
             "Ordering, reachability and predecessors of OPTICS; distances_from(i) gives those from row i to all.");
  bind_density_for<float>(module);
  bind_density_for<double>(module);
}

}  // namespace coterie
