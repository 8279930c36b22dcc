// The sums of an expectation step are those of the definition, written out.
#include "mixture/mixture.h"

#include <cmath>
#include <vector>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

// A mixture over uniform rows, with factors that are not multiples of the identity.
template <class T>
struct Case {
  std::int64_t n, cols, k;
  CovarianceShape shape;
  std::vector<T> rows;
  std::vector<double> shift, logs, means, factors, weights;

  Case(std::int64_t n, std::int64_t cols, std::int64_t k, CovarianceShape shape) : n(n), cols(cols), k(k), shape(shape) {
    const CounterRandom random(static_cast<std::uint64_t>(n * 31 + cols));
    std::uint64_t drawn = 0;
    const auto draw = [&] { return random.uniform(drawn++, 7) - 0.5; };
    for (std::int64_t i = 0; i < n * cols; ++i) rows.push_back(static_cast<T>(4 * draw() + 20));
    for (std::int64_t i = 0; i < n; ++i) weights.push_back(draw() + 0.5);
    for (std::int64_t j = 0; j < cols; ++j) shift.push_back(20 + draw());
    for (std::int64_t i = 0; i < k; ++i) logs.push_back(draw());
    for (std::int64_t i = 0; i < k * cols; ++i) means.push_back(2 * draw());
    const std::int64_t blocks = shape == CovarianceShape::tied ? 1 : k;
    for (std::int64_t b = 0; b < blocks; ++b)
      for (std::int64_t i = 0; i < cols; ++i) {
        if (shape == CovarianceShape::diagonal) factors.push_back(1 + draw());
        for (std::int64_t j = 0; shape != CovarianceShape::diagonal && j < cols; ++j)
          factors.push_back(i > j ? 0 : i == j ? 1 + draw() : draw());
      }
  }

  MixtureView view() const { return {shape, k, cols, shift.data(), logs.data(), means.data(), factors.data()}; }

  double deviation(std::int64_t row, std::int64_t component, std::int64_t column) const {
    return static_cast<double>(rows[static_cast<std::size_t>(row * cols + column)]) - shift[static_cast<std::size_t>(column)] -
           means[static_cast<std::size_t>(component * cols + column)];
  }

  double factor(std::int64_t component, std::int64_t i, std::int64_t j) const {
    if (shape == CovarianceShape::diagonal) return i == j ? factors[static_cast<std::size_t>(component * cols + i)] : 0;
    const std::int64_t block = shape == CovarianceShape::tied ? 0 : component;
    return factors[static_cast<std::size_t>((block * cols + i) * cols + j)];
  }

  double density(std::int64_t row, std::int64_t component) const {
    double squares = 0;
    for (std::int64_t j = 0; j < cols; ++j) {
      double value = 0;
      for (std::int64_t i = 0; i < cols; ++i) value += deviation(row, component, i) * factor(component, i, j);
      squares += value * value;
    }
    return std::exp(logs[static_cast<std::size_t>(component)] - squares / 2);
  }
};

bool near(double found, double expected, double tolerance) {
  return std::abs(found - expected) <= tolerance * (1 + std::abs(expected));
}

template <class T>
void check_sums(const Case<T>& data, double tolerance) {
  const auto k = static_cast<std::size_t>(data.k), cols = static_cast<std::size_t>(data.cols);
  const std::size_t per_scatter = data.shape == CovarianceShape::diagonal ? cols : cols * cols;
  std::vector<double> weight(k), deviation(k * cols), scatter(k * per_scatter), expected(k * per_scatter);
  double found = 0, log_likelihood = 0, found_entropy = 0, entropy = 0;
  mixture_sums<T>({data.rows.data(), data.n, data.cols, data.cols}, data.weights.data(), data.view(), 2,
                  {&found, weight.data(), deviation.data(), scatter.data(), &found_entropy});
  for (std::int64_t row = 0; row < data.n; ++row) {
    double total = 0;
    for (std::int64_t c = 0; c < data.k; ++c) total += data.density(row, c);
    log_likelihood += data.weights[static_cast<std::size_t>(row)] * std::log(total);
    for (std::int64_t c = 0; c < data.k; ++c) {
      const double share = data.weights[static_cast<std::size_t>(row)] * data.density(row, c) / total;
      if (share > 0) entropy -= share * std::log(data.density(row, c) / total);
      for (std::int64_t i = 0; i < data.cols; ++i)
        for (std::int64_t j = 0; j < data.cols; ++j) {
          const double product = share * data.deviation(row, c, i) * data.deviation(row, c, j);
          const std::int64_t at = data.shape == CovarianceShape::diagonal ? c * data.cols + i : (c * data.cols + i) * data.cols + j;
          if (data.shape != CovarianceShape::diagonal || i == j) expected[static_cast<std::size_t>(at)] += product;
        }
    }
  }
  CHECK(near(found, log_likelihood, tolerance));
  CHECK(near(found_entropy, entropy, tolerance));
  double whole = 0, all_weights = 0;
  for (double value : weight) whole += value;
  for (double value : data.weights) all_weights += value;
  CHECK(near(whole, all_weights, 1e-12));
  for (std::size_t i = 0; i < scatter.size(); ++i) CHECK(near(scatter[i], expected[i], tolerance));
}

TEST(mixture_sums_are_those_of_the_definition) {
  for (const CovarianceShape shape : {CovarianceShape::full, CovarianceShape::tied, CovarianceShape::diagonal})
    for (const std::int64_t cols : {1, 3, 4, 7, 16, 18}) {
      check_sums(Case<double>(1300, cols, 3, shape), 1e-10);
      check_sums(Case<float>(131, cols, 3, shape), 1e-3);
    }
}

TEST(mixture_labels_are_the_likeliest_components) {
  const Case<double> data(300, 5, 4, CovarianceShape::full);
  std::vector<double> logs(300), shares(1200);
  std::vector<std::int32_t> labels(300);
  mixture_rows<double>({data.rows.data(), 300, 5, 5}, data.view(), 2, {logs.data(), shares.data(), labels.data()});
  for (std::int64_t row = 0; row < 300; ++row)
    for (std::int64_t c = 0; c < 4; ++c) {
      const auto at = static_cast<std::size_t>(row);
      CHECK(data.density(row, labels[at]) >= data.density(row, c) * (1 - 1e-12));
      CHECK(near(shares[at * 4 + static_cast<std::size_t>(c)], data.density(row, c) / std::exp(logs[at]), 1e-10));
    }
}

}  // namespace
}  // namespace coterie
