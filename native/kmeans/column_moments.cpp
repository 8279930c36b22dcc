// Mean, variance, least and greatest of every column of dense rows, in blocks that are added in order.
#include "kmeans/column_moments.h"

#include <algorithm>
#include <limits>

#include "support/parallel.h"

namespace coterie {
namespace {

template <class T>
void add_rows(const MatrixView<T>& X, const double* weights, const T* __restrict origin, Range range, ColumnSums& block) {
  const std::int64_t cols = X.cols;
  double* __restrict sum = block.sum.data();
  double* __restrict square = block.square.data();
  double* __restrict low = block.low.data();
  double* __restrict high = block.high.data();
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const T* __restrict row = X.row(i);
    const double weight = weights == nullptr ? 1.0 : weights[i];
    for (std::int64_t t = 0; t < cols; ++t) {
      const double value = static_cast<double>(row[t]), away = value - static_cast<double>(origin[t]);
      const double weighted = weight * away;
      sum[t] += weighted;
      square[t] += weighted * away;
      low[t] = std::min(low[t], value);
      high[t] = std::max(high[t], value);
    }
    block.weight += weight;
  }
}

}  // namespace

ColumnSums::ColumnSums(std::size_t cols)
    : sum(cols, 0),
      square(cols, 0),
      low(cols, std::numeric_limits<double>::infinity()),
      high(cols, -std::numeric_limits<double>::infinity()) {}

void ColumnSums::add(const ColumnSums& next) {
  weight += next.weight;
  for (std::size_t t = 0; t < sum.size(); ++t) {
    sum[t] += next.sum[t];
    square[t] += next.square[t];
    low[t] = std::min(low[t], next.low[t]);
    high[t] = std::max(high[t], next.high[t]);
  }
}

template <class T>
std::vector<ColumnSums> column_sums(const MatrixView<T>& X, const double* weights, const T* origin, int threads) {
  const std::int64_t n_blocks = block_count(X.rows, moment_rows);
  std::vector<ColumnSums> blocks(static_cast<std::size_t>(n_blocks), ColumnSums(static_cast<std::size_t>(X.cols)));
  parallel_for(n_blocks, threads, [&](std::int64_t task, int) {
    add_rows(X, weights, origin, block_range(X.rows, moment_rows, task), blocks[static_cast<std::size_t>(task)]);
  });
  return blocks;
}

template <class T>
ColumnMoments moments_of(const ColumnSums& total, const T* origin) {
  const std::size_t cols = total.sum.size();
  ColumnMoments moments{std::vector<double>(cols), std::vector<double>(cols), total.low, total.high, total.weight};
  for (std::size_t t = 0; t < cols; ++t) {
    const double away = total.weight > 0 ? total.sum[t] / total.weight : 0.0;
    moments.mean[t] = static_cast<double>(origin[t]) + away;
    moments.variance[t] = total.weight > 0 ? std::max(0.0, total.square[t] / total.weight - away * away) : 0.0;
  }
  return moments;
}

template <class T>
ColumnMoments column_moments(const MatrixView<T>& X, const double* weights, int threads) {
  ColumnSums total(static_cast<std::size_t>(X.cols));
  for (const ColumnSums& block : column_sums(X, weights, X.row(0), threads)) total.add(block);
  return moments_of(total, X.row(0));
}

template std::vector<ColumnSums> column_sums<float>(const MatrixView<float>&, const double*, const float*, int);
template std::vector<ColumnSums> column_sums<double>(const MatrixView<double>&, const double*, const double*, int);
template ColumnMoments moments_of<float>(const ColumnSums&, const float*);
template ColumnMoments moments_of<double>(const ColumnSums&, const double*);
template ColumnMoments column_moments<float>(const MatrixView<float>&, const double*, int);
template ColumnMoments column_moments<double>(const MatrixView<double>&, const double*, int);

}  // namespace coterie
