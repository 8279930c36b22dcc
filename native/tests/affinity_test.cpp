// Products with affinities are those of the matrix written out.
#include "spectral/affinity.h"

#include <cmath>
#include <vector>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

template <class T>
std::vector<T> numbers(std::int64_t count, std::uint64_t seed) {
  const CounterRandom random(seed);
  std::vector<T> drawn;
  for (std::int64_t i = 0; i < count; ++i) drawn.push_back(static_cast<T>(random.uniform(static_cast<std::uint64_t>(i), 1)));
  return drawn;
}

template <class T>
void check_product(std::int64_t n, std::int64_t m, std::int64_t cols, std::int64_t width, bool scaled, double tolerance) {
  const bool is_same = m == 0;
  const std::vector<T> Y = numbers<T>(n * cols, 1), others = numbers<T>(m * cols, 2), values = numbers<T>(n * width, 3);
  const std::vector<T> Y_scales = numbers<T>(n, 4), X_scales = is_same ? Y_scales : numbers<T>(m, 5);
  const std::int64_t rows = is_same ? n : m;
  const std::vector<T>& X = is_same ? Y : others;
  std::vector<double> product(static_cast<std::size_t>(rows * width));
  const AffinityProblem<T> problem = {{X.data(), rows, cols, cols},
                                      scaled ? X_scales.data() : nullptr,
                                      {Y.data(), n, cols, cols},
                                      scaled ? Y_scales.data() : nullptr,
                                      3.0};
  multiply_affinities<T>(problem, values.data(), width, 2, product.data());
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<double> expected(static_cast<std::size_t>(width), 0.0);
    for (std::int64_t j = 0; j < n; ++j) {
      double square = 0;
      for (std::int64_t t = 0; t < cols; ++t) {
        const double gap = static_cast<double>(X[static_cast<std::size_t>(i * cols + t)]) -
                           static_cast<double>(Y[static_cast<std::size_t>(j * cols + t)]);
        square += gap * gap;
      }
      if (scaled)
        square *=
            static_cast<double>(X_scales[static_cast<std::size_t>(i)]) * static_cast<double>(Y_scales[static_cast<std::size_t>(j)]);
      const double affinity = is_same && i == j ? 0.0 : std::exp(-3.0 * square);
      for (std::int64_t c = 0; c < width; ++c)
        expected[static_cast<std::size_t>(c)] += affinity * static_cast<double>(values[static_cast<std::size_t>(j * width + c)]);
    }
    for (std::int64_t c = 0; c < width; ++c)
      CHECK(std::abs(product[static_cast<std::size_t>(i * width + c)] - expected[static_cast<std::size_t>(c)]) < tolerance);
  }
}

TEST(products_with_affinities_are_those_of_the_matrix) {
  for (const bool scaled : {false, true})
    for (const std::int64_t others : {0, 1, 70}) {
      check_product<double>(300, others, 3, 1, scaled, 1e-11);
      check_product<double>(5, others, 1, 17, scaled, 1e-12);
      check_product<float>(300, others, 4, 16, scaled, 2e-3);
    }
}

}  // namespace
}  // namespace coterie
