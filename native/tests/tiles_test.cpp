// Every ending of the tile engine against the full matrix, and the matrix against the obvious formula.
#include "tiles/tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "support/random.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

struct Case {
  Metric metric;
  bool is_binary;
};

const std::vector<Case> cases = {
    {{Kernel::dot, Finish::norm, 2}, false},
    {{Kernel::dot, Finish::squared_norm, 2}, false},
    {{Kernel::squared_difference, Finish::root, 2}, false},
    {{Kernel::manhattan, Finish::identity, 1}, false},
    {{Kernel::chebyshev, Finish::identity, 2}, false},
    {{Kernel::minkowski, Finish::power_root, 3}, false},
    {{Kernel::minkowski, Finish::power_root, 1.5}, false},
    {{Kernel::canberra, Finish::identity, 2}, false},
    {{Kernel::braycurtis, Finish::identity, 2}, false},
    {{Kernel::hamming, Finish::mean, 2}, true},
    {{Kernel::dot, Finish::jaccard, 2}, true},
    {{Kernel::dot, Finish::dice, 2}, true},
    {{Kernel::dot, Finish::matching, 2}, true},
    {{Kernel::hamming, Finish::jaccard, 2}, true},  // of codes: both values of a column are something
    {{Kernel::hamming, Finish::dice, 2}, true},
};

template <class T>
std::vector<T> numbers(std::int64_t n, std::int64_t cols, std::uint64_t seed, bool is_binary) {
  const CounterRandom random(seed);
  std::vector<T> values(static_cast<std::size_t>(n * cols));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double u = random.uniform(0, i);
    values[i] = static_cast<T>(is_binary ? u < 0.5 : 3 + u);
  }
  if (is_binary) values[0] = 1;  // no row of zeros at the front, where 0/0 is a matter of convention
  return values;
}

template <class T>
double obvious(const Metric& metric, const T* x, const T* y, std::int64_t cols) {
  double sum = 0, total = 0, largest = 0, both = 0, ones = 0;
  for (std::int64_t t = 0; t < cols; ++t) {
    const double a = x[t], b = y[t], difference = std::abs(a - b);
    largest = std::max(largest, difference);
    both += a * b;
    ones += a + b;
    total += std::abs(a + b);
    switch (metric.kernel) {
      case Kernel::minkowski:
        sum += std::pow(difference, metric.p);
        break;
      case Kernel::canberra:
        sum += difference > 0 ? difference / (std::abs(a) + std::abs(b)) : 0;
        break;
      case Kernel::hamming:
        sum += difference > 0;
        break;
      case Kernel::dot:
      case Kernel::squared_difference:
        sum += difference * difference;
        break;
      default:
        sum += difference;
    }
  }
  const double n = static_cast<double>(cols);
  if (is_of_set_codes(metric)) both = n - sum, ones = 2 * n;
  switch (metric.finish) {
    case Finish::norm:
    case Finish::root:
      return std::sqrt(sum);
    case Finish::power_root:
      return std::pow(sum, 1 / metric.p);
    case Finish::mean:
      return sum / n;
    case Finish::jaccard:
      return ones > both ? 1 - both / (ones - both) : 0;
    case Finish::dice:
      return ones > 0 ? 1 - 2 * both / ones : 0;
    case Finish::matching:
      return (ones - 2 * both) / n;
    default:
      return metric.kernel == Kernel::chebyshev ? largest : metric.kernel == Kernel::braycurtis ? sum / total : sum;
  }
}

template <class T>
struct Problem {
  std::int64_t n, m, cols;
  Metric metric;
  std::vector<T> x, y, matrix;

  Problem(std::int64_t n, std::int64_t m, std::int64_t cols, const Case& which)
      : n(n),
        m(m),
        cols(cols),
        metric(which.metric),
        x(numbers<T>(n, cols, 1, which.is_binary)),
        y(numbers<T>(m, cols, 2, which.is_binary)),
        matrix(static_cast<std::size_t>(n * m)) {
    if (m > 2 && n > 2) std::copy(x.begin() + 2 * cols, x.begin() + 3 * cols, y.begin() + cols);  // a distance of zero
    store<T>(X(), Y(), metric, 2, {matrix.data(), n, m, m});
  }
  MatrixView<T> X() const { return {x.data(), n, cols, cols}; }
  MatrixView<T> Y() const { return {y.data(), m, cols, cols}; }
  T at(std::int64_t i, std::int64_t j) const { return matrix[static_cast<std::size_t>(i * m + j)]; }
  bool is_close(double a, double b) const { return std::abs(a - b) <= (sizeof(T) == 8 ? 1e-11 : 2e-5) * (1 + std::abs(b)); }
};

template <class T>
void check_store(const Problem<T>& p) {
  for (std::int64_t i = 0; i < p.n; ++i)
    for (std::int64_t j = 0; j < p.m; ++j)
      CHECK(p.is_close(p.at(i, j), obvious(p.metric, p.x.data() + i * p.cols, p.y.data() + j * p.cols, p.cols)));
}

template <class T>
void check_own_and_other(const Problem<T>& p) {
  if (!is_recomputable(p.metric)) return;
  const auto n = static_cast<std::size_t>(p.n);
  std::vector<std::int32_t> own_column(n);
  std::vector<T> own(n), other(n);
  for (std::size_t i = 0; i < n; ++i) own_column[i] = static_cast<std::int32_t>((7 * i) % static_cast<std::size_t>(p.m));
  own_and_other<T>(p.X(), p.Y(), p.metric, 2, {own_column.data(), own.data(), other.data()});
  for (std::size_t i = 0; i < n; ++i) {
    T least = std::numeric_limits<T>::infinity();
    for (std::int64_t j = 0; j < p.m; ++j)
      if (j != own_column[i]) least = std::min(least, p.at(static_cast<std::int64_t>(i), j));
    CHECK(p.is_close(own[i], p.at(static_cast<std::int64_t>(i), own_column[i])));
    CHECK(p.m > 1 ? p.is_close(other[i], least) : other[i] == least);
  }
}

template <class T>
void check_nearest(const Problem<T>& p) {
  const auto n = static_cast<std::size_t>(p.n);
  std::vector<std::int32_t> index(n), first(n), second(n), several(n * 3);
  std::vector<T> value(n), first_value(n), second_value(n), several_values(n * 3);
  nearest<T>(p.X(), p.Y(), p.metric, 2, {index.data(), value.data()});
  nearest_two<T>(p.X(), p.Y(), p.metric, 2, {first.data(), second.data(), first_value.data(), second_value.data()});
  smallest<T>(p.X(), p.Y(), p.metric, 2, {3, several.data(), several_values.data(), false});
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<T> row(p.matrix.begin() + static_cast<std::ptrdiff_t>(i) * p.m,
                       p.matrix.begin() + static_cast<std::ptrdiff_t>(i + 1) * p.m);
    std::sort(row.begin(), row.end());
    CHECK(p.is_close(value[i], row[0]) && p.is_close(p.at(static_cast<std::int64_t>(i), index[i]), row[0]));
    CHECK(first[i] == index[i] && p.is_close(first_value[i], row[0]));
    CHECK(p.m > 1 ? p.is_close(second_value[i], row[1]) && second[i] != first[i] : second[i] == -1);
    for (std::int64_t r = 0; r < 3; ++r) {
      const std::size_t cell = i * 3 + static_cast<std::size_t>(r);
      CHECK(r < p.m ? p.is_close(several_values[cell], row[static_cast<std::size_t>(r)]) : several[cell] == -1);
    }
  }
}

template <class T>
void check_below(const Problem<T>& p) {
  const auto n = static_cast<std::size_t>(p.n);
  const double threshold = 0.4 * static_cast<double>(*std::max_element(p.matrix.begin(), p.matrix.end()));
  std::vector<std::int64_t> count(n), starts(n + 1, 0);
  below<T>(p.X(), p.Y(), p.metric, 2, {threshold, count.data(), nullptr, nullptr, nullptr});
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] = starts[i] + count[i];
  std::vector<std::int32_t> index(static_cast<std::size_t>(starts[n]));
  std::vector<T> value(index.size());
  below<T>(p.X(), p.Y(), p.metric, 2, {threshold, nullptr, starts.data(), index.data(), value.data()});
  for (std::int64_t i = 0; i < p.n; ++i) {
    std::int64_t expected = 0, unsure = 0;
    for (std::int64_t j = 0; j < p.m; ++j) {
      expected += static_cast<double>(p.at(i, j)) <= threshold;
      unsure += p.is_close(p.at(i, j), threshold);
    }
    CHECK(std::abs(count[static_cast<std::size_t>(i)] - expected) <= unsure);
    for (std::int64_t at = starts[static_cast<std::size_t>(i)]; at < starts[static_cast<std::size_t>(i) + 1]; ++at)
      CHECK(p.is_close(value[static_cast<std::size_t>(at)], p.at(i, index[static_cast<std::size_t>(at)])));
  }
}

template <class T>
void check_groups(const Problem<T>& p) {
  constexpr std::int64_t n_groups = 4;  // the last stays empty
  std::vector<std::int32_t> rows(static_cast<std::size_t>(p.n)), columns(static_cast<std::size_t>(p.m));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int32_t>(i * 7 % 3);
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = static_cast<std::int32_t>(j * 5 % 3);
  std::vector<double> sums(rows.size() * n_groups);
  std::vector<T> low(n_groups * n_groups), high(n_groups * n_groups);
  group_sums<T>(p.X(), p.Y(), columns.data(), p.metric, 2, {sums.data(), n_groups});
  group_extremes<T>(p.X(), p.Y(), columns.data(), p.metric, 2, {rows.data(), low.data(), high.data(), n_groups});
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<double> expected(sums.size(), 0);
  std::vector<T> least(low.size(), infinity), greatest(high.size(), -infinity);
  for (std::int64_t i = 0; i < p.n; ++i)
    for (std::int64_t j = 0; j < p.m; ++j) {
      const auto group = static_cast<std::size_t>(columns[static_cast<std::size_t>(j)]);
      expected[static_cast<std::size_t>(i) * n_groups + group] += static_cast<double>(p.at(i, j));
      const std::size_t cell = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]) * n_groups + group;
      least[cell] = std::min(least[cell], p.at(i, j));
      greatest[cell] = std::max(greatest[cell], p.at(i, j));
    }
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(p.is_close(sums[i], expected[i]));
  for (std::size_t i = 0; i < low.size(); ++i) CHECK(low[i] == least[i] && high[i] == greatest[i]);
}

template <class T>
void check_all() {
  struct Shape {
    std::int64_t n, m, cols;
  };
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{7, 5, 3}, Shape{50, 37, 9}, Shape{130, 300, 2}, Shape{13, 70, 150}})
    for (const Case& which : cases) {
      const Problem<T> problem(shape.n, shape.m, shape.cols, which);
      check_store(problem);
      check_nearest(problem);
      check_own_and_other(problem);
      check_below(problem);
      check_groups(problem);
    }
}

// Every instruction set that this machine can run must give these answers.
TEST(tiles_agree_with_obvious_formulas_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    check_all<float>();
    check_all<double>();
  });
}

// Numbers, categories and what may be absent, one cell in eight missing where there may be such.
template <class T>
std::vector<T> table_cells(std::int64_t n, const MixedColumns& mixed, std::uint64_t seed, bool has_gaps) {
  const CounterRandom random(seed);
  std::vector<T> values(static_cast<std::size_t>(n * mixed.n_columns));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % mixed.n_columns;
    const double u = random.uniform(0, i), levels = column < mixed.n_numbers + mixed.n_categories ? 4 : 2;
    values[i] = static_cast<T>(column < mixed.n_numbers ? u : std::floor(levels * u));
    if (has_gaps && column > 0 && random.uniform(1, i) < 0.125) values[i] = std::numeric_limits<T>::quiet_NaN();
  }
  return values;
}

template <class T>
double obvious_gower(const MixedColumns& mixed, const T* x, const T* y) {
  double sum = 0, total = 0;
  for (std::int64_t t = 0; t < mixed.n_columns; ++t) {
    const double a = x[t], b = y[t];
    if (std::isnan(a) || std::isnan(b)) continue;
    if (t >= mixed.n_numbers + mixed.n_categories && a == 0 && b == 0) continue;
    sum += t < mixed.n_numbers ? std::abs(a - b) : mixed.weights[t] * (a != b);
    total += mixed.weights[t];
  }
  return sum / total;
}

template <class T>
void check_gower(bool has_gaps, std::int64_t n_presences) {
  const std::vector<double> weights = {1, 0.5, 0.25, 1, 0.75, 1, 0.5};
  const MixedColumns mixed{3, 4 - n_presences, 7, weights.data()};
  const Metric metric{Kernel::gower, Finish::identity, 2, &mixed};
  constexpr std::int64_t n = 61, m = 133;
  const std::vector<T> x = table_cells<T>(n, mixed, 3, has_gaps), y = table_cells<T>(m, mixed, 4, has_gaps);
  std::vector<T> matrix(static_cast<std::size_t>(n * m)), value(static_cast<std::size_t>(n));
  std::vector<std::int32_t> index(static_cast<std::size_t>(n));
  const MatrixView<T> X{x.data(), n, 7, 7}, Y{y.data(), m, 7, 7};
  store<T>(X, Y, metric, 2, {matrix.data(), n, m, m});
  nearest<T>(X, Y, metric, 2, {index.data(), value.data()});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) {
      const T found = matrix[static_cast<std::size_t>(i * m + j)];
      CHECK(std::abs(static_cast<double>(found) - obvious_gower(mixed, X.row(i), Y.row(j))) <= (sizeof(T) == 8 ? 1e-14 : 1e-6));
      CHECK(value[static_cast<std::size_t>(i)] <= found);
    }
}

TEST(gower_agrees_with_the_obvious_formula_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    for (const bool has_gaps : {false, true})
      for (const std::int64_t n_presences : {0, 2}) {
        check_gower<float>(has_gaps, n_presences);
        check_gower<double>(has_gaps, n_presences);
      }
  });
}

template <class T>
double obvious_observed(const T* x, const T* y, std::int64_t cols) {
  double sum = 0, count = 0;
  for (std::int64_t t = 0; t < cols; ++t)
    if (!std::isnan(x[t]) && !std::isnan(y[t])) {
      sum += (static_cast<double>(x[t]) - y[t]) * (static_cast<double>(x[t]) - y[t]);
      ++count;
    }
  return count == 0 ? std::numeric_limits<double>::infinity() : sum * static_cast<double>(cols) / count;
}

template <class T>
void check_observed() {
  const std::vector<double> weights(7, 1.0);
  const MixedColumns mixed{7, 0, 7, weights.data()};
  constexpr std::int64_t n = 61, m = 133;
  std::vector<T> x = table_cells<T>(n, mixed, 3, true), y = table_cells<T>(m, mixed, 4, true);
  for (std::size_t t = 0; t < 7; ++t) x[5 * 7 + t] = t == 2 ? T(1) : std::numeric_limits<T>::quiet_NaN();
  y[3 * 7 + 2] = std::numeric_limits<T>::quiet_NaN();  // nothing in common with row 5 of X
  std::vector<T> matrix(static_cast<std::size_t>(n * m)), value(static_cast<std::size_t>(n));
  std::vector<std::int32_t> index(static_cast<std::size_t>(n));
  const MatrixView<T> X{x.data(), n, 7, 7}, Y{y.data(), m, 7, 7};
  const Metric metric{Kernel::observed, Finish::identity, 2};
  store<T>(X, Y, metric, 2, {matrix.data(), n, m, m});
  nearest<T>(X, Y, metric, 2, {index.data(), value.data()});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) {
      const double found = matrix[static_cast<std::size_t>(i * m + j)], expected = obvious_observed(X.row(i), Y.row(j), 7);
      CHECK(found == expected || std::abs(found - expected) <= (sizeof(T) == 8 ? 1e-14 : 2e-6) * (1 + expected));
      CHECK(value[static_cast<std::size_t>(i)] <= found);
    }
  CHECK(std::isinf(matrix[5 * m + 3]));
}

TEST(distances_of_observed_cells_agree_with_the_obvious_formula_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    check_observed<float>();
    check_observed<double>();
  });
}

TEST(rows_with_other_columns_than_their_distance_are_refused) {
  const std::vector<double> weights = {1, 1}, x = {0, 1, 2};
  const MixedColumns mixed{2, 0, 2, weights.data()};
  double value = 0;
  bool is_refused = false;
  try {
    store<double>({x.data(), 1, 3, 3}, {x.data(), 1, 3, 3}, {Kernel::gower, Finish::identity, 2, &mixed}, 1, {&value, 1, 1, 1});
  } catch (const std::invalid_argument&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

TEST(equal_distances_go_to_the_lowest_index) {
  const std::vector<double> x = {0, 0}, y(64 * 2, 1.0);
  std::int32_t index = -1, first = -1, second = -1, several[4];
  double value, first_value, second_value, several_values[4];
  const MatrixView<double> X{x.data(), 1, 2, 2}, Y{y.data(), 64, 2, 2};
  for (const Kernel kernel : {Kernel::dot, Kernel::manhattan}) {
    const Metric metric{kernel, kernel == Kernel::dot ? Finish::norm : Finish::identity, 2};
    nearest<double>(X, Y, metric, 1, {&index, &value});
    nearest_two<double>(X, Y, metric, 1, {&first, &second, &first_value, &second_value});
    smallest<double>(X, Y, metric, 1, {4, several, several_values, false});
    CHECK(index == 0 && first == 0 && second == 1);
    for (std::int32_t r = 0; r < 4; ++r) CHECK(several[r] == r);
    smallest<double>(X, Y, metric, 1, {4, several, several_values, true});
    for (std::int32_t r = 0; r < 4; ++r) CHECK(several[r] == r + 1);
  }
}

TEST(far_from_the_origin_small_distances_keep_their_digits) {
  std::vector<double> x = {1e8, 1e8, 1e8 + 1, 1e8, -1e8, 3}, matrix(9);
  const MatrixView<double> X{x.data(), 3, 2, 2};
  store<double>(X, X, {Kernel::dot, Finish::norm, 2}, 1, {matrix.data(), 3, 3, 3});
  CHECK(matrix[0] == 0 && matrix[1] == 1 && matrix[3] == 1 && matrix[4] == 0);
}

}  // namespace
}  // namespace coterie
