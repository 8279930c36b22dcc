#include "evaluate/group_moments.h"

#include <algorithm>
#include <cmath>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_between_polls = 64;
constexpr std::int64_t most_columns_of_scatter = 1024;  // 8 MiB

}  // namespace

template <class T>
Moments::Moments(const MatrixView<T>& rows, bool is_wide)
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

void Moments::measure(const std::vector<Lanes>& at, std::vector<Lanes>& away, DistanceMoments* out) const {
  Lanes squared{}, fourth{};
  for (std::size_t t = 0; t < cols_; ++t) {
    for (int p = 0; p < Lanes::pairs; ++p) away[t].pair[p] = at[t].pair[p] - mean_[t];
    add_product(squared, away[t], away[t]);
    if (!is_wide_) add_product(fourth, -third_[t], away[t]);
  }
  if (!is_wide_) add_quadratic(away, fourth);
  for (int lane = 0; lane < row_lanes; ++lane) {
    const double distance = std::sqrt(squared[lane]);
    const double rest = is_wide_ ? third_length_ * distance + spread_ * squared[lane] : fourth[lane];
    const double longest = distance + radius_;
    out[lane] = {.distance = distance,
                 .mean = squared[lane] + variance_,
                 .second = std::max(0.0, fourth_ + rest),
                 .largest = longest * longest,
                 .third = 0,
                 .fourth = 0};
  }
}

// Four times the mean of z z', the lower triangle, with what is off the diagonal doubled.
void Moments::add_scatter(const std::vector<double>& z, double share) {
  double* row = scatter_.data();
  for (std::size_t s = 0; s < cols_; row += ++s) {
    for (std::size_t t = 0; t < s; ++t) row[t] += 2 * share * z[s] * z[t];
    row[s] += share * z[s] * z[s];
  }
}

void Moments::add_quadratic(const std::vector<Lanes>& away, Lanes& total) const {
  const double* row = scatter_.data();
  for (std::size_t s = 0; s < cols_; row += ++s) {
    Lanes sum{};
    for (std::size_t t = 0; t <= s; ++t) add_product(sum, row[t], away[t]);
    add_product(total, sum, away[s]);
  }
}

// Lengths instead of vectors: the scatter along any direction is at most its norm, and its trace.
void Moments::shorten() {
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

template Moments::Moments(const MatrixView<float>&, bool);
template Moments::Moments(const MatrixView<double>&, bool);

}  // namespace coterie
