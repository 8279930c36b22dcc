#include "kmeans/kmeans.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/kmeans_fit.h"
#include "kmeans/column_moments.h"
#include "kmeans/label_rows.h"

namespace coterie {
namespace {

// What runs on the same rows hand on to each other.
struct KMeansMemory {
  KeptTree<float> float32;
  KeptTree<double> float64;
  std::int64_t rows = -1, cols = -1;  // of the first run

  void check_rows(std::int64_t n, std::int64_t n_cols) {
    if (rows < 0) rows = n, cols = n_cols;
    check_that(rows == n && cols == n_cols, "memory must be of runs on the same rows.");
  }

  template <class T>
  KeptTree<T>& of() {
    if constexpr (sizeof(T) == 4)
      return float32;
    else
      return float64;
  }
};

template <class T>
KMeansFit bind_fit(const Matrix<T>& X, const Matrix<T>& start, const std::optional<Vector<double>>& weights,
                   const KMeansOptions& options, const nb::object& progress, const std::optional<ColumnMoments>& columns,
                   KMeansMemory* memory) {
  check_columns("start", start, view(X).cols);
  check_optional_size("weights", weights, view(X).rows);
  if (columns) check_moments(*columns, view(X).cols);
  if (memory != nullptr) memory->check_rows(view(X).rows, view(X).cols);
  KeptTree<T> tree = memory == nullptr ? nullptr : memory->of<T>();
  KMeansFit fit =
      fit_for_python<T>(start, view(X).rows, progress, [&](const auto& centres, const KMeansProgress& report, std::int32_t* labels) {
        const ColumnMoments moments = columns ? *columns : column_moments<T>(view(X), data_or_null(weights), options.threads);
        return run_kmeans<T>(view(X), data_or_null(weights), moments, centres, options, report, labels, &tree);
      });
  if (memory != nullptr) memory->of<T>() = std::move(tree);
  return fit;
}

template <class T>
ColumnMoments bind_moments(const Matrix<T>& X, const std::optional<Vector<double>>& weights, int threads) {
  check_optional_size("weights", weights, view(X).rows);
  const nb::gil_scoped_release release;
  return column_moments<T>(view(X), data_or_null(weights), threads);
}

template <class T>
auto bind_labels(const Matrix<T>& X, const Matrix<T>& centres, const Vector<T>& origin, const std::optional<Vector<double>>& weights,
                 int threads) {
  check_columns("centres", centres, view(X).cols);
  check_size("origin", origin.shape(0), view(X).cols);
  check_optional_size("weights", weights, view(X).rows);
  auto labels = new_vector<std::int32_t>(view(X).rows);
  double inertia = 0;
  without_gil([&] { inertia = label_rows<T>(view(X), data_or_null(weights), origin.data(), view(centres), threads, labels.data()); });
  return std::make_pair(labels, inertia);
}

template <class T>
auto bind_step(const Matrix<T>& X, const Matrix<T>& centres, const Vector<double>& counts,
               const std::optional<Vector<double>>& weights, int threads) {
  const std::int64_t k = view(centres).rows, cols = view(centres).cols;
  check_columns("X", X, cols);
  check_size("counts", counts.shape(0), k);
  check_optional_size("weights", weights, view(X).rows);
  auto moved = new_matrix<T>(k, cols);
  auto seen = new_vector<double>(k);
  std::copy(centres.data(), centres.data() + k * cols, moved.data());
  std::copy(counts.data(), counts.data() + k, seen.data());
  double inertia = 0;
  without_gil(
      [&] { inertia = step_with_batch<T>(view(X), data_or_null(weights), {moved.data(), k, cols, cols}, seen.data(), threads); });
  return std::make_tuple(moved, seen, inertia);
}

template <class T>
void bind_kmeans_for(nb::module_& module) {
  module.def("kmeans_fit", &bind_fit<T>, "X"_a.noconvert(), "start"_a, "weights"_a.none(), "options"_a,
             "progress"_a.none() = nb::none(), "columns"_a.none() = nb::none(), "memory"_a.none() = nb::none(),
             "K-means from the given start; `columns` are the moments of X, if they are known, `memory` of runs on the same rows and "
             "weights.");
  module.def("kmeans_labels", &bind_labels<T>, "X"_a.noconvert(), "centres"_a, "origin"_a, "weights"_a.none() = nb::none(),
             "n_threads"_a = 0, "The nearest centre of every row, and the weighted sum of squared distances.");
  module.def("kmeans_step", &bind_step<T>, "X"_a.noconvert(), "centres"_a, "counts"_a, "weights"_a.none() = nb::none(),
             "n_threads"_a = 0, "One step of mini-batch k-means: new centres, new counts, inertia before the step.");
  module.def("column_moments", &bind_moments<T>, "X"_a.noconvert(), "weights"_a.none() = nb::none(), "n_threads"_a = 0,
             "Mean, variance, least and greatest of every column.");
}

}  // namespace

void bind_kmeans(nb::module_& module) {
  nb::enum_<KMeansAlgorithm>(module, "KMeansAlgorithm")
      .value("auto", KMeansAlgorithm::automatic)
      .value("lloyd", KMeansAlgorithm::lloyd)
      .value("hamerly", KMeansAlgorithm::hamerly)
      .value("exponion", KMeansAlgorithm::exponion)
      .value("filter", KMeansAlgorithm::filter);
  nb::class_<KMeansOptions>(module, "KMeansOptions", "How k-means runs and when it stops.")
      .def(
          "__init__",
          [](KMeansOptions* self, std::int64_t max_iter, double tol, double tol_inertia, KMeansAlgorithm algorithm, bool unit_centres,
             int threads) { new (self) KMeansOptions{max_iter, tol, tol_inertia, algorithm, unit_centres, threads}; },
          nb::kw_only(), "max_iter"_a = 300, "tol"_a = 0.0, "tol_inertia"_a = -1.0, "algorithm"_a = KMeansAlgorithm::automatic,
          "unit_centres"_a = false, "n_threads"_a = 0);
  nb::class_<KMeansMemory>(module, "KMeansMemory", "What runs on the same rows and weights hand on to each other.").def(nb::init<>());
  nb::class_<ColumnMoments>(module, "ColumnMoments", "Facts about columns; unpacks into mean, variance, low, high.")
      .def("__getstate__", [](const ColumnMoments& m) { return std::make_tuple(m.mean, m.variance, m.low, m.high, m.total_weight); })
      .def("__setstate__",
           [](ColumnMoments& self,
              const std::tuple<std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>, double>& state) {
             new (&self)
                 ColumnMoments{std::get<0>(state), std::get<1>(state), std::get<2>(state), std::get<3>(state), std::get<4>(state)};
           })
      .def_ro("total_weight", &ColumnMoments::total_weight)
      .def_ro("mean", &ColumnMoments::mean)
      .def_ro("variance", &ColumnMoments::variance)
      .def_ro("low", &ColumnMoments::low)
      .def_ro("high", &ColumnMoments::high)
      .def("__iter__", [](const ColumnMoments& self) {
        return nb::iter(nb::cast(std::make_tuple(self.mean, self.variance, self.low, self.high)));
      });
  nb::class_<KMeansFit>(module, "KMeansFit", "What a k-means run ends with.")
      .def_ro("labels", &KMeansFit::labels)
      .def_ro("centres", &KMeansFit::centres)
      .def_prop_ro("inertia", [](const KMeansFit& fit) { return fit.outcome.inertia; })
      .def_prop_ro("n_iter", [](const KMeansFit& fit) { return fit.outcome.n_iter; })
      .def_prop_ro("centre_shift", [](const KMeansFit& fit) { return fit.outcome.centre_shift; })
      .def_prop_ro("is_strict", [](const KMeansFit& fit) { return fit.outcome.is_strict; })
      .def_prop_ro("algorithm", [](const KMeansFit& fit) { return fit.outcome.algorithm; });
  bind_kmeans_for<float>(module);
  bind_kmeans_for<double>(module);
}

}  // namespace coterie
