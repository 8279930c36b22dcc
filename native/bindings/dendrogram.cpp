#include "dendrogram/walks.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "dendrogram/centroid_silhouettes.h"
#include "dendrogram/cut_quality.h"
#include "dendrogram/cut_silhouettes.h"
#include "dendrogram/newick.h"
#include "dendrogram/ordering.h"
#include "dendrogram/overlap.h"

namespace coterie {
namespace {

using Ints = Vector<std::int64_t>;
using Reals = Vector<double>;
using Flags = Vector<std::uint8_t>;

// Children may be anything here, and inner nodes numbered in any way.
TreeView loose_tree(const Ints& starts, const Ints& children, std::int64_t n_leaves) {
  check_that(starts.shape(0) > 0 && n_leaves >= 0, "starts must have an entry more than there are inner nodes.");
  check_indices("starts", starts, static_cast<std::int64_t>(children.shape(0)) + 1);
  return {starts.data(), children.data(), static_cast<std::int64_t>(starts.shape(0)) - 1, n_leaves};
}

// Sizes as count_leaves gives them: they say where leaves are written.
void check_tree_sizes(const TreeView& tree, const Ints& sizes) {
  check_size("sizes", sizes.shape(0), tree.n_nodes());
  std::vector<std::int64_t> expected(sizes.shape(0));
  count_leaves(tree, expected.data());
  check_that(std::equal(expected.begin(), expected.end(), sizes.data()), "sizes must be those of the tree.");
}

auto problem_of(const Ints& starts, const Ints& children, std::int64_t n_leaves) {
  const TreeProblem found = find_problem(loose_tree(starts, children, n_leaves));
  return std::make_tuple(static_cast<int>(found.fault), found.inner, found.position);
}

auto sizes_of(const Ints& starts, const Ints& children, std::int64_t n_leaves) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  auto sizes = new_vector<std::int64_t>(tree.n_nodes());
  without_gil([&] { count_leaves(tree, sizes.data()); });
  return sizes;
}

auto parents_of(const Ints& starts, const Ints& children, std::int64_t n_leaves) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  auto parents = new_vector<std::int64_t>(tree.n_nodes());
  without_gil([&] { find_parents(tree, parents.data()); });
  return parents;
}

auto order_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Ints& sizes) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_tree_sizes(tree, sizes);
  auto order = new_vector<std::int64_t>(tree.n_leaves), first = new_vector<std::int64_t>(tree.n_nodes());
  without_gil([&] { order_leaves(tree, sizes.data(), order.data(), first.data()); });
  return std::make_pair(order, first);
}

auto greatest_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Reals& values) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("values", values.shape(0), tree.n_inner);
  auto greatest = new_vector<double>(tree.n_inner);
  without_gil([&] { greatest_below(tree, values.data(), greatest.data()); });
  return greatest;
}

auto ways_down_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Reals& lengths) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("lengths", lengths.shape(0), tree.n_nodes());
  auto heights = new_vector<double>(tree.n_inner);
  without_gil([&] { longest_ways_down(tree, lengths.data(), heights.data()); });
  return heights;
}

auto ranges_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Ints& values) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("values", values.shape(0), tree.n_leaves);
  auto least = new_vector<std::int64_t>(tree.n_inner), greatest = new_vector<std::int64_t>(tree.n_inner);
  without_gil([&] { leaf_ranges(tree, values.data(), least.data(), greatest.data()); });
  return std::make_pair(least, greatest);
}

auto below_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, std::int64_t node) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_that(node >= 0 && node < tree.n_nodes(), "node must be one of the tree.");
  auto is_below = new_vector<std::uint8_t>(tree.n_nodes());
  without_gil([&] { mark_below(tree, node, is_below.data()); });
  return is_below;
}

auto joined_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Ints& sizes, std::int64_t min_size) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("sizes", sizes.shape(0), tree.n_nodes());
  auto is_joined = new_vector<std::uint8_t>(tree.n_inner);
  without_gil([&] { join_small(tree, sizes.data(), min_size, is_joined.data()); });
  return is_joined;
}

auto labels_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Flags& is_joined) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("is_joined", is_joined.shape(0), tree.n_inner);
  auto labels = new_vector<std::int64_t>(tree.n_leaves);
  std::int64_t n_clusters = 0;
  without_gil([&] { n_clusters = label_leaves(tree, is_joined.data(), labels.data()); });
  return std::make_pair(labels, n_clusters);
}

auto by_height_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Reals& heights) {
  const TreeView tree = loose_tree(starts, children, n_leaves);
  check_starts("starts", starts, children.shape(0));
  check_indices("children", children, tree.n_nodes());
  check_size("heights", heights.shape(0), tree.n_inner);
  std::vector<std::int64_t> order;
  without_gil([&] { order = order_by_height(tree, heights.data()); });
  return copied(order);
}

auto condensed_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Reals& heights, int threads) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("heights", heights.shape(0), tree.n_inner);
  auto condensed = new_vector<double>(n_leaves * (n_leaves - 1) / 2);
  without_gil([&] { cophenetic_condensed(tree, heights.data(), condensed.data(), threads); });
  return condensed;
}

auto common_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Matrix<std::int64_t>& pairs) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_edges("pairs", pairs, n_leaves);
  auto nodes = new_vector<std::int64_t>(view(pairs).rows);
  without_gil([&] { common_nodes(tree, pairs.data(), view(pairs).rows, nodes.data()); });
  return nodes;
}

auto optimal_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Matrix<double>& distances, int threads) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_that(view(distances).rows == n_leaves && view(distances).cols == n_leaves, "distances must be of all pairs of leaves.");
  std::vector<std::int64_t> places;
  without_gil([&] {
    const isa_plain::Scratch<double> work(n_leaves * n_leaves);
    places = order_optimally(tree, distances.data(), work.data(), threads);
  });
  return copied(places);
}

// (into, from, is scored); a cluster is joined to another one once.
void check_joins(const Matrix<std::int64_t>& joins, std::int64_t n_clusters) {
  check_that(joins.shape(1) == 3, "joins must have three columns.");
  std::vector<bool> is_gone(static_cast<std::size_t>(n_clusters));
  for (std::int64_t i = 0; i < view(joins).rows; ++i) {
    const std::int64_t* join = view(joins).row(i);
    check_indices("joins", join, 2, n_clusters);
    check_that(join[0] != join[1] && !is_gone[static_cast<std::size_t>(join[1])], "a cluster must be joined to another one once.");
    is_gone[static_cast<std::size_t>(join[1])] = true;
  }
}

auto silhouettes_of(const Matrix<double>& sums, const Ints& clusters, const Matrix<std::int64_t>& joins, int threads) {
  check_labels("clusters", clusters, view(sums).rows, view(sums).cols);
  check_joins(joins, view(sums).cols);
  std::vector<double> scores;
  const auto* steps = reinterpret_cast<const JoinedClusters*>(joins.data());
  without_gil([&] { scores = cut_silhouettes(view(sums), clusters.data(), steps, view(joins).rows, threads); });
  return copied(scores);
}

auto class_curves_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Vector<std::int32_t>& classes,
                     std::int64_t n_classes) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_labels("classes", classes, tree.n_leaves, n_classes);
  const std::int64_t n = tree.n_inner + 1;
  auto pure = new_vector<std::int64_t>(n), inverse = new_vector<std::int64_t>(n), together = new_vector<std::int64_t>(n),
       within = new_vector<std::int64_t>(n);
  auto cells = new_vector<double>(n), clusters = new_vector<double>(n);
  const ClassCurves out{pure.data(), inverse.data(), together.data(), within.data(), cells.data(), clusters.data()};
  without_gil([&] { class_curves(tree, classes.data(), n_classes, out); });
  return std::make_tuple(pure, inverse, together, within, cells, clusters);
}

template <class T>
auto scatter_curve_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Matrix<T>& X) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_that(view(X).rows == tree.n_leaves, "X must have a row per leaf.");
  auto scatter = new_vector<double>(tree.n_inner + 1);
  without_gil([&] { scatter_curve<T>(tree, view(X), scatter.data()); });
  return scatter;
}

template <class T>
auto silhouette_curve_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Matrix<T>& X,
                         std::int64_t most_steps) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_that(view(X).rows == tree.n_leaves, "X must have a row per leaf.");
  auto scores = new_vector<double>(tree.n_inner + 1);
  without_gil([&] { silhouette_curve<T>(tree, view(X), most_steps, scores.data()); });
  return scores;
}

auto overlap_of(const Ints& starts, const Ints& children, const Ints& other_starts, const Ints& other_children, std::int64_t n_leaves,
                const Ints& n_clusters) {
  const auto n = static_cast<std::int64_t>(n_clusters.shape(0));
  auto cells = new_vector<std::int64_t>(n), rows = new_vector<std::int64_t>(n), columns = new_vector<std::int64_t>(n);
  check_indices("n_clusters", n_clusters, n_leaves + 1, 1);
  const TreeView first = checked_tree(starts, children, n_leaves), second = checked_tree(other_starts, other_children, n_leaves);
  without_gil([&] { overlap_curve(first, second, n_clusters.data(), n, cells.data(), rows.data(), columns.data()); });
  return std::make_tuple(cells, rows, columns);
}

auto lengths_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Reals& heights) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("heights", heights.shape(0), tree.n_inner);
  auto lengths = new_vector<double>(tree.n_nodes());
  branch_lengths(tree, heights.data(), lengths.data());
  return lengths;
}

auto newick_of(const Ints& starts, const Ints& children, std::int64_t n_leaves, const Reals& lengths, const nb::bytes& names,
               const Ints& name_ends) {
  const TreeView tree = checked_tree(starts, children, n_leaves);
  check_size("lengths", lengths.shape(0), tree.n_nodes());
  if (name_ends.shape(0) > 0) {
    const bool are_all = static_cast<std::int64_t>(name_ends.shape(0)) == tree.n_nodes();
    check_size("name_ends", name_ends.shape(0), are_all ? tree.n_nodes() : n_leaves);
    check_starts("name_ends", name_ends, names.size());
  }
  std::vector<std::string_view> parts;
  for (std::size_t i = 0, begin = 0; i < name_ends.shape(0); begin = static_cast<std::size_t>(name_ends.data()[i++]))
    parts.emplace_back(names.c_str() + begin, static_cast<std::size_t>(name_ends.data()[i]) - begin);
  const std::string text = write_newick(tree, lengths.data(), parts);
  return nb::str(text.data(), text.size());
}

// Problem (empty: none) and its byte, then the arrays of the tree: see NewickTree.
auto read_of(const nb::bytes& text) {
  NewickTree tree;
  NewickProblem problem;
  try {
    tree = read_newick({text.c_str(), text.size()});
  } catch (const NewickProblem& found) {
    problem = found;
  }
  const std::int64_t bare = tree.first_without_length == std::string::npos ? -1 : static_cast<std::int64_t>(tree.first_without_length);
  return std::make_tuple(problem.what, problem.position, copied(tree.starts), copied(tree.children), copied(tree.leaf_lengths),
                         copied(tree.inner_lengths), tree.names, tree.inner_names, tree.has_lengths, bare);
}

}  // namespace

void bind_dendrogram(nb::module_& module) {
  const auto def = [&](const char* name, auto function, auto... rest) {
    module.def(name, function, "starts"_a, "children"_a, "n_leaves"_a, rest...);
  };
  def("tree_problem", &problem_of, "Fault (0: none), inner node and position in children where the arrays are no tree.");
  def("tree_sizes", &sizes_of, "Leaves below every node.");
  def("tree_parents", &parents_of, "Parent of every node, -1 for the root.");
  def("tree_leaf_order", &order_of, "sizes"_a, "Leaves from left to right, and the place of every node's first leaf.");
  def("tree_greatest_below", &greatest_of, "values"_a, "Largest value of every inner node and those below it.");
  def("tree_ways_down", &ways_down_of, "lengths"_a, "Longest way from every inner node to a leaf, from the lengths of branches.");
  def("tree_leaf_ranges", &ranges_of, "values"_a, "Least and largest leaf value of every inner node.");
  def("tree_mark_below", &below_of, "node"_a, "1 for a node and all below it.");
  def("tree_join_small", &joined_of, "sizes"_a, "min_size"_a, "1 for inner nodes with a child that is smaller than min_size.");
  def("tree_labels", &labels_of, "is_joined"_a, "Labels when each topmost joined node is a cluster, and how many there are.");
  def("tree_by_height", &by_height_of, "heights"_a, "Inner nodes by height, children before parents.");
  def("tree_cophenetic", &condensed_of, "heights"_a, "n_threads"_a = 0, "Height of the join of every pair, condensed.");
  def("tree_common_nodes", &common_of, "pairs"_a, "Lowest common node of pairs of leaves.");
  def("tree_optimal_order", &optimal_of, "distances"_a, "n_threads"_a = 0,
      "Places of the leaves in an order of least length; distances are in the order from left to right.");
  def("tree_branch_lengths", &lengths_of, "heights"_a, "Length of the branch above every node, NaN above the root.");
  def("tree_write_newick", &newick_of, "lengths"_a, "names"_a, "name_ends"_a, "The tree as Newick text.");
  def("tree_class_curves", &class_curves_of, "classes"_a, "n_classes"_a,
      "Of every cut: sums over the contingency table with the classes, see ClassCurves.");
  def("tree_scatter_curve", &scatter_curve_of<float>, "X"_a);
  def("tree_scatter_curve", &scatter_curve_of<double>, "X"_a, "Within-cluster sum of squares of every cut.");
  def("tree_silhouette_curve", &silhouette_curve_of<float>, "X"_a, "most_steps"_a);
  def("tree_silhouette_curve", &silhouette_curve_of<double>, "X"_a, "most_steps"_a,
      "Simplified silhouette of every cut; NaN for those beyond most_steps comparisons of numbers (0: no limit).");
  module.def("tree_overlap_curve", &overlap_of, "starts"_a, "children"_a, "other_starts"_a, "other_children"_a, "n_leaves"_a,
             "n_clusters"_a, "Sums of squares of the table of two cuts, of its rows and columns, for falling n_clusters.");
  module.def("tree_read_newick", &read_of, "text"_a, "Problem and its position, or the arrays of a tree in Newick text.");
  module.def("cut_silhouettes", &silhouettes_of, "sums"_a, "clusters"_a, "joins"_a, "n_threads"_a = 0,
             "Mean silhouette of a cut and of every coarser one, from the sums of distances to its clusters.");
}

}  // namespace coterie
