// K-prototypes: the cost of every pass, threads, and categories that no prototype has.
#include "categorical/kprototypes.h"

#include <cmath>
#include <limits>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

struct Table {
  std::vector<double> numbers, weights;
  std::vector<std::int32_t> codes;
  std::vector<std::int64_t> n_levels = {3, 5};
  std::int64_t n;

  Table(std::int64_t n, double gaps) : n(n) {
    const CounterRandom random(7);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::uint64_t>(i);
      const bool is_missing = random.uniform(4, at) < gaps;
      const double number = random.uniform(0, at) + 3 * static_cast<double>(i % 3);
      numbers.push_back(is_missing ? std::numeric_limits<double>::quiet_NaN() : number);
      codes.push_back(random.uniform(5, at) < gaps ? -1 : static_cast<std::int32_t>(random.uniform(1, at) * 3));
      codes.push_back(static_cast<std::int32_t>(random.uniform(2, at) * 5));
      weights.push_back(1 + std::floor(3 * random.uniform(3, at)));
    }
  }
  MixedRows rows() const { return {{numbers.data(), n, 1, 1}, {codes.data(), n, 2, 2}, n_levels.data(), weights.data(), 0.7}; }
};

const Prototypes start = {3, {0.5, 3.5, 6.5}, {0, 0, 1, 1, 2, 2}};

TEST(the_cost_of_prototypes_never_rises) {
  for (const double gaps : {0.0, 0.2}) {
    const Table table(200, gaps);
    const PrototypeFit fit = fit_prototypes(table.rows(), start, 100, 2);
    CHECK(fit.is_settled && fit.labels.size() == 200);
    for (std::size_t pass = 1; pass < fit.costs.size(); ++pass) CHECK(fit.costs[pass] <= fit.costs[pass - 1] + 1e-9);
  }
}

TEST(threads_do_not_change_prototypes) {
  const Table table(5000, 0.1);
  const PrototypeFit one = fit_prototypes(table.rows(), start, 100, 1), four = fit_prototypes(table.rows(), start, 100, 4);
  CHECK(one.labels == four.labels && one.prototypes.means == four.prototypes.means && one.costs == four.costs);
}

TEST(a_category_that_no_prototype_has_costs_the_same_everywhere) {
  const std::vector<double> none = {0};
  const std::vector<std::int32_t> codes = {-2, 1, -1, 2};
  const std::vector<std::int64_t> n_levels = {3, 5};
  const MixedRows rows{{none.data(), 2, 0, 0}, {codes.data(), 2, 2, 2}, n_levels.data(), nullptr, 1.0};
  const Prototypes two = {2, {}, {0, 1, 2, 2}};
  std::int32_t labels[2];
  double costs[2];
  label_by_prototypes(rows, two, 1, labels, costs);
  CHECK(labels[0] == 0 && costs[0] == 1 && labels[1] == 1 && costs[1] == 0);
}

}  // namespace
}  // namespace coterie
