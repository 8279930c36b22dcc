#include "mixture/latent_classes.h"

#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

// Rows of numbers and categories, checked once; keeps the arrays alive that the kernels read.
class LatentTable {
 public:
  LatentTable(Matrix<double> numbers, Matrix<std::int32_t> levels, std::int64_t n_levels, Vector<double> weights)
      : numbers_(numbers), levels_(levels), weights_(weights), n_levels_(n_levels) {
    check_size("levels", levels_.shape(0), view(numbers_).rows);
    check_size("weights", weights_.shape(0), view(numbers_).rows);
    check_that(n_levels >= 0 && n_levels < std::numeric_limits<std::int32_t>::max(), "n_levels must be at least 0 and fit 31 bits.");
    check_indices("levels", levels_.data(), levels_.size(), n_levels + 1);
  }

  LatentRows rows() const { return {view(numbers_), view(levels_), n_levels_, weights_.data()}; }

 private:
  Matrix<double> numbers_;
  Matrix<std::int32_t> levels_;
  Vector<double> weights_;
  std::int64_t n_levels_;
};

auto bind_sums(const LatentTable& table, const Vector<double>& log_weights, const Matrix<double>& log_tables,
               const Matrix<double>& log_factors, const Matrix<double>& means, const Matrix<double>& variances, int threads) {
  const LatentRows rows = table.rows();
  const std::int64_t k = static_cast<std::int64_t>(log_weights.shape(0)), numbers = rows.numbers.cols;
  check_that(k > 0, "log_weights must have an entry per class, and at least one.");
  check_size("log_tables", log_tables.shape(0), k);
  check_columns("log_tables", log_tables, rows.n_levels + 1);
  for (const auto* each : {&log_factors, &means, &variances}) {
    check_size("parameters of the numbers", each->shape(0), k);
    check_columns("parameters of the numbers", *each, numbers);
  }
  double log_likelihood = 0;
  auto weight = new_vector<double>(k);
  auto counts = new_matrix<double>(k, rows.n_levels + 1);
  auto mass = new_matrix<double>(k, numbers), deviation = new_matrix<double>(k, numbers), squares = new_matrix<double>(k, numbers);
  const LatentClassesView model = {k, log_weights.data(), log_tables.data(), log_factors.data(), means.data(), variances.data()};
  const LatentSums sums = {&log_likelihood, weight.data(), counts.data(), mass.data(), deviation.data(), squares.data()};
  without_gil([&] { latent_class_sums(rows, model, threads, sums); });
  return std::make_tuple(log_likelihood, weight, counts, mass, deviation, squares);
}

}  // namespace

void bind_latent_classes(nb::module_& module) {
  nb::class_<LatentTable>(module, "LatentTable", "Rows of numbers and categories, as the kernels of latent classes take them.")
      .def(nb::init<Matrix<double>, Matrix<std::int32_t>, std::int64_t, Vector<double>>(), "numbers"_a, "levels"_a, "n_levels"_a,
           "weights"_a);
  module.def("latent_class_sums", &bind_sums, "table"_a, "log_weights"_a, "log_tables"_a, "log_factors"_a, "means"_a, "variances"_a,
             "n_threads"_a = 0,
             "Log-likelihood, weight and counts of every class, and mass, deviations and squares of its numbers about the means.");
}

}  // namespace coterie
