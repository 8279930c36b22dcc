#include "evaluate/silhouette_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_task = 256;
constexpr std::int64_t rows_between_polls = 64;
constexpr std::int64_t rows_per_column = 4;       // of a group: with fewer, its whole scatter costs too much to be asked row by row
constexpr std::int64_t most_columns_of_scatter = 1024;  // 8 MiB
constexpr double least_excess = 1e-2;             // of a square over the mean square: below, c would be rounding
constexpr int lanes = 8;                          // rows that are bounded at once
constexpr double infinity = std::numeric_limits<double>::infinity();

// Bounds are widened by more than rounding can change them.
template <class T>
constexpr double slack = sizeof(T) == 8 ? 1e-9 : 1e-3;

struct Bounds {
  double lower, upper;
};

// A number for each of several rows; in pairs, which any processor has registers for.
typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
struct Lanes {
  Pair pair[lanes / 2];

  double operator[](int lane) const { return pair[lane / 2][lane % 2]; }
};

// total += a * b, for each row.
inline __attribute__((always_inline)) void add_product(Lanes& total, double a, const Lanes& b) {
#pragma GCC unroll 8
  for (int p = 0; p < lanes / 2; ++p) total.pair[p] += a * b.pair[p];
}

inline __attribute__((always_inline)) void add_product(Lanes& total, const Lanes& a, const Lanes& b) {
#pragma GCC unroll 8
  for (int p = 0; p < lanes / 2; ++p) total.pair[p] += a.pair[p] * b.pair[p];
}

// One group about its mean: z = y - mean, q = |z|^2.
template <class T>
class Moments {
 public:
  Moments(const MatrixView<T>& rows, bool is_wide)
      : is_wide_(is_wide), cols_(static_cast<std::size_t>(rows.cols)), mean_(cols_, 0.0), third_(cols_, 0.0) {
    const double share = 1 / static_cast<double>(rows.rows);
    for (std::int64_t i = 0; i < rows.rows; ++i)
      for (std::size_t t = 0; t < cols_; ++t) mean_[t] += share * static_cast<double>(rows.row(i)[t]);
    std::vector<double> z(cols_), squares(static_cast<std::size_t>(rows.rows), 0.0);
    const bool has_scatter = rows.cols <= most_columns_of_scatter;
    if (has_scatter) scatter_.assign(cols_ * (cols_ + 1) / 2, 0.0);
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      if (i % rows_between_polls == 0) check_interrupt();  // a row takes the square of its columns
      double& square = squares[static_cast<std::size_t>(i)];
      for (std::size_t t = 0; t < cols_; ++t) {
        z[t] = static_cast<double>(rows.row(i)[t]) - mean_[t];
        square += z[t] * z[t];
      }
      for (std::size_t t = 0; t < cols_; ++t) third_[t] += 4 * share * square * z[t];
      if (has_scatter) add_scatter(z, 4 * share);
    }
    for (const double square : squares) variance_ += share * square;
    for (const double square : squares) fourth_ += share * (square - variance_) * (square - variance_);
    radius_ = std::sqrt(*std::max_element(squares.begin(), squares.end()));
    if (is_wide) shorten();
  }

  // Of the mean distance of each row, where row `lane` is at[t][lane].
  void bound(const std::vector<Lanes>& at, std::vector<Lanes>& away, Bounds* out) const {
    Lanes squared{}, fourth{};
    for (std::size_t t = 0; t < cols_; ++t) {
      for (int p = 0; p < lanes / 2; ++p) away[t].pair[p] = at[t].pair[p] - mean_[t];
      add_product(squared, away[t], away[t]);
      if (!is_wide_) add_product(fourth, -third_[t], away[t]);
    }
    if (!is_wide_) add_quadratic(away, fourth);
    for (int lane = 0; lane < lanes; ++lane) {
      const double distance = std::sqrt(squared[lane]);
      const double rest = is_wide_ ? third_length_ * distance + spread_ * squared[lane] : fourth[lane];
      out[lane] = bound_of(distance, squared[lane] + variance_, std::max(0.0, fourth_ + rest));
    }
  }

 private:
  // Four times the mean of z z', the lower triangle, with what is off the diagonal doubled.
  void add_scatter(const std::vector<double>& z, double share) {
    double* row = scatter_.data();
    for (std::size_t s = 0; s < cols_; row += ++s) {
      for (std::size_t t = 0; t < s; ++t) row[t] += 2 * share * z[s] * z[t];
      row[s] += share * z[s] * z[s];
    }
  }

  void add_quadratic(const std::vector<Lanes>& away, Lanes& total) const {
    const double* row = scatter_.data();
    for (std::size_t s = 0; s < cols_; row += ++s) {
      Lanes product{};
      for (std::size_t t = 0; t <= s; ++t) add_product(product, row[t], away[t]);
      add_product(total, product, away[s]);
    }
  }

  // Lengths instead of vectors: the scatter along any direction is at most its norm, and its trace.
  void shorten() {
    for (const double value : third_) third_length_ += value * value;
    third_length_ = std::sqrt(third_length_);
    double norm = 0;
    const double* row = scatter_.data();
    for (std::size_t s = 0; s < cols_ && !scatter_.empty(); row += ++s) {
      for (std::size_t t = 0; t < s; ++t) norm += row[t] * row[t] / 2;
      norm += row[s] * row[s];
    }
    spread_ = scatter_.empty() ? 4 * variance_ : std::min(std::sqrt(norm), 4 * variance_);
    scatter_ = {};
  }

  // From |x - mean|, D, and D^2 V or more.
  Bounds bound_of(double distance, double mean_square, double fourth) const {
    const double root = std::sqrt(mean_square), v = mean_square * mean_square > 0 ? fourth / (mean_square * mean_square) : infinity;
    const double lower = std::max(distance, root / std::sqrt(1 + v));
    const double most = (distance + radius_) * (distance + radius_) / mean_square - 1;
    if (is_wide_ || !(most > least_excess) || !(v < infinity)) return {lower, root};
    return {lower, root * (1 - v * (1 + most / 2 - std::sqrt(1 + most)) / (most * most))};
  }

  bool is_wide_;
  std::size_t cols_;
  std::vector<double> mean_;
  std::vector<double> third_, scatter_;  // 4 E[q z], 4 E[z z']
  double variance_ = 0, fourth_ = 0;     // E[q], the variance of q
  double radius_ = 0, third_length_ = 0, spread_ = 0;
};

// The largest coordinate: rounding of means is a share of it.
template <class T>
double reach(const MatrixView<T>& rows) {
  T most = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t t = 0; t < rows.cols; ++t) most = std::max(most, std::abs(rows.row(i)[t]));
  return static_cast<double>(most) * std::sqrt(static_cast<double>(rows.cols));
}

template <class T>
std::vector<Moments<T>> moments_of(const GroupedRows<T>& given, int threads) {
  const bool is_wide = given.rows.cols * rows_per_column * given.n_groups > given.rows.rows;
  std::vector<std::vector<Moments<T>>> parts(static_cast<std::size_t>(given.n_groups));
  parallel_for(given.n_groups, threads, [&](std::int64_t g, int) {
    const MatrixView<T> rows = {given.rows.row(given.starts[g]), given.starts[g + 1] - given.starts[g], given.rows.cols,
                                given.rows.stride};
    parts[static_cast<std::size_t>(g)].emplace_back(rows, is_wide);
  });
  std::vector<Moments<T>> moments;
  for (std::vector<Moments<T>>& part : parts) moments.push_back(std::move(part.front()));
  return moments;
}

// Marks the groups of one row; bounds of group g are at bounds[g * lanes].
void mark(const Bounds* bounds, std::int64_t own, std::int64_t n_groups, double slack, double rounding, std::uint8_t* possible) {
  double limit = infinity;
  for (std::int64_t g = 0; g < n_groups; ++g)
    if (g != own) limit = std::min(limit, bounds[g * lanes].upper);
  limit = limit * (1 + slack) + rounding;
  for (std::int64_t g = 0; g < n_groups; ++g) possible[g] = g != own && bounds[g * lanes].lower <= limit;
}

}  // namespace

template <class T>
std::vector<std::uint8_t> possible_neighbours(const GroupedRows<T>& given, int threads) {
  const std::vector<Moments<T>> moments = moments_of(given, threads);
  const std::int64_t n = given.rows.rows, k = given.n_groups;
  const double rounding = 4 * std::numeric_limits<T>::epsilon() * reach(given.rows);
  std::vector<std::uint8_t> possible(static_cast<std::size_t>(n * k));
  parallel_for(block_count(n, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, rows_per_task, task);
    std::vector<Lanes> at(static_cast<std::size_t>(given.rows.cols)), away(at.size());
    std::vector<Bounds> bounds(static_cast<std::size_t>(k * lanes));
    for (std::int64_t first = range.begin; first < range.end; first += lanes) {
      const int count = static_cast<int>(std::min<std::int64_t>(lanes, range.end - first));
      for (std::size_t t = 0; t < at.size(); ++t)
        for (int lane = 0; lane < lanes; ++lane)
          at[t].pair[lane / 2][lane % 2] = static_cast<double>(given.rows.row(first + std::min(lane, count - 1))[t]);
      for (std::int64_t g = 0; g < k; ++g) moments[static_cast<std::size_t>(g)].bound(at, away, bounds.data() + g * lanes);
      for (int lane = 0; lane < count; ++lane) {
        const std::int64_t own = std::upper_bound(given.starts, given.starts + k, first + lane) - given.starts - 1;
        mark(bounds.data() + lane, own, k, slack<T>, rounding, possible.data() + (first + lane) * k);
      }
    }
  });
  return possible;
}

template std::vector<std::uint8_t> possible_neighbours<float>(const GroupedRows<float>&, int);
template std::vector<std::uint8_t> possible_neighbours<double>(const GroupedRows<double>&, int);

}  // namespace coterie
