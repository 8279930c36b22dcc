// The memberships of fuzzy c-means, its sums and its objective are those of the definition, written out.
#include "kmeans/fuzzy.h"

#include <cmath>
#include <vector>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

template <class T>
void check_fuzzy(std::int64_t n, std::int64_t cols, std::int64_t k, double m, double tolerance) {
  const CounterRandom random(static_cast<std::uint64_t>(n * 31 + cols));
  std::uint64_t drawn = 0;
  const auto draw = [&] { return random.uniform(drawn++, 7) - 0.5; };
  std::vector<T> rows;
  std::vector<double> centres, weights;
  const std::vector<double> shift(static_cast<std::size_t>(cols), 20.0);
  for (std::int64_t i = 0; i < n * cols; ++i) rows.push_back(static_cast<T>(4 * draw() + 20));
  for (std::int64_t i = 0; i < k * cols; ++i) centres.push_back(2 * draw());
  for (std::int64_t j = 0; j < cols; ++j)  // the first row is at the first centre
    centres[static_cast<std::size_t>(j)] = static_cast<double>(rows[static_cast<std::size_t>(j)]) - 20.0;
  for (std::int64_t i = 0; i < n; ++i) weights.push_back(draw() + 0.5);
  const FuzzyView model = {k, cols, m, shift.data(), centres.data()};
  const MatrixView<T> X = {rows.data(), n, cols, cols};
  const auto groups = static_cast<std::size_t>(k), size = static_cast<std::size_t>(k * cols);
  std::vector<double> weight(groups), deviation(size), expected_weight(groups), expected(size);
  std::vector<T> memberships(static_cast<std::size_t>(n * k));
  std::vector<std::int32_t> labels(static_cast<std::size_t>(n));
  double objective = 0, expected_objective = 0;
  fuzzy_sums<T>(X, weights.data(), model, 2, {&objective, weight.data(), deviation.data()});
  fuzzy_rows<T>(X, model, 2, {memberships.data(), labels.data()});
  const auto near = [&](double found, double wanted) { return std::abs(found - wanted) <= tolerance * (1 + std::abs(wanted)); };
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<double> squared(groups), share(groups);
    double total = 0;
    std::size_t nearest = 0;
    for (std::size_t c = 0; c < groups; ++c) {
      for (std::int64_t j = 0; j < cols; ++j) {
        const double away =
            static_cast<double>(X.row(i)[j]) - 20.0 - centres[c * static_cast<std::size_t>(cols) + static_cast<std::size_t>(j)];
        squared[c] += away * away;
      }
      if (squared[c] < squared[nearest]) nearest = c;
    }
    for (std::size_t c = 0; c < groups; ++c) total += share[c] = i == 0 ? c == 0 : std::pow(squared[c], -1 / (m - 1));
    CHECK(labels[static_cast<std::size_t>(i)] == static_cast<std::int32_t>(nearest));
    for (std::size_t c = 0; c < groups; ++c) {
      const double u = share[c] / total, own = weights[static_cast<std::size_t>(i)] * std::pow(u, m);
      CHECK(near(static_cast<double>(memberships[static_cast<std::size_t>(i) * groups + c]), u));
      expected_objective += own * squared[c];
      expected_weight[c] += own;
      for (std::int64_t j = 0; j < cols; ++j)
        expected[c * static_cast<std::size_t>(cols) + static_cast<std::size_t>(j)] += own * (static_cast<double>(X.row(i)[j]) - 20.0);
    }
  }
  CHECK(near(objective, expected_objective));
  for (std::size_t c = 0; c < groups; ++c) CHECK(near(weight[c], expected_weight[c]));
  for (std::size_t i = 0; i < size; ++i) CHECK(near(deviation[i], expected[i]));
}

TEST(fuzzy_sums_are_those_of_the_definition) {
  for (const double m : {1.2, 2.0, 3.5})
    for (const std::int64_t cols : {1, 2, 3, 8, 13})
      for (const std::int64_t k : {1, 2, 5, 8}) {
        check_fuzzy<double>(300, cols, k, m, 1e-10);
        check_fuzzy<float>(131, cols, k, m, 1e-5);
      }
  check_fuzzy<double>(5000, 3, 4, 2.0, 1e-10);  // several tasks
}

}  // namespace
}  // namespace coterie
