#include "kmeans/sparse/sparse_kmeans.h"

#include <nanobind/stl/pair.h>

#include "bindings/checks.h"
#include "bindings/kmeans_fit.h"

namespace coterie {
namespace {

template <class T>
KMeansFit bind_sparse_fit(const Vector<T>& values, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts,
                          std::int64_t n_cols, const Matrix<T>& start, const std::optional<Vector<double>>& weights,
                          const KMeansOptions& options, const nb::object& progress) {
  const SparseView<T> X = checked_sparse_view(values, columns, row_starts, n_cols);
  check_that(view(start).cols == n_cols, "start must have n_cols columns.");
  check_optional_size("weights", weights, X.rows);
  return fit_for_python<T>(start, X.rows, progress, [&](const auto& centres, const KMeansProgress& report, std::int32_t* labels) {
    return run_kmeans<T>(X, data_or_null(weights), centres, options, report, labels);
  });
}

template <class T>
auto bind_sparse_nearest(const Vector<T>& values, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts,
                         const Matrix<T>& Y, int threads) {
  const SparseView<T> X = checked_sparse_view(values, columns, row_starts, view(Y).cols);
  auto index = new_vector<std::int32_t>(X.rows);
  auto squared = new_vector<T>(X.rows);
  without_gil([&] { sparse_nearest<T>(X, view(Y), threads, index.data(), squared.data()); });
  return std::make_pair(index, squared);
}

template <class T>
auto bind_pairwise(const Vector<T>& values, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts,
                   const Matrix<T>& Y, int threads) {
  const SparseView<T> X = checked_sparse_view(values, columns, row_starts, view(Y).cols);
  auto squared = new_matrix<T>(X.rows, view(Y).rows);
  without_gil([&] { sparse_pairwise_squared<T>(X, view(Y), threads, squared.data()); });
  return squared;
}

template <class T>
void bind_sparse_for(nb::module_& module) {
  module.def("kmeans_fit_sparse", &bind_sparse_fit<T>, "values"_a.noconvert(), "columns"_a, "row_starts"_a, "n_cols"_a, "start"_a,
             "weights"_a.none(), "options"_a, "progress"_a.none() = nb::none(),
             "K-means of CSR rows from the given start; always plain Lloyd.");
  module.def("sparse_nearest", &bind_sparse_nearest<T>, "values"_a.noconvert(), "columns"_a, "row_starts"_a, "Y"_a, "n_threads"_a = 0,
             "Index and squared Euclidean distance of the nearest row of Y for every CSR row.");
  module.def("sparse_pairwise_squared", &bind_pairwise<T>, "values"_a.noconvert(), "columns"_a, "row_starts"_a, "Y"_a,
             "n_threads"_a = 0, "All squared Euclidean distances from CSR rows to the rows of Y.");
}

}  // namespace

void bind_sparse(nb::module_& module) {
  bind_sparse_for<float>(module);
  bind_sparse_for<double>(module);
}

}  // namespace coterie
