#include "mixture/mixture.h"

#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "bindings/bindings.h"

namespace coterie {
namespace {

CovarianceShape shape_named(const std::string& name) {
  if (name == "full") return CovarianceShape::full;
  if (name == "tied") return CovarianceShape::tied;
  if (name == "diag") return CovarianceShape::diagonal;
  throw std::invalid_argument("no such shape of covariances: " + name);
}

// Parameters of a mixture; keeps the arrays alive that the kernels read.
class Mixture {
 public:
  Mixture(const std::string& shape, Vector<double> shift, Vector<double> log_factors, Matrix<double> means, Vector<double> factors)
      : shape_(shape_named(shape)), shift_(shift), log_factors_(log_factors), means_(means), factors_(factors) {
    const std::size_t k = log_factors_.shape(0), cols = shift_.shape(0);
    const std::size_t expected =
        shape_ == CovarianceShape::full ? k * cols * cols : (shape_ == CovarianceShape::tied ? cols : k) * cols;
    if (means_.shape(0) != k || means_.shape(1) != cols || factors_.shape(0) != expected)
      throw std::invalid_argument("means or factors do not fit the number of components and columns");
  }

  MixtureView view() const {
    return {shape_,
            static_cast<std::int64_t>(log_factors_.shape(0)),
            static_cast<std::int64_t>(shift_.shape(0)),
            shift_.data(),
            log_factors_.data(),
            means_.data(),
            factors_.data()};
  }

  MixtureView view_for(std::int64_t cols) const {
    if (cols != view().cols) throw std::invalid_argument("rows do not have the columns of the mixture");
    return view();
  }

 private:
  CovarianceShape shape_;
  Vector<double> shift_, log_factors_;
  Matrix<double> means_;
  Vector<double> factors_;
};

template <class T>
auto bind_mixture_sums(const Matrix<T>& X, const Mixture& mixture, const std::optional<Vector<double>>& weights, int threads) {
  const MixtureView model = mixture.view_for(view(X).cols);
  if (weights && static_cast<std::int64_t>(weights->shape(0)) != view(X).rows) throw std::invalid_argument("one weight per row");
  double log_likelihood = 0, entropy = 0;
  auto weight = new_vector<double>(model.n_components);
  auto deviation = new_matrix<double>(model.n_components, model.cols);
  auto scatter = new_matrix<double>(model.n_components, model.cols * (model.shape == CovarianceShape::diagonal ? 1 : model.cols));
  const MixtureSums sums = {&log_likelihood, weight.data(), deviation.data(), scatter.data(), &entropy};
  without_gil([&] { mixture_sums<T>(view(X), data_or_null(weights), model, threads, sums); });
  return std::make_tuple(log_likelihood, weight, deviation, scatter, entropy);
}

template <class T>
auto bind_mixture_labels(const Matrix<T>& X, const Mixture& mixture, int threads) {
  auto labels = new_vector<std::int32_t>(view(X).rows);
  auto logs = new_vector<T>(view(X).rows);
  without_gil([&] { mixture_rows<T>(view(X), mixture.view_for(view(X).cols), threads, {logs.data(), nullptr, labels.data()}); });
  return std::make_tuple(labels, logs);
}

template <class T>
auto bind_shares(const Matrix<T>& X, const Mixture& mixture, int threads) {
  auto shares = new_matrix<T>(view(X).rows, mixture.view().n_components);
  without_gil([&] { mixture_rows<T>(view(X), mixture.view_for(view(X).cols), threads, {nullptr, shares.data(), nullptr}); });
  return shares;
}

template <class T>
void bind_mixture_for(nb::module_& module) {
  module.def(
      "mixture_sums", &bind_mixture_sums<T>, "X"_a.noconvert(), "mixture"_a, "weights"_a = nb::none(), "n_threads"_a = 0,
      "Log-likelihood, weight, summed deviations and scatter about the means of each component, and the entropy of the shares.");
  module.def("mixture_labels", &bind_mixture_labels<T>, "X"_a.noconvert(), "mixture"_a, "n_threads"_a = 0,
             "The likeliest component and the log-likelihood of each row.");
  module.def("mixture_shares", &bind_shares<T>, "X"_a.noconvert(), "mixture"_a, "n_threads"_a = 0,
             "The probability of each component for each row.");
}

}  // namespace

void bind_mixture(nb::module_& module) {
  nb::class_<Mixture>(module, "Mixture", "Parameters of a Gaussian mixture, as the kernels take them.")
      .def(nb::init<const std::string&, Vector<double>, Vector<double>, Matrix<double>, Vector<double>>(), "shape"_a, "shift"_a,
           "log_factors"_a, "means"_a, "factors"_a);
  bind_mixture_for<float>(module);
  bind_mixture_for<double>(module);
}

}  // namespace coterie
