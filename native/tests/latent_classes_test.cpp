// Latent classes: the sums of a pass are those of the definition, written out, for any number of threads.
#include "mixture/latent_classes.h"

#include <cmath>
#include <limits>
#include <vector>

#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

constexpr std::int64_t n_numbers = 2, n_categories = 2, n_levels = 7, n_classes = 3;
constexpr std::int64_t first_level[] = {0, 3};
constexpr std::int64_t counts_of_levels[] = {3, 4};

struct Table {
  std::int64_t n;
  std::vector<double> numbers, weights;
  std::vector<std::int32_t> levels;
  std::vector<double> log_weights, log_tables, log_factors, means, variances;

  explicit Table(std::int64_t n) : n(n) {
    const CounterRandom random(11);
    std::uint64_t drawn = 0;
    const auto draw = [&] { return random.uniform(drawn++, 3); };
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n_numbers; ++j) {
        const double x = 4 * draw();
        numbers.push_back(draw() < 0.2 ? std::numeric_limits<double>::quiet_NaN() : x);
      }
      for (std::int64_t j = 0; j < n_categories; ++j) {
        const auto level =
            static_cast<std::int32_t>(first_level[j]) + static_cast<std::int32_t>(draw() * static_cast<double>(counts_of_levels[j]));
        levels.push_back(draw() < 0.2 ? static_cast<std::int32_t>(n_levels) : level);
      }
      weights.push_back(1 + draw());
    }
    for (std::int64_t k = 0; k < n_classes; ++k) {
      log_weights.push_back(std::log(0.2 + draw()));
      for (std::int64_t level = 0; level < n_levels; ++level) log_tables.push_back(std::log(0.1 + draw()));
      log_tables.push_back(0);
      for (std::int64_t j = 0; j < n_numbers; ++j) {
        means.push_back(4 * draw());
        variances.push_back(0.5 + draw());
        log_factors.push_back(-0.5 * std::log(variances.back()));
      }
    }
  }

  LatentRows rows() const {
    return {{numbers.data(), n, n_numbers, n_numbers}, {levels.data(), n, n_categories, n_categories}, n_levels, weights.data()};
  }
  LatentClassesView view() const {
    return {n_classes, log_weights.data(), log_tables.data(), log_factors.data(), means.data(), variances.data()};
  }
};

struct Sums {
  double log_likelihood = 0;
  std::vector<double> weight = std::vector<double>(n_classes), counts = std::vector<double>(n_classes * (n_levels + 1));
  std::vector<double> mass = std::vector<double>(n_classes * n_numbers), deviation = mass, squares = mass;

  LatentSums to() { return {&log_likelihood, weight.data(), counts.data(), mass.data(), deviation.data(), squares.data()}; }
  bool operator==(const Sums&) const = default;
};

// The definition, one row after the other.
Sums written_out(const Table& table) {
  Sums sums;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.n); ++i) {
    double density[n_classes], total = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      double log = table.log_weights[k];
      for (std::size_t j = 0; j < n_categories; ++j)
        log += table.log_tables[k * (n_levels + 1) + static_cast<std::size_t>(table.levels[i * n_categories + j])];
      for (std::size_t j = 0; j < n_numbers; ++j) {
        const double x = table.numbers[i * n_numbers + j], apart = x - table.means[k * n_numbers + j];
        if (!std::isnan(x)) log += table.log_factors[k * n_numbers + j] - apart * apart / (2 * table.variances[k * n_numbers + j]);
      }
      total += density[k] = std::exp(log);
    }
    sums.log_likelihood += table.weights[i] * std::log(total);
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double share = table.weights[i] * density[k] / total;
      sums.weight[k] += share;
      for (std::size_t j = 0; j < n_categories; ++j)
        sums.counts[k * (n_levels + 1) + static_cast<std::size_t>(table.levels[i * n_categories + j])] += share;
      for (std::size_t j = 0; j < n_numbers; ++j) {
        const double x = table.numbers[i * n_numbers + j], apart = x - table.means[k * n_numbers + j];
        if (std::isnan(x)) continue;
        sums.mass[k * n_numbers + j] += share;
        sums.deviation[k * n_numbers + j] += share * apart;
        sums.squares[k * n_numbers + j] += share * apart * apart;
      }
    }
  }
  return sums;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-10 * (1 + std::abs(b)); }

bool close(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!close(a[i], b[i])) return false;
  return a.size() == b.size();
}

TEST(sums_of_latent_classes_are_those_of_the_definition) {
  for (const std::int64_t n : {1, 127, 128, 1000}) {
    const Table table(n);
    Sums found;
    latent_class_sums(table.rows(), table.view(), 2, found.to());
    const Sums expected = written_out(table);
    CHECK(close(found.log_likelihood, expected.log_likelihood));
    CHECK(close(found.weight, expected.weight) && close(found.mass, expected.mass));
    for (std::size_t at = 0; at < found.counts.size(); ++at)
      CHECK(at % (n_levels + 1) == n_levels || close(found.counts[at], expected.counts[at]));
    CHECK(close(found.deviation, expected.deviation) && close(found.squares, expected.squares));
  }
}

TEST(threads_do_not_change_the_sums_of_latent_classes) {
  const Table table(30000);
  Sums one, four;
  latent_class_sums(table.rows(), table.view(), 1, one.to());
  latent_class_sums(table.rows(), table.view(), 4, four.to());
  CHECK(one == four);
}

}  // namespace
}  // namespace coterie
