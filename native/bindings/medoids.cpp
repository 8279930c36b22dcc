#include "medoids/medoids.h"

#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

using Ids = Vector<std::int64_t>;
using MaybeWeights = std::optional<Vector<double>>;

using Starts = Matrix<std::int64_t>;

std::vector<std::int64_t> list_of(const Ids& ids) { return {ids.data(), ids.data() + ids.shape(0)}; }

std::vector<std::vector<std::int64_t>> rows_of(const Starts& starts) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < starts.shape(0); ++i)
    rows.emplace_back(starts.data() + i * starts.shape(1), starts.data() + (i + 1) * starts.shape(1));
  return rows;
}

SwapProgress report_to(const nb::object& callback) {
  if (callback.is_none()) return {};
  return [&callback](std::int64_t pass, double loss) {
    const nb::gil_scoped_acquire gil;
    callback(pass, loss);
  };
}

template <class T>
std::vector<std::int64_t> build(DistanceRows<T>& rows, const Ids& candidates, const MaybeWeights& weights, std::int64_t k,
                                int threads) {
  check_indices("candidates", candidates, rows.n_candidates());
  check_optional_size("weights", weights, rows.n_points());
  check_that(k >= 0 && k <= static_cast<std::int64_t>(candidates.shape(0)), "n_medoids must be at most the number of candidates.");
  return build_medoids<T>(rows, list_of(candidates), data_or_null(weights), k, threads);
}

template <class T>
std::vector<SwapOutcome> swap(DistanceRows<T>& rows, const Ids& candidates, const MaybeWeights& weights, const Starts& starts,
                              const SwapOptions& options, const nb::object& progress) {
  check_indices("candidates", candidates, rows.n_candidates());
  check_indices("starts", starts.data(), starts.size(), rows.n_candidates());
  check_optional_size("weights", weights, rows.n_points());
  const SwapProgress report = report_to(progress);
  const nb::gil_scoped_release release;
  return swap_medoids<T>(rows, list_of(candidates), data_or_null(weights), rows_of(starts), options, report);
}

template <class T>
auto build_given(const Matrix<T>& D, const Ids& candidates, const MaybeWeights& weights, std::int64_t k, int threads) {
  const nb::gil_scoped_release release;
  GivenRows<T> rows(view(D));
  return build<T>(rows, candidates, weights, k, threads);
}

template <class T>
auto build_computed(const Matrix<T>& X, const Matrix<T>& points, const Metric& metric, const Ids& candidates,
                    const MaybeWeights& weights, std::int64_t k, int threads) {
  check_columns("points", points, view(X).cols);
  const nb::gil_scoped_release release;
  ComputedRows<T> rows(view(X), view(points), metric, threads);
  return build<T>(rows, candidates, weights, k, threads);
}

template <class T>
auto swap_given(const Matrix<T>& D, const Ids& candidates, const MaybeWeights& weights, const Starts& starts,
                const SwapOptions& options, const nb::object& progress) {
  GivenRows<T> rows(view(D));
  return swap<T>(rows, candidates, weights, starts, options, progress);
}

template <class T>
auto swap_computed(const Matrix<T>& X, const Matrix<T>& points, const Metric& metric, const Ids& candidates,
                   const MaybeWeights& weights, const Starts& starts, const SwapOptions& options, const nb::object& progress) {
  check_columns("points", points, view(X).cols);
  ComputedRows<T> rows(view(X), view(points), metric, options.threads);
  return swap<T>(rows, candidates, weights, starts, options, progress);
}

template <class T>
void bind_medoids_for(nb::module_& module) {
  module.def("build_medoids", &build_given<T>, "D"_a.noconvert(), "candidates"_a, "weights"_a.none(), "n_medoids"_a, "n_threads"_a = 0,
             "BUILD from the distances of candidates (rows) to points (columns).");
  module.def("build_medoids", &build_computed<T>, "X"_a.noconvert(), "points"_a, "metric"_a, "candidates"_a, "weights"_a.none(),
             "n_medoids"_a, "n_threads"_a = 0, "BUILD without a matrix: rows of X are candidates.");
  module.def("swap_medoids", &swap_given<T>, "D"_a.noconvert(), "candidates"_a, "weights"_a.none(), "starts"_a, "options"_a,
             "progress"_a.none() = nb::none(), "Swap medoids for candidates while that lowers the loss, from each row of starts.");
  module.def("swap_medoids", &swap_computed<T>, "X"_a.noconvert(), "points"_a, "metric"_a, "candidates"_a, "weights"_a.none(),
             "starts"_a, "options"_a, "progress"_a.none() = nb::none(), "The same without a matrix.");
}

}  // namespace

void bind_medoids(nb::module_& module) {
  nb::enum_<MedoidObjective>(module, "MedoidObjective")
      .value("distance", MedoidObjective::distance)
      .value("silhouette", MedoidObjective::silhouette);
  nb::enum_<SwapRule>(module, "SwapRule").value("first", SwapRule::first).value("best", SwapRule::best);
  nb::class_<SwapOptions>(module, "SwapOptions", "What swaps improve, which are taken, and when to stop.")
      .def(
          "__init__",
          [](SwapOptions* self, MedoidObjective objective, SwapRule rule, std::int64_t max_passes, int threads) {
            new (self) SwapOptions{objective, rule, max_passes, threads};
          },
          "objective"_a, "rule"_a, "max_passes"_a, "n_threads"_a = 0);
  nb::class_<SwapOutcome>(module, "SwapOutcome", "What swapping ends with.")
      .def_ro("medoids", &SwapOutcome::medoids)
      .def_ro("loss", &SwapOutcome::loss)
      .def_ro("n_swaps", &SwapOutcome::n_swaps)
      .def_ro("n_passes", &SwapOutcome::n_passes)
      .def_ro("is_settled", &SwapOutcome::is_settled);
  bind_medoids_for<float>(module);
  bind_medoids_for<double>(module);
}

}  // namespace coterie
