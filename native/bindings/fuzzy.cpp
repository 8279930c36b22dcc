#include "kmeans/fuzzy.h"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

template <class T>
FuzzyView fuzzy_view(const Matrix<T>& X, const Matrix<double>& centres, const Vector<double>& shift, double fuzzifier) {
  check_size("shift", shift.shape(0), view(X).cols);
  check_columns("centres", centres, view(X).cols);
  check_that(view(centres).rows > 0, "centres must have at least one row.");
  check_that(std::isfinite(fuzzifier) && fuzzifier > 1, "fuzzifier must be above 1.");
  return {view(centres).rows, view(X).cols, fuzzifier, shift.data(), centres.data()};
}

template <class T>
auto bind_fuzzy_sums(const Matrix<T>& X, const Matrix<double>& centres, const Vector<double>& shift, double fuzzifier,
                     const std::optional<Vector<double>>& weights, int threads) {
  const FuzzyView model = fuzzy_view(X, centres, shift, fuzzifier);
  check_optional_size("weights", weights, view(X).rows);
  double objective = 0;
  auto weight = new_vector<double>(model.n_clusters);
  auto deviation = new_matrix<double>(model.n_clusters, model.cols);
  std::fill_n(weight.data(), model.n_clusters, 0.0);
  std::fill_n(deviation.data(), model.n_clusters * model.cols, 0.0);
  without_gil([&] { fuzzy_sums<T>(view(X), data_or_null(weights), model, threads, {&objective, weight.data(), deviation.data()}); });
  return std::make_tuple(objective, weight, deviation);
}

template <class T>
auto bind_fuzzy_rows(const Matrix<T>& X, const Matrix<double>& centres, const Vector<double>& shift, double fuzzifier, int threads) {
  const FuzzyView model = fuzzy_view(X, centres, shift, fuzzifier);
  auto labels = new_vector<std::int32_t>(view(X).rows);
  auto memberships = new_matrix<T>(view(X).rows, model.n_clusters);
  without_gil([&] { fuzzy_rows<T>(view(X), model, threads, {memberships.data(), labels.data()}); });
  return std::make_tuple(labels, memberships);
}

template <class T>
void bind_fuzzy_for(nb::module_& module) {
  module.def("fuzzy_sums", &bind_fuzzy_sums<T>, "X"_a.noconvert(), "centres"_a, "shift"_a, "fuzzifier"_a, "weights"_a = nb::none(),
             "n_threads"_a = 0, "The objective of fuzzy c-means, and per group the sum of u^m and of u^m (x - shift).");
  module.def("fuzzy_rows", &bind_fuzzy_rows<T>, "X"_a.noconvert(), "centres"_a, "shift"_a, "fuzzifier"_a, "n_threads"_a = 0,
             "The nearest group of each row, and its membership in every group.");
}

}  // namespace

void bind_fuzzy(nb::module_& module) {
  bind_fuzzy_for<float>(module);
  bind_fuzzy_for<double>(module);
}

}  // namespace coterie
