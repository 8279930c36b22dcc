#include "linkage/linkage.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "linkage/first_rounds.h"
#include "linkage/genie.h"
#include "linkage/graph_linkage.h"

namespace coterie {
namespace {

template <class T>
using Overwritten = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
auto bind_link_matrix(const Overwritten<T>& D, LinkageRule rule, int threads) {
  const auto n = static_cast<std::int64_t>(D.shape(0));
  auto out = new_matrix<double>(n - 1, 4);
  without_gil([&] { link_matrix<T>(D.data(), n, rule, threads, out.data()); });
  return out;
}

template <class T>
auto bind_link_rows(const Matrix<T>& X, LinkageRule rule, int threads) {
  auto out = new_matrix<double>(view(X).rows - 1, 4);
  without_gil([&] { link_rows<T>(view(X), rule, threads, out.data()); });
  return out;
}

// The rows live as long as what looks at them.
template <class T>
struct BoundFirstRounds {
  Matrix<T> X;
  FirstRounds<T> rounds;
};

template <class T>
auto bind_first_rounds(const Matrix<T>& X, const Metric& metric, LinkageRule rule, int threads) {
  const nb::gil_scoped_release release;
  return std::unique_ptr<BoundFirstRounds<T>>(new BoundFirstRounds<T>{X, FirstRounds<T>(view(X), metric, rule, threads)});
}

template <class T>
auto bind_link_rest(const BoundFirstRounds<T>& first) {
  auto out = new_matrix<double>(view(first.X).rows - 1, 4);
  without_gil([&] { first.rounds.link(out.data()); });
  return out;
}

NewMatrix<double> bind_link_edges(const Matrix<std::int64_t>& edges, const Vector<double>& distances) {
  check_edges("edges", edges, view(edges).rows + 1);
  check_size("distances", distances.shape(0), view(edges).rows);
  auto out = new_matrix<double>(view(edges).rows, 4);
  without_gil([&] { link_edges(edges.data(), distances.data(), view(edges).rows + 1, out.data()); });
  return out;
}

auto bind_genie_merges(const Matrix<std::int64_t>& edges, double gini_threshold, const std::optional<Vector<std::uint8_t>>& counts) {
  const std::int64_t n_rows = view(edges).rows + 1;
  check_edges("edges", edges, n_rows);
  check_optional_size("counts", counts, n_rows);
  std::vector<GenieMerge> merges;
  without_gil([&] { merges = genie_merges(edges.data(), n_rows, gini_threshold, data_or_null(counts)); });
  auto children = new_matrix<std::int64_t>(n_rows - 1, 2);
  auto along = new_vector<std::int64_t>(n_rows - 1);
  for (std::size_t i = 0; i < merges.size(); ++i) {
    children.data()[2 * i] = merges[i].first;
    children.data()[2 * i + 1] = merges[i].second;
    along.data()[i] = merges[i].edge;
  }
  return std::make_tuple(children, along);
}

NewMatrix<double> bind_link_graph(const Vector<double>& values, const Vector<std::int32_t>& columns,
                                  const Vector<std::int64_t>& row_starts, LinkageRule rule, bool missing_is_infinite,
                                  const std::optional<Matrix<double>>& rows, std::int64_t n_merges,
                                  const std::optional<Vector<double>>& sizes) {
  const std::int64_t n = static_cast<std::int64_t>(row_starts.shape(0)) - 1;
  check_that(!rows || view(*rows).rows == n, "rows must be as many as those of the graph.");
  check_that(n_merges >= 0 && n_merges < n, "n_merges must be below the number of rows.");
  check_that(rows || (rule != LinkageRule::ward && rule != LinkageRule::centroid), "ward and centroid need rows.");
  check_optional_size("sizes", sizes, n);
  const GraphLinkage graph{checked_sparse_view(values, columns, row_starts, n),
                           rule,
                           missing_is_infinite ? MissingEdge::infinite : MissingEdge::unknown,
                           rows ? rows->data() : nullptr,
                           rows ? view(*rows).cols : 0,
                           n_merges,
                           data_or_null(sizes)};
  std::vector<double> merges(static_cast<std::size_t>(4 * n_merges));
  std::int64_t count = 0;
  without_gil([&] { count = link_graph(graph, merges.data()); });
  auto out = new_matrix<double>(count, 4);
  std::copy(merges.begin(), merges.begin() + 4 * count, out.data());
  return out;
}

template <class T>
void bind_linkage_for(nb::module_& module, const char* name) {
  nb::class_<BoundFirstRounds<T>>(module, name, "See first_rounds.")
      .def_prop_ro(
          "n_left", [](const BoundFirstRounds<T>& first) { return first.rounds.n_left(); }, "Clusters that are left.")
      .def("link", &bind_link_rest<T>, "SciPy's linkage matrix; what is left is linked in a matrix of n_left x n_left.");
  module.def("first_rounds", &bind_first_rounds<T>, "X"_a.noconvert(), "metric"_a, "rule"_a, "n_threads"_a = 0,
             "The first rounds of a linkage that needs a matrix, without it: complete, average, weighted.");
  module.def("link_matrix", &bind_link_matrix<T>, "D"_a.noconvert(), "rule"_a, "n_threads"_a = 0,
             "SciPy's linkage matrix of a square, symmetric matrix of distances, which is overwritten.");
  module.def("link_rows", &bind_link_rows<T>, "X"_a.noconvert(), "rule"_a, "n_threads"_a = 0,
             "SciPy's linkage matrix of Euclidean rows, without a matrix of distances: ward, centroid, median; average is that of "
             "squared distances.");
}

}  // namespace

void bind_linkage(nb::module_& module) {
  nb::enum_<LinkageRule>(module, "LinkageRule")
      .value("single", LinkageRule::single)
      .value("complete", LinkageRule::complete)
      .value("average", LinkageRule::average)
      .value("weighted", LinkageRule::weighted)
      .value("ward", LinkageRule::ward)
      .value("centroid", LinkageRule::centroid)
      .value("median", LinkageRule::median)
      .value("average_merged", LinkageRule::average_merged)
      .value("minimax", LinkageRule::minimax);
  module.def("link_edges", &bind_link_edges, "edges"_a, "distances"_a, "Single linkage along the n - 1 edges of a spanning tree.");
  module.def(
      "genie_merges", &bind_genie_merges, "edges"_a, "gini_threshold"_a, "counts"_a.none() = nb::none(),
      "Merges along the edges of a spanning tree, shortest first, that keep the Gini index of the sizes from rising: the two nodes "
      "of each, and its edge. A row of count 0, a leaf, adds to no size and is merged first.");
  module.def("link_graph", &bind_link_graph, "values"_a, "columns"_a, "row_starts"_a, "rule"_a, "missing_is_infinite"_a,
             "rows"_a.none(), "n_merges"_a, "sizes"_a.none() = nb::none(),
             "Merges along the edges of a symmetric CSR graph without a diagonal: (id, id, height, size), at most n_merges. Rows are "
             "the centroids for ward and centroid, sizes how many rows each stands for.");
  bind_linkage_for<float>(module, "FirstRounds32");
  bind_linkage_for<double>(module, "FirstRounds64");
}

}  // namespace coterie
