#include "neighbours/descent.h"

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "neighbours/matrix_nearest.h"

namespace coterie {
namespace {

Coding coding_of(const std::string& kind, double scale, double longest, bool is_small) {
  check_that(kind == "euclidean" || kind == "product" || kind == "equality", "kind must be euclidean, product or equality.");
  check_that(scale > 0 && (kind == "equality" || is_small || scale * longest < 23100),
             "scale must leave rows shorter than 23,100.");  // sums below 2^31
  return {kind == "equality" ? CodeKind::equality : CodeKind::product, scale, longest, kind == "euclidean", is_small};
}

template <class T>
void bind_coded_rows_of(nb::class_<CodedMatrix>& rows) {
  rows.def(
      "__init__",
      [](CodedMatrix* self, const Matrix<T>& X, const std::string& kind, double scale, double longest,
         const std::optional<Vector<T>>& shift, bool is_small, int threads) {
        if (shift) check_size("shift", shift->shape(0), view(X).cols);
        const Coding coding = coding_of(kind, scale, longest, is_small);
        check_that(!is_small || (kind != "equality" && view(X).cols <= 8192),
                   "small codes are for at most 8,192 columns of products.");
        const nb::gil_scoped_release release;
        new (self) CodedMatrix(view(X), data_or_null(shift), coding, threads);
      },
      "X"_a.noconvert(), "kind"_a, "scale"_a, "longest"_a, "shift"_a = nb::none(), "is_small"_a = false, "n_threads"_a = 0);
}

void check_in_step(const CodedMatrix& queries, const CodedMatrix& rows) {
  check_that(queries.rows().kind == rows.rows().kind && queries.rows().cols == rows.rows().cols,
             "queries must be coded as the rows are.");
  check_that(!queries.rows().is_small && !rows.rows().is_small, "rows of a search must be of 16 bits.");
}

auto bind_search(const CodedMatrix& rows, const CodedMatrix& queries, const Matrix<std::int32_t>& graph,
                 const Vector<std::int32_t>& doors, std::int64_t size, int threads) {
  const std::int64_t n = rows.rows().n;
  check_in_step(queries, rows);
  check_size("graph", graph.shape(0), n);
  for (std::size_t i = 0; i < graph.size(); ++i)
    check_that(graph.data()[i] >= -1 && graph.data()[i] < n, "graph must hold rows, or -1.");
  check_indices("doors", doors, n);
  check_that(size > 0 && doors.shape(0) > 0, "size and doors must not be empty.");
  auto found = new_matrix<std::int32_t>(queries.rows().n, size);
  without_gil([&] {
    search_graph(queries, rows, graph.data(), view(graph).cols, doors.data(), static_cast<std::int64_t>(doors.shape(0)), size,
                 found.data(), threads);
  });
  return found;
}

auto bind_nearest_by_codes(const CodedMatrix& rows, const Vector<std::int64_t>& at, std::int64_t m, int threads) {
  check_indices("rows", at, rows.rows().n);
  check_that(rows.rows().kind == CodeKind::product && m > 0 && m <= rows.rows().n,
             "m must be at least 1 and at most the number of rows.");
  const std::int64_t count = static_cast<std::int64_t>(at.shape(0));
  auto out = new_matrix<std::int32_t>(count, m);
  const std::vector<std::int32_t> members(at.data(), at.data() + count);
  without_gil([&] { nearest_by_codes(rows.rows(), members, m, out.data(), threads); });
  return out;
}

auto bind_lists(const NeighbourDescent& descent, const std::optional<Vector<std::int64_t>>& rows) {
  const std::int64_t count = rows ? static_cast<std::int64_t>(rows->shape(0)) : descent.n();
  if (rows) check_indices("rows", *rows, descent.n());
  auto out = new_matrix<std::int32_t>(count, descent.list_size());
  for (std::int64_t i = 0; i < count; ++i) descent.copy_list(rows ? rows->data()[i] : i, out.data() + i * descent.list_size());
  return out;
}

template <class T>
auto bind_smallest_of_matrix(const Matrix<T>& D, std::int64_t k, bool skip_own, int threads) {
  check_that(0 <= k && k <= view(D).cols, "k must be at least 0 and at most the number of columns.");
  auto index = new_matrix<std::int64_t>(view(D).rows, k);
  auto distance = new_matrix<T>(view(D).rows, k);
  without_gil([&] { smallest_of_matrix<T>(view(D), k, skip_own, index.data(), distance.data(), threads); });
  return std::make_pair(index, distance);
}

template <class T>
auto bind_rerank(const NeighbourDescent& descent, const Matrix<T>& X, std::int64_t m, std::int64_t k, int threads) {
  check_size("X", X.shape(0), descent.n());
  check_that(0 < k && k <= m && m <= descent.list_size(), "k must be at least 1 and at most m, m at most the length of the lists.");
  auto index = new_matrix<std::int64_t>(descent.n(), k);
  auto squares = new_matrix<T>(descent.n(), k);
  without_gil([&] { descent.rerank<T>(view(X), m, k, index.data(), squares.data(), threads); });
  return std::make_pair(index, squares);
}

template <class T>
auto bind_keep_nearest(const Matrix<std::int32_t>& near, const Matrix<T>& distances, std::int64_t k, int threads) {
  check_that(near.shape(0) == distances.shape(0) && near.shape(1) == distances.shape(1), "near and distances must be of one shape.");
  check_that(k > 0 && k <= view(near).cols, "k must be at least 1 and at most the number of columns.");
  auto index = new_matrix<std::int64_t>(view(near).rows, k);
  auto value = new_matrix<T>(view(near).rows, k);
  without_gil([&] {
    keep_nearest<T>(near.data(), distances.data(), view(near).rows, view(near).cols, k, index.data(), value.data(), threads);
  });
  return std::make_pair(index, value);
}

}  // namespace

void bind_neighbours(nb::module_& module) {
  auto rows = nb::class_<CodedMatrix>(module, "CodedRows", "Rows as whole numbers of 16 bits, times a scale.");
  bind_coded_rows_of<float>(rows);
  bind_coded_rows_of<double>(rows);
  rows.def_static(
      "from_sparse",
      [](const Vector<float>& values, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts, std::int64_t n_cols,
         double scale) {
        const SparseView<float> X = checked_sparse_view<float>(values, columns, row_starts, n_cols);
        return CodedMatrix(X, {CodeKind::sparse, scale, 1.0, true});
      },
      "values"_a, "columns"_a, "row_starts"_a, "n_cols"_a, "scale"_a, "Sparse rows that are at most as long as 1.");
  rows.def("nearest", &bind_nearest_by_codes, "rows"_a, "m"_a, "n_threads"_a = 0,
           "Of some rows the m nearest of all rows by their codes, themselves among them, nearest first.");
  rows.def("search", &bind_search, "queries"_a, "graph"_a, "doors"_a, "size"_a, "n_threads"_a = 0,
           "Rows near to each query, by a search along a graph.");
  nb::class_<NeighbourDescent>(module, "NeighbourDescent", "Lists of near rows that grow better round by round.")
      .def(
          "__init__",
          [](NeighbourDescent* self, const CodedMatrix& rows, std::int64_t list_size, std::int64_t leaf_size, std::uint64_t seed,
             int threads) {
            check_that(list_size > 0 && leaf_size > 1, "list_size must be at least 1 and leaf_size at least 2.");
            const nb::gil_scoped_release release;
            new (self) NeighbourDescent(rows, list_size, leaf_size, seed, threads);
          },
          "rows"_a, "list_size"_a, "leaf_size"_a, "seed"_a, "n_threads"_a = 0)
      .def(
          "plant", [](NeighbourDescent& self, int threads) { without_gil([&] { self.plant(threads); }); }, "n_threads"_a = 0,
          "Compares the rows of each leaf of one more partition.")
      .def(
          "probe",
          [](NeighbourDescent& self, std::int64_t n_cells, int threads) {
            check_that(n_cells > 0, "n_cells must be at least 1.");
            std::int64_t n_pairs = 0;
            without_gil([&] { n_pairs = self.probe(n_cells, threads); });
            return n_pairs;
          },
          "n_cells"_a, "n_threads"_a = 0,
          "Compares each row with those of its next nearest cells; returns how many pairs, 0 when there are no more cells.")
      .def(
          "improve",
          [](NeighbourDescent& self, std::int64_t n_candidates, int threads) {
            check_that(n_candidates > 0, "n_candidates must be at least 1.");
            std::int64_t n_new = 0;
            without_gil([&] { n_new = self.improve(n_candidates, threads); });
            return n_new;
          },
          "n_candidates"_a, "n_threads"_a = 0, "Compares neighbours of neighbours; returns how many entries of lists are new.")
      .def(
          "widen",
          [](NeighbourDescent& self, std::int64_t list_size, int threads) {
            check_that(list_size > 0, "list_size must be at least 1.");
            without_gil([&] { self.widen(list_size, threads); });
          },
          "list_size"_a, "n_threads"_a = 0, "Gives every row a longer list.")
      .def_prop_ro("has_cells", &NeighbourDescent::has_cells, "Whether rows can be compared with those of their nearest cells.")
      .def_prop_ro("size", &NeighbourDescent::list_size, "Length of the lists.")
      .def("lists", &bind_lists, "rows"_a = nb::none(),
           "The near rows of each row, or of some, nearest first; -1 where there are fewer.")
      .def("rerank", &bind_rerank<float>, "X"_a.noconvert(), "m"_a, "k"_a, "n_threads"_a = 0,
           "The k nearest of the first m of each list and their squared Euclidean distances; -1 where a list is short.")
      .def("rerank", &bind_rerank<double>, "X"_a.noconvert(), "m"_a, "k"_a, "n_threads"_a = 0,
           "The k nearest of the first m of each list and their squared Euclidean distances; -1 where a list is short.")
      .def(
          "graph",
          [](const NeighbourDescent& self, std::int64_t degree, int threads) {
            check_that(degree > 0, "degree must be at least 1.");
            auto out = new_matrix<std::int32_t>(self.n(), degree);
            without_gil([&] { self.copy_graph(degree, out.data(), threads); });
            return out;
          },
          "degree"_a, "n_threads"_a = 0, "The lists in both directions.");
  module.def("smallest_of_matrix", &bind_smallest_of_matrix<float>, "D"_a.noconvert(), "k"_a, "skip_own"_a, "n_threads"_a = 0,
             "Columns and values of the k smallest numbers of each row, equal ones by their column.");
  module.def("smallest_of_matrix", &bind_smallest_of_matrix<double>, "D"_a.noconvert(), "k"_a, "skip_own"_a, "n_threads"_a = 0,
             "Columns and values of the k smallest numbers of each row, equal ones by their column.");
  module.def("keep_nearest", &bind_keep_nearest<float>, "near"_a, "distances"_a.noconvert(), "k"_a, "n_threads"_a = 0,
             "The k rows with the smallest distances, equal ones by their number.");
  module.def("keep_nearest", &bind_keep_nearest<double>, "near"_a, "distances"_a.noconvert(), "k"_a, "n_threads"_a = 0,
             "The k rows with the smallest distances, equal ones by their number.");
}

}  // namespace coterie
