#include "distance/barycentres.h"

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "distance/distance_matrix.h"
#include "distance/powers.h"
#include "distance/ranks.h"
#include "distance/sphere.h"
#include "support/cpu_dispatch.h"

namespace coterie {
namespace {

template <class T>
auto bind_centres(const Matrix<T>& X, const Vector<std::int32_t>& labels, std::int64_t n_clusters,
                  const std::optional<Vector<double>>& weights, Barycentre kind, double p, int threads) {
  const std::int64_t cols = view(X).cols;
  check_labels("labels", labels, view(X).rows, n_clusters, std::numeric_limits<std::int32_t>::min());
  check_optional_size("weights", weights, view(X).rows);
  auto out = new_matrix<T>(n_clusters, cols);
  const LabelledRows<T> rows{view(X), labels.data(), data_or_null(weights)};
  without_gil([&] { barycentres<T>(rows, kind, p, threads, {out.data(), n_clusters, cols, cols}); });
  return out;
}

template <class T>
auto bind_ranks(const Matrix<T>& X, int threads) {
  auto out = new_matrix<T>(view(X).rows, view(X).cols);
  without_gil([&] { row_ranks<T>(view(X), threads, {out.data(), view(X).rows, view(X).cols, view(X).cols}); });
  return out;
}

auto bind_powers(const Vector<double>& values, double p) {
  auto out = new_vector<double>(static_cast<std::int64_t>(values.shape(0)));
  std::copy(values.data(), values.data() + values.shape(0), out.data());
  engine().powers.raise(out.data(), static_cast<std::int64_t>(values.shape(0)), p);
  return out;
}

auto bind_unit_vectors(const Matrix<double>& X, bool in_degrees, int threads) {
  check_that(view(X).cols == 2, "X must have two columns: latitude and longitude.");
  auto out = new_matrix<double>(view(X).rows, 3);
  without_gil([&] { unit_vectors(view(X), in_degrees, threads, {out.data(), view(X).rows, 3, 3}); });
  return out;
}

template <class T>
auto bind_matrix_facts(const Matrix<T>& D, int threads) {
  const nb::gil_scoped_release release;
  return matrix_facts<T>(view(D), threads);
}

template <class T>
void bind_distances_for(nb::module_& module) {
  module.def("barycentres", &bind_centres<T>, "X"_a.noconvert(), "labels"_a, "n_clusters"_a, "weights"_a.none(), "kind"_a, "p"_a = 2.0,
             "n_threads"_a = 0, "The barycentre of each cluster; NaN where it has no weight.");
  module.def("row_ranks", &bind_ranks<T>, "X"_a.noconvert(), "n_threads"_a = 0,
             "Ranks within each row, from 1; equal numbers share their mean rank.");
  module.def("matrix_facts", &bind_matrix_facts<T>, "D"_a.noconvert(), "n_threads"_a = 0,
             "What a square matrix must be to be taken for distances.");
}

}  // namespace

void bind_distances(nb::module_& module) {
  nb::enum_<Barycentre>(module, "Barycentre")
      .value("mean", Barycentre::mean)
      .value("median", Barycentre::median)
      .value("mode", Barycentre::mode)
      .value("p_centre", Barycentre::p_centre);
  nb::class_<MatrixFacts>(module, "MatrixFacts", "See matrix_facts.")
      .def_ro("is_nonnegative", &MatrixFacts::is_nonnegative)
      .def_ro("largest", &MatrixFacts::largest)
      .def_ro("largest_diagonal", &MatrixFacts::largest_diagonal)
      .def_ro("largest_asymmetry", &MatrixFacts::largest_asymmetry);
  bind_distances_for<float>(module);
  bind_distances_for<double>(module);
  module.def("powers", &bind_powers, "values"_a, "p"_a, "values ** p by the vectors of the kernels, for values >= 0 and p > 0.");
  module.def("unit_vectors", &bind_unit_vectors, "X"_a.noconvert(), "in_degrees"_a = false, "n_threads"_a = 0,
             "Unit vectors of latitudes and longitudes.");
}

}  // namespace coterie
