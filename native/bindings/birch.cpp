#include "bindings/bindings.h"
#include "bindings/checks.h"

#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "birch/cf_tree.h"

namespace coterie {
namespace {

using Ids = Vector<std::int64_t>;
using Numbers = Vector<double>;
using MaybeWeights = std::optional<Numbers>;

void check_columns(const CFTree& tree, std::int64_t columns) {
  if (columns == tree.dims()) return;
  throw std::invalid_argument("rows of CFTree must have " + std::to_string(tree.dims()) + " columns, got " + std::to_string(columns) +
                              ".");
}

// A leaf has entries without children; the children of an inner node come before it, are all leaves or all inner nodes, and are its alone.
void check_stored_tree(const Ids& node_starts, const Ids& children) {
  check_starts("node_starts", node_starts, children.shape(0));
  const std::int64_t* starts = node_starts.data();
  const auto n_nodes = static_cast<std::int64_t>(node_starts.shape(0)) - 1;
  check_that(n_nodes > 0 && starts[0] == 0 && starts[n_nodes] == static_cast<std::int64_t>(children.shape(0)),
             "node_starts must cover all children.");
  std::vector<bool> is_leaf(static_cast<std::size_t>(n_nodes)), is_used(is_leaf.size());
  for (std::int64_t id = 0; id < n_nodes; ++id) {
    check_that(starts[id] < starts[id + 1], "a node must have an entry.");
    const std::int64_t first = children.data()[starts[id]];
    is_leaf[static_cast<std::size_t>(id)] = first == no_node;
    for (std::int64_t entry = starts[id]; entry < starts[id + 1]; ++entry) {
      const std::int64_t child = children.data()[entry];
      if (first == no_node && child == no_node) continue;
      check_that(first != no_node && child >= 0 && child < id && !is_used[static_cast<std::size_t>(child)] &&
                     is_leaf[static_cast<std::size_t>(child)] == is_leaf[static_cast<std::size_t>(first)],
                 "children must be a tree of nodes.");
      is_used[static_cast<std::size_t>(child)] = true;
    }
  }
}

void restore(CFTree* self, const Ids& node_starts, const Ids& children, const Numbers& weights, const Numbers& deviations,
             const Matrix<double>& centres) {
  check_stored_tree(node_starts, children);
  const std::int64_t n_entries = view(centres).rows, n_nodes = static_cast<std::int64_t>(node_starts.shape(0)) - 1;
  check_size("children", children.shape(0), n_entries);
  check_size("weights", weights.shape(0), n_entries);
  check_size("deviations", deviations.shape(0), n_entries);
  const CFTreeArrays<const std::int64_t, const double> stored{node_starts.data(), children.data(), weights.data(), deviations.data(),
                                                              centres.data()};
  new (self) CFTree(view(centres).cols, n_nodes, stored);
}

auto arrays(const CFTree& tree) {
  const std::int64_t n = tree.n_entries();
  auto node_starts = new_vector<std::int64_t>(tree.n_nodes() + 1), children = new_vector<std::int64_t>(n);
  auto weights = new_vector<double>(n), deviations = new_vector<double>(n);
  auto centres = new_matrix<double>(n, tree.dims());
  without_gil([&] { tree.store({node_starts.data(), children.data(), weights.data(), deviations.data(), centres.data()}); });
  return std::make_tuple(node_starts, children, weights, deviations, centres);
}

template <class T>
void add(CFTree& tree, const Matrix<T>& X, const MaybeWeights& weights, double threshold, std::int64_t branching_factor) {
  check_columns(tree, view(X).cols);
  check_optional_size("weights", weights, view(X).rows);
  without_gil([&] { tree.add(view(X), data_or_null(weights), {threshold, branching_factor}); });
}

template <class T>
void add_sparse(CFTree& tree, const Vector<T>& values, const Vector<std::int32_t>& columns, const Ids& row_starts,
                std::int64_t n_columns, const MaybeWeights& weights, double threshold, std::int64_t branching_factor) {
  check_columns(tree, n_columns);
  const auto rows = checked_sparse_view(values, columns, row_starts, n_columns);
  check_optional_size("weights", weights, rows.rows);
  without_gil([&] { tree.add(rows, data_or_null(weights), {threshold, branching_factor}); });
}

template <class T>
void bind_birch_for(nb::class_<CFTree>& tree) {
  tree.def("add", &add<T>, "X"_a.noconvert(), "weights"_a.none(), "threshold"_a, "branching_factor"_a, "Add rows in their order.");
  tree.def("add_sparse", &add_sparse<T>, "values"_a.noconvert(), "columns"_a, "row_starts"_a, "n_columns"_a, "weights"_a.none(),
           "threshold"_a, "branching_factor"_a, "The same for CSR rows.");
}

}  // namespace

void bind_birch(nb::module_& module) {
  nb::class_<CFTree> tree(module, "CFTree", "The tree of BIRCH while it grows.");
  tree.def(nb::init<std::int64_t>(), "n_columns"_a);
  tree.def("__init__", &restore, "node_starts"_a, "children"_a, "weights"_a, "deviations"_a, "centres"_a);
  tree.def("arrays", &arrays, "Starts of nodes; children, weights, sums of squared deviations and centres of entries.");
  bind_birch_for<float>(tree);
  bind_birch_for<double>(tree);
}

}  // namespace coterie
