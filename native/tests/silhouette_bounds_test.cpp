// Bounds against all pairs: the nearest other group of a row is never ruled out.
#include "evaluate/silhouette_bounds.h"

#include <cmath>
#include <limits>
#include <vector>

#include "evaluate/group_moments.h"
#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

constexpr std::int64_t n_groups = 6;

// Groups of very different sizes, the farther apart the larger `spread`.
template <class T>
struct Groups {
  Groups(std::int64_t columns, std::int64_t size, double spread) : cols(columns) {
    const CounterRandom random(5);
    for (std::int64_t g = 0; g < n_groups; ++g) {
      starts.push_back(static_cast<std::int64_t>(numbers.size()) / cols);
      for (std::int64_t i = 0; i < 1 + size * g * g; ++i)
        for (std::int64_t t = 0; t < cols; ++t) {
          const auto row = static_cast<std::uint64_t>(numbers.size());
          const auto place = static_cast<std::uint64_t>(g * cols + t);
          numbers.push_back(static_cast<T>(spread * random.uniform(1, place) + random.uniform(2, row)));
        }
    }
    starts.push_back(static_cast<std::int64_t>(numbers.size()) / cols);
  }

  std::int64_t size() const { return starts.back(); }

  double mean_distance(std::int64_t row, std::int64_t group) const {
    double sum = 0;
    for (std::int64_t j = starts[group]; j < starts[group + 1]; ++j) {
      double squared = 0;
      for (std::int64_t t = 0; t < cols; ++t)
        squared += std::pow(static_cast<double>(numbers[row * cols + t]) - static_cast<double>(numbers[j * cols + t]), 2);
      sum += std::sqrt(squared);
    }
    return sum / static_cast<double>(starts[group + 1] - starts[group]);
  }

  std::int64_t cols;
  std::vector<T> numbers;
  std::vector<std::int64_t> starts;
};

// Returns how many groups may be the nearest one, over all rows.
template <class T>
std::int64_t check_nearest(const Groups<T>& groups) {
  const GroupedRows<T> given{{groups.numbers.data(), groups.size(), groups.cols, groups.cols}, groups.starts.data(), n_groups};
  const std::vector<std::uint8_t> possible = possible_neighbours(given, 1);
  CHECK(possible == possible_neighbours(given, 3));
  std::int64_t n_possible = 0;
  for (std::int64_t own = 0; own < n_groups; ++own)
    for (std::int64_t i = groups.starts[own]; i < groups.starts[own + 1]; ++i) {
      std::int64_t nearest = -1;
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t g = 0; g < n_groups; ++g) {
        n_possible += possible[i * n_groups + g];
        const double mean = g == own ? least : groups.mean_distance(i, g);
        if (mean < least) nearest = g;
        least = std::min(least, mean);
      }
      CHECK(possible[i * n_groups + nearest] == 1);
      CHECK(possible[i * n_groups + own] == 0);
    }
  return n_possible;
}

template <class T>
void check_groups(std::int64_t cols, std::int64_t size, double spread, bool are_apart) {
  const Groups<T> groups(cols, size, spread);
  const std::int64_t n_possible = check_nearest(groups);
  if (are_apart) CHECK(n_possible < 2 * groups.size());
}

// Many rows in few columns, and few rows in many: bounds from the whole scatter, and from its size.
template <class T>
void check_shapes(double spread, bool are_apart) {
  check_groups<T>(3, 40, spread, are_apart);
  check_groups<T>(30, 6, spread, are_apart);
}

TEST(bounds_keep_the_nearest_group) {
  for (const double spread : {0.0, 0.5, 5.0}) {
    check_shapes<double>(spread, false);
    check_shapes<float>(spread, false);
  }
}

TEST(bounds_rule_out_groups_that_are_far) {
  check_shapes<double>(100.0, true);
  check_shapes<float>(100.0, true);
}

// With outliers, with numbers that repeat, on a line, in one point; overlapping, so that higher moments are asked.
TEST(bounds_keep_the_nearest_group_of_odd_rows) {
  using Change = double (*)(double);
  for (const Change change :
       {Change([](double x) { return std::pow(x - 0.5, 9) * 1e6; }), Change([](double x) { return std::floor(4 * x); }),
        Change([](double x) { return 1 / (x + 1e-4); }), Change([](double) { return 0.25; }), Change([](double x) { return 1e8 + x; }),
        Change([](double x) { return 1e-150 * x; })})
    for (const std::int64_t cols : {1, 2, 4}) {
      Groups<double> groups(cols, 40, 0.2);
      for (double& number : groups.numbers) number = change(number);
      check_nearest(groups);
    }
}

// Bounds by two moments leave a row 2.5 of five overlapping groups, those by four 1.4.
TEST(higher_moments_leave_few_groups) {
  const Groups<double> groups(3, 60, 0.3);
  CHECK(check_nearest(groups) < groups.size() * 3 / 2);
}

// Against the definition.
TEST(moments_are_means_of_powers) {
  for (const std::int64_t cols : {1, 2, 5}) {
    const Groups<double> groups(cols, 1, 0.5);
    const MatrixView<double> group = {groups.numbers.data() + groups.starts[3] * cols, 10, cols, cols};
    const Moments moments(group, false);
    const HigherMoments higher(group, moments);
    const auto columns = static_cast<std::size_t>(cols);
    std::vector<Lanes> at(columns), away(columns);
    for (std::size_t t = 0; t < columns; ++t)
      for (int lane = 0; lane < row_lanes; ++lane) at[t].set(lane, 0.3 * lane - 0.2 * static_cast<double>(t));
    DistanceMoments measured[row_lanes];
    moments.measure(at, away, measured);
    higher.measure(away, measured);
    for (int lane = 0; lane < row_lanes; ++lane) {
      std::vector<double> squares;
      for (std::int64_t i = 0; i < group.rows; ++i) {
        double square = 0;
        for (std::size_t t = 0; t < columns; ++t) square += std::pow(at[t][lane] - group.row(i)[t], 2);
        squares.push_back(square);
      }
      const auto mean_power = [&](int power, double about) {
        double sum = 0;
        for (const double square : squares) sum += std::pow(square - about, power);
        return sum / static_cast<double>(squares.size());
      };
      const double mean = mean_power(1, 0);
      const auto is_near = [&](double found, int power) {
        return std::abs(found - mean_power(power, power > 1 ? mean : 0)) < 1e-12 * std::pow(mean, power);
      };
      CHECK(is_near(measured[lane].mean, 1));
      CHECK(is_near(measured[lane].second, 2));
      CHECK(is_near(measured[lane].third, 3));
      CHECK(is_near(measured[lane].fourth, 4));
    }
  }
}

}  // namespace
}  // namespace coterie
