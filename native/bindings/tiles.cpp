#include "tiles/tiles.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

// Owns the weights that MixedColumns points at.
struct BoundColumns {
  std::vector<double> weights;
  MixedColumns columns;

  BoundColumns(std::int64_t n_numbers, std::int64_t n_categories, const Vector<double>& given)
      : weights(given.data(), given.data() + given.shape(0)),
        columns{n_numbers, n_categories, static_cast<std::int64_t>(weights.size()), weights.data()} {
    check_that(n_numbers >= 0 && n_categories >= 0 && n_numbers + n_categories <= columns.n_columns,
               "n_numbers and n_categories must be at least 0 and together at most the number of weights.");
  }
  BoundColumns(const BoundColumns&) = delete;
};

template <class T, auto search>
auto bind_nearest(const Matrix<T>& X, const Matrix<T>& Y, const Metric& metric, int threads) {
  check_columns("Y", Y, view(X).cols);
  auto index = new_vector<std::int32_t>(view(X).rows);
  auto value = new_vector<T>(view(X).rows);
  without_gil([&] { search(view(X), view(Y), metric, threads, {index.data(), value.data()}); });
  return std::make_pair(index, value);
}

template <class T>
auto bind_nearest_two(const Matrix<T>& X, const Matrix<T>& Y, const Metric& metric, int threads) {
  check_columns("Y", Y, view(X).cols);
  const std::int64_t n = view(X).rows;
  auto index = new_matrix<std::int32_t>(2, n);
  auto value = new_matrix<T>(2, n);
  const NearestTwoOutput<T> out{index.data(), index.data() + n, value.data(), value.data() + n};
  without_gil([&] { nearest_two<T>(view(X), view(Y), metric, threads, out); });
  return std::make_pair(index, value);
}

template <class T>
auto bind_own_and_other(const Matrix<T>& X, const Matrix<T>& Y, const Vector<std::int32_t>& own_rows, const Metric& metric,
                        int threads) {
  check_columns("Y", Y, view(X).cols);
  check_labels("own_rows", own_rows, view(X).rows, view(Y).rows);
  check_that(is_recomputable(metric), "metric must be one whose distances can be computed again by differences.");
  auto own = new_vector<T>(view(X).rows);
  auto other = new_vector<T>(view(X).rows);
  without_gil([&] { own_and_other<T>(view(X), view(Y), metric, threads, {own_rows.data(), own.data(), other.data()}); });
  return std::make_pair(own, other);
}

template <class T>
auto bind_smallest(const Matrix<T>& X, const Matrix<T>& Y, const Metric& metric, std::int64_t m, bool skip_same_index, int threads) {
  check_columns("Y", Y, view(X).cols);
  check_that(m > 0, "m must be at least 1.");
  auto index = new_matrix<std::int32_t>(view(X).rows, m);
  auto value = new_matrix<T>(view(X).rows, m);
  const SmallestOutput<T> out{m, index.data(), value.data(), skip_same_index};
  without_gil([&] { smallest<T>(view(X), view(Y), metric, threads, out); });
  return std::make_pair(index, value);
}

template <class T>
auto bind_count_below(const Matrix<T>& X, const Matrix<T>& Y, const Metric& metric, double threshold, int threads) {
  check_columns("Y", Y, view(X).cols);
  auto count = new_vector<std::int64_t>(view(X).rows);
  const BelowOutput<T> out{threshold, count.data(), nullptr, nullptr, nullptr};
  without_gil([&] { below<T>(view(X), view(Y), metric, threads, out); });
  return count;
}

template <class T>
auto bind_list_below(const Matrix<T>& X, const Matrix<T>& Y, const Metric& metric, double threshold,
                     const Vector<std::int64_t>& starts, int threads) {
  check_columns("Y", Y, view(X).cols);
  check_size("starts", starts.shape(0), view(X).rows + 1);
  const std::int64_t total = starts.data()[view(X).rows];
  check_starts("starts", starts, static_cast<std::size_t>(std::max<std::int64_t>(0, total)));
  auto index = new_vector<std::int32_t>(total);
  auto value = new_vector<T>(total);
  const BelowOutput<T> out{threshold, nullptr, starts.data(), index.data(), value.data()};
  without_gil([&] { below<T>(view(X), view(Y), metric, threads, out); });
  return std::make_pair(index, value);
}

template <class T>
auto bind_group_sums(const Matrix<T>& X, const Matrix<T>& Y, const Vector<std::int32_t>& groups, std::int64_t n_groups,
                     const Metric& metric, int threads) {
  check_columns("Y", Y, view(X).cols);
  check_labels("groups", groups, view(Y).rows, n_groups);
  auto sum = new_matrix<double>(view(X).rows, n_groups);
  without_gil([&] { group_sums<T>(view(X), view(Y), groups.data(), metric, threads, {sum.data(), n_groups}); });
  return sum;
}

template <class T>
auto bind_group_extremes(const Matrix<T>& X, const Vector<std::int32_t>& row_groups, const Matrix<T>& Y,
                         const Vector<std::int32_t>& groups, std::int64_t n_groups, const Metric& metric, int threads) {
  check_columns("Y", Y, view(X).cols);
  check_labels("row_groups", row_groups, view(X).rows, n_groups);
  check_labels("groups", groups, view(Y).rows, n_groups);
  auto smallest = new_matrix<T>(n_groups, n_groups);
  auto largest = new_matrix<T>(n_groups, n_groups);
  const GroupExtremesOutput<T> out{row_groups.data(), smallest.data(), largest.data(), n_groups};
  without_gil([&] { group_extremes<T>(view(X), view(Y), groups.data(), metric, threads, out); });
  return std::make_pair(smallest, largest);
}

template <class T>
auto bind_store(const Matrix<T>& X, const Matrix<T>& Y, const Metric& metric, int threads) {
  check_columns("Y", Y, view(X).cols);
  auto out = new_matrix<T>(view(X).rows, view(Y).rows);
  without_gil([&] { store<T>(view(X), view(Y), metric, threads, {out.data(), view(X).rows, view(Y).rows, view(Y).rows}); });
  return out;
}

template <class T>
auto bind_store_edges(const Matrix<T>& X, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts,
                      const Metric& metric, int threads, const std::optional<Matrix<T>>& Y) {
  const MatrixView<T> ends = view(Y ? *Y : X);
  if (Y) check_columns("Y", *Y, view(X).cols);
  check_size("row_starts", row_starts.shape(0), view(X).rows + 1);
  check_starts("row_starts", row_starts, columns.shape(0));
  check_indices("columns", columns, ends.rows);
  auto out = new_vector<T>(static_cast<std::int64_t>(columns.shape(0)));
  without_gil([&] { store_edges<T>(view(X), ends, columns.data(), row_starts.data(), metric, threads, out.data()); });
  return out;
}

template <class T>
auto bind_store_self(const Matrix<T>& X, const Metric& metric, int threads) {
  const std::int64_t n = view(X).rows;
  auto out = new_matrix<T>(n, n);
  without_gil([&] { store_self<T>(view(X), metric, threads, {out.data(), n, false}); });
  return out;
}

template <class T>
auto bind_store_condensed(const Matrix<T>& X, const Metric& metric, int threads) {
  const std::int64_t n = view(X).rows;
  auto out = new_vector<T>(n * (n - 1) / 2);
  without_gil([&] { store_self<T>(view(X), metric, threads, {out.data(), n, true}); });
  return out;
}

template <class T>
void bind_tiles_for(nb::module_& module) {
  module.def("nearest", &bind_nearest<T, nearest<T>>, "X"_a.noconvert(), "Y"_a, "metric"_a, "n_threads"_a = 0,
             "Index and distance of the nearest row of Y.");
  module.def("nearest_exact", &bind_nearest<T, nearest_exact<T>>, "X"_a.noconvert(), "Y"_a, "metric"_a, "n_threads"_a = 0,
             "As nearest, but decided by differences where products are too close to call.");
  module.def("nearest_two", &bind_nearest_two<T>, "X"_a.noconvert(), "Y"_a, "metric"_a, "n_threads"_a = 0,
             "The nearest and the second nearest row of Y.");
  module.def("own_and_other", &bind_own_and_other<T>, "X"_a.noconvert(), "Y"_a, "own_rows"_a, "metric"_a, "n_threads"_a = 0,
             "The distance to a row's own row of Y, and to the nearest other one.");
  module.def("smallest", &bind_smallest<T>, "X"_a.noconvert(), "Y"_a, "metric"_a, "m"_a, "skip_same_index"_a = false,
             "n_threads"_a = 0, "The m nearest rows of Y.");
  module.def("count_below", &bind_count_below<T>, "X"_a.noconvert(), "Y"_a, "metric"_a, "threshold"_a, "n_threads"_a = 0,
             "Rows of Y at most threshold away, counted.");
  module.def("list_below", &bind_list_below<T>, "X"_a.noconvert(), "Y"_a, "metric"_a, "threshold"_a, "starts"_a, "n_threads"_a = 0,
             "Rows of Y at most threshold away, listed from `starts` (of count_below).");
  module.def("group_sums", &bind_group_sums<T>, "X"_a.noconvert(), "Y"_a, "groups"_a, "n_groups"_a, "metric"_a, "n_threads"_a = 0,
             "Sum of distances to each group of rows of Y.");
  module.def("group_extremes", &bind_group_extremes<T>, "X"_a.noconvert(), "row_groups"_a, "Y"_a, "groups"_a, "n_groups"_a, "metric"_a,
             "n_threads"_a = 0, "Smallest and largest distance between groups of rows.");
  module.def("pairwise", &bind_store<T>, "X"_a.noconvert(), "Y"_a, "metric"_a, "n_threads"_a = 0, "All distances.");
  module.def("pairwise_along", &bind_store_edges<T>, "X"_a.noconvert(), "columns"_a, "row_starts"_a, "metric"_a, "n_threads"_a = 0,
             "Y"_a = nb::none(), "Distances of rows of X along the edges of a CSR graph to rows of Y, or of X itself.");
  module.def("pairwise_self", &bind_store_self<T>, "X"_a.noconvert(), "metric"_a, "n_threads"_a = 0,
             "Distances among the rows of X; symmetric, zero diagonal.");
  module.def("pairwise_condensed", &bind_store_condensed<T>, "X"_a.noconvert(), "metric"_a, "n_threads"_a = 0,
             "Distances among the rows of X above the diagonal, row by row.");
}

}  // namespace

void bind_tiles(nb::module_& module) {
  nb::enum_<Kernel>(module, "Kernel")
      .value("dot", Kernel::dot)
      .value("squared_difference", Kernel::squared_difference)
      .value("manhattan", Kernel::manhattan)
      .value("chebyshev", Kernel::chebyshev)
      .value("minkowski", Kernel::minkowski)
      .value("canberra", Kernel::canberra)
      .value("braycurtis", Kernel::braycurtis)
      .value("hamming", Kernel::hamming)
      .value("gower", Kernel::gower)
      .value("observed", Kernel::observed);
  nb::enum_<Finish>(module, "Finish")
      .value("identity", Finish::identity)
      .value("squared_norm", Finish::squared_norm)
      .value("norm", Finish::norm)
      .value("cosine", Finish::cosine)
      .value("root", Finish::root)
      .value("half", Finish::half)
      .value("power_root", Finish::power_root)
      .value("arc", Finish::arc)
      .value("mean", Finish::mean)
      .value("jaccard", Finish::jaccard)
      .value("dice", Finish::dice)
      .value("matching", Finish::matching);
  nb::class_<BoundColumns>(module, "MixedColumns", "Columns of a table: numbers, then categories, then what may be present.")
      .def(nb::init<std::int64_t, std::int64_t, const Vector<double>&>(), "n_numbers"_a, "n_categories"_a, "weights"_a);
  nb::class_<Metric>(module, "Metric", "A distance as the engine sees it: kernel, finish, exponent, kinds of columns.")
      .def(
          "__init__",
          [](Metric* self, Kernel kernel, Finish finish, double p, const BoundColumns* mixed) {
            check_that((kernel == Kernel::gower) == (mixed != nullptr), "mixed must be given for the gower kernel, and for no other.");
            new (self) Metric{kernel, finish, p, mixed == nullptr ? nullptr : &mixed->columns};
          },
          "kernel"_a, "finish"_a, "p"_a = 2.0, "mixed"_a = nb::none(), nb::keep_alive<1, 5>())
      .def_ro("kernel", &Metric::kernel)
      .def_ro("finish", &Metric::finish)
      .def_ro("p", &Metric::p);
  bind_tiles_for<float>(module);
  bind_tiles_for<double>(module);
}

}  // namespace coterie
