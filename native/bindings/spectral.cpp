#include "spectral/affinity.h"

#include <stdexcept>

#include "bindings/bindings.h"

namespace coterie {
namespace {

template <class T>
NewMatrix<double> bind_product(const Matrix<T>& X, const Matrix<T>& Y, const Matrix<T>& values, double gamma,
                               const std::optional<Vector<T>>& X_scales, const std::optional<Vector<T>>& Y_scales, int threads) {
  const auto fits = [](const std::optional<Vector<T>>& scales, const Matrix<T>& rows) {
    return !scales || scales->shape(0) == rows.shape(0);
  };
  if (X.shape(1) != Y.shape(1) || values.shape(0) != Y.shape(0) || !fits(X_scales, X) || !fits(Y_scales, Y))
    throw std::invalid_argument("rows, values and scales do not fit together");
  auto product = new_matrix<double>(view(X).rows, view(values).cols);
  const AffinityProblem<T> problem = {view(X), data_or_null(X_scales), view(Y), data_or_null(Y_scales), gamma};
  without_gil([&] { multiply_affinities<T>(problem, values.data(), view(values).cols, threads, product.data()); });
  return product;
}

template <class T>
void bind_spectral_for(nb::module_& module) {
  module.def("affinity_product", &bind_product<T>, "X"_a.noconvert(), "Y"_a, "values"_a, "gamma"_a, "X_scales"_a = nb::none(),
             "Y_scales"_a = nb::none(), "n_threads"_a = 0,
             "Gaussian affinities of the rows of X and Y times values; zero of a row with itself when Y is X.");
}

}  // namespace

void bind_spectral(nb::module_& module) {
  bind_spectral_for<float>(module);
  bind_spectral_for<double>(module);
}

}  // namespace coterie
