#include "kmeans/size_limits.h"

#include <nanobind/stl/tuple.h>

#include <cmath>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

void check_size_limits(const Vector<std::int64_t>& least, const Vector<std::int64_t>& most, std::int64_t n_rows,
                       std::int64_t n_groups) {
  check_size("least", least.shape(0), n_groups);
  check_size("most", most.shape(0), n_groups);
  check_that(n_rows < std::numeric_limits<std::int32_t>::max(), "costs must have fewer than 2**31 rows.");
  check_indices("least", least, n_rows + 1);
  check_indices("most", most, n_rows + 1);
  std::int64_t fewest = 0, greatest = 0;
  for (std::int64_t j = 0; j < n_groups; ++j) {
    check_that(least.data()[j] <= most.data()[j], "least must not exceed most.");
    fewest += least.data()[j];
    greatest += most.data()[j];
  }
  check_that(fewest <= n_rows && n_rows <= greatest, "least and most must leave room for all rows.");
}

auto assigned(const Matrix<double>& costs, const Vector<std::int64_t>& least, const Vector<std::int64_t>& most,
              const Vector<double>& prices) {
  const MatrixView<double> rows = view(costs);
  check_size_limits(least, most, rows.rows, rows.cols);
  check_size("prices", prices.shape(0), rows.cols);
  const auto is_finite = [](double number) { return std::isfinite(number); };
  check_that(std::all_of(costs.data(), costs.data() + costs.size(), is_finite), "costs must be finite.");
  check_that(std::all_of(prices.data(), prices.data() + prices.size(), is_finite), "prices must be finite.");
  auto labels = new_vector<std::int32_t>(rows.rows);
  auto found = new_vector<double>(rows.cols);
  std::copy_n(prices.data(), rows.cols, found.data());
  without_gil([&] { assign_within_sizes(rows, {least.data(), most.data()}, found.data(), labels.data()); });
  return std::make_tuple(labels, found);
}

// Squared distances, times the weights of the rows, as assign_within_sizes wants them.
auto settled_costs(const Matrix<double>& X, const Matrix<double>& Y, const std::optional<Vector<double>>& weights, int digits,
                   int threads) {
  const std::int64_t n = view(X).rows, k = view(Y).rows;
  check_columns("Y", Y, view(X).cols);
  check_optional_size("weights", weights, n);
  check_that(0 < digits && digits < std::numeric_limits<double>::digits, "digits must be at least 1 and below 53.");
  auto costs = new_matrix<double>(n, k);
  const Metric squared{Kernel::squared_difference, Finish::identity};
  int power = 0;
  without_gil([&] {
    store<double>(view(X), view(Y), squared, threads, {costs.data(), n, k, k});
    if (weights)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < k; ++j) costs.data()[i * k + j] *= weights->data()[i];
    power = settle_costs(costs.data(), n * k, digits, threads);
  });
  return std::make_tuple(costs, power);
}

double total_cost(const Matrix<double>& costs, const Vector<std::int32_t>& labels) {
  check_labels("labels", labels, view(costs).rows, view(costs).cols);
  return cost_of_labels(view(costs), labels.data());
}

}  // namespace

void bind_size_limits(nb::module_& module) {
  module.def("settled_costs", &settled_costs, "X"_a.noconvert(), "Y"_a, "weights"_a = nb::none(), "digits"_a = 40, "n_threads"_a = 0,
             "Weighted squared distances below 1, of so many binary digits, and the power of two that they were divided by.");
  module.def(
      "assign_within_sizes", &assigned, "costs"_a.noconvert(), "least"_a, "most"_a, "prices"_a,
      "Labels of least total cost with least[j] to most[j] rows in group j, and the prices of a place in each group; prices that "
      "are known nearly save work.");
  module.def("cost_of_labels", &total_cost, "costs"_a.noconvert(), "labels"_a,
             "The sum of what each row costs in the group that its label names.");
}

}  // namespace coterie
