#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "categorical/kprototypes.h"

namespace coterie {
namespace {

using TableNumbers = Matrix<double>;
using TableCodes = Matrix<std::int32_t>;

// TableCodes below their number of levels, and prototypes of as many columns as the rows.
void check_prototypes(const TableNumbers& numbers, const TableCodes& codes, const Vector<std::int64_t>& n_levels,
                      const TableNumbers& means, const TableCodes& modes) {
  check_size("codes", codes.shape(0), view(numbers).rows);
  check_size("n_levels", n_levels.shape(0), view(codes).cols);
  check_size("modes", modes.shape(0), view(means).rows);
  check_that(means.shape(0) > 0, "means must have a row per cluster, and at least one.");
  check_that(means.shape(1) == numbers.shape(1) && modes.shape(1) == codes.shape(1), "prototypes must have the columns of the rows.");
  for (std::int64_t i = 0; i < view(codes).rows; ++i)
    for (std::int64_t t = 0; t < view(codes).cols; ++t)
      check_that(view(codes).row(i)[t] < n_levels.data()[t], "codes must be below n_levels.");
}

Prototypes prototypes_of(const TableNumbers& means, const TableCodes& modes) {
  return {view(means).rows, {means.data(), means.data() + means.size()}, {modes.data(), modes.data() + modes.size()}};
}

auto bind_label_by_prototypes(const TableNumbers& numbers, const TableCodes& codes, const Vector<std::int64_t>& n_levels,
                              const TableNumbers& means, const TableCodes& modes, double gamma, int threads) {
  check_prototypes(numbers, codes, n_levels, means, modes);
  auto labels = new_vector<std::int32_t>(view(numbers).rows);
  auto costs = new_vector<double>(view(numbers).rows);
  const MixedRows rows{view(numbers), view(codes), n_levels.data(), nullptr, gamma};
  without_gil([&] { label_by_prototypes(rows, prototypes_of(means, modes), threads, labels.data(), costs.data()); });
  return std::make_tuple(labels, costs);
}

auto bind_fit_prototypes(const TableNumbers& numbers, const TableCodes& codes, const Vector<std::int64_t>& n_levels,
                         const std::optional<Vector<double>>& weights, const TableNumbers& means, const TableCodes& modes,
                         double gamma, std::int64_t max_passes, int threads) {
  check_prototypes(numbers, codes, n_levels, means, modes);
  check_optional_size("weights", weights, view(numbers).rows);
  const MixedRows rows{view(numbers), view(codes), n_levels.data(), data_or_null(weights), gamma};
  PrototypeFit fit;
  without_gil([&] { fit = fit_prototypes(rows, prototypes_of(means, modes), max_passes, threads); });
  auto found_means = new_matrix<double>(view(means).rows, view(means).cols);
  auto found_modes = new_matrix<std::int32_t>(view(modes).rows, view(modes).cols);
  std::copy(fit.prototypes.means.begin(), fit.prototypes.means.end(), found_means.data());
  std::copy(fit.prototypes.modes.begin(), fit.prototypes.modes.end(), found_modes.data());
  return std::make_tuple(copied(fit.labels), found_means, found_modes, copied(fit.costs), fit.is_settled);
}

}  // namespace

void bind_categorical(nb::module_& module) {
  module.def("label_by_prototypes", &bind_label_by_prototypes, "numbers"_a, "codes"_a, "n_levels"_a, "means"_a, "modes"_a, "gamma"_a,
             "n_threads"_a = 0, "The nearest prototype of each row, and what it costs.");
  module.def("fit_prototypes", &bind_fit_prototypes, "numbers"_a, "codes"_a, "n_levels"_a, "weights"_a.none(), "means"_a, "modes"_a,
             "gamma"_a, "max_passes"_a, "n_threads"_a = 0,
             "Labels, means, modes, costs of the passes, and whether no row moved in the last one.");
}

}  // namespace coterie
