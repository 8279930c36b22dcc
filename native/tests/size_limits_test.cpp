#include "kmeans/size_limits.h"

#include <cmath>
#include <limits>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

struct Problem {
  std::int64_t n, k;
  std::vector<double> costs;
  std::vector<std::int64_t> least, most;
};

Problem random_problem(std::int64_t n, std::int64_t k, std::uint64_t seed) {
  const CounterRandom random(seed);
  Problem problem = {n, k, std::vector<double>(n * k), std::vector<std::int64_t>(k), std::vector<std::int64_t>(k)};
  for (std::int64_t i = 0; i < n * k; ++i) problem.costs[i] = static_cast<double>(random.below(9, 0, i));  // with ties
  std::vector<std::int64_t> sizes(k);  // of an assignment that keeps the limits
  for (std::int64_t i = 0; i < n; ++i) ++sizes[random.below(k, 1, i)];
  for (std::int64_t j = 0; j < k; ++j) {
    problem.least[j] = std::max<std::int64_t>(0, sizes[j] - static_cast<std::int64_t>(random.below(2, 2, j)));
    problem.most[j] = sizes[j] + static_cast<std::int64_t>(random.below(2, 3, j));
  }
  return problem;
}

// The total cost of labels, infinite where a limit is broken.
double value(const Problem& problem, const std::vector<std::int32_t>& labels) {
  std::vector<std::int64_t> sizes(problem.k);
  double total = 0;
  for (std::int64_t i = 0; i < problem.n; ++i) {
    ++sizes[labels[i]];
    total += problem.costs[i * problem.k + labels[i]];
  }
  for (std::int64_t j = 0; j < problem.k; ++j)
    if (sizes[j] < problem.least[j] || sizes[j] > problem.most[j]) return std::numeric_limits<double>::infinity();
  return total;
}

double least_value(const Problem& problem) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> labels(problem.n);
  while (true) {
    best = std::min(best, value(problem, labels));
    std::int64_t digit = 0;
    while (digit < problem.n && ++labels[digit] == problem.k) labels[digit++] = 0;
    if (digit == problem.n) return best;
  }
}

TEST(rows_within_sizes_cost_as_little_as_the_best_of_all_assignments) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Problem problem = random_problem(7, 2 + static_cast<std::int64_t>(seed % 3), seed);
    std::vector<double> prices(problem.k);
    std::vector<std::int32_t> labels(problem.n);
    const MatrixView<double> costs = {problem.costs.data(), problem.n, problem.k, problem.k};
    const SizeLimits limits = {problem.least.data(), problem.most.data()};
    assign_within_sizes(costs, limits, prices.data(), labels.data());
    const double best = least_value(problem);
    CHECK(value(problem, labels) == best);
    for (double& price : prices) price += static_cast<double>(seed % 5) - 2;  // whatever the guess
    assign_within_sizes(costs, limits, prices.data(), labels.data());
    CHECK(value(problem, labels) == best);
  }
}

TEST(settled_costs_have_few_digits_and_lie_below_one) {
  const CounterRandom random(5);
  for (const int scale : {-1000, -3, 0, 7, 1000}) {
    std::vector<double> costs, before;
    for (std::int64_t i = 0; i < 200; ++i)
      costs.push_back(std::ldexp(1 + static_cast<double>(random.below(1 << 30, 0, i)) / (1 << 29), scale + static_cast<int>(i % 9)));
    costs[3] = 0;
    before = costs;
    const int power = settle_costs(costs.data(), 200, 20, 1);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      int exponent = 0;
      const double mantissa = std::frexp(before[i], &exponent);
      CHECK(costs[i] == std::ldexp(std::nearbyint(std::ldexp(mantissa, 20)), exponent - 20 - power));
      CHECK(costs[i] >= 0 && costs[i] <= 1);
    }
  }
}

}  // namespace
}  // namespace coterie
