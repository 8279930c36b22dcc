#include "kmeans/columns.h"

#include <algorithm>
#include <limits>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_block = 8192;

// Sums about the first row, which keeps cancellation small for data far from zero.
struct BlockMoments {
  std::vector<double> sum, square, low, high;
  double weight = 0;

  explicit BlockMoments(std::size_t cols)
      : sum(cols, 0), square(cols, 0), low(cols, std::numeric_limits<double>::infinity()), high(cols, -std::numeric_limits<double>::infinity()) {}
};

template <class T>
void add_rows(const MatrixView<T>& X, const double* weights, Range range, BlockMoments& block) {
  const T* origin = X.row(0);
  const std::int64_t cols = X.cols;
  double *sum = block.sum.data(), *square = block.square.data(), *low = block.low.data(), *high = block.high.data();
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const T* row = X.row(i);
    const double weight = weights == nullptr ? 1.0 : weights[i];
    for (std::int64_t t = 0; t < cols; ++t) {
      const double value = static_cast<double>(row[t]), away = value - static_cast<double>(origin[t]);
      sum[t] += weight * away;
      square[t] += weight * away * away;
      low[t] = std::min(low[t], value);
      high[t] = std::max(high[t], value);
    }
    block.weight += weight;
  }
}

}  // namespace

template <class T>
ColumnMoments column_moments(const MatrixView<T>& X, const double* weights, int threads) {
  const auto cols = static_cast<std::size_t>(X.cols);
  const std::int64_t n_blocks = block_count(X.rows, rows_per_block);
  std::vector<BlockMoments> blocks(static_cast<std::size_t>(n_blocks), BlockMoments(cols));
  parallel_for(n_blocks, threads, [&](std::int64_t task, int) {
    add_rows(X, weights, block_range(X.rows, rows_per_block, task), blocks[static_cast<std::size_t>(task)]);
  });
  BlockMoments total(cols);
  for (const BlockMoments& block : blocks) {
    total.weight += block.weight;
    for (std::size_t t = 0; t < cols; ++t) {
      total.sum[t] += block.sum[t];
      total.square[t] += block.square[t];
      total.low[t] = std::min(total.low[t], block.low[t]);
      total.high[t] = std::max(total.high[t], block.high[t]);
    }
  }
  ColumnMoments moments{std::vector<double>(cols), std::vector<double>(cols), total.low, total.high, total.weight};
  for (std::size_t t = 0; t < cols; ++t) {
    const double away = total.weight > 0 ? total.sum[t] / total.weight : 0.0;
    moments.mean[t] = static_cast<double>(X.row(0)[t]) + away;
    moments.variance[t] = total.weight > 0 ? std::max(0.0, total.square[t] / total.weight - away * away) : 0.0;
  }
  return moments;
}

template ColumnMoments column_moments<float>(const MatrixView<float>&, const double*, int);
template ColumnMoments column_moments<double>(const MatrixView<double>&, const double*, int);

}  // namespace coterie
