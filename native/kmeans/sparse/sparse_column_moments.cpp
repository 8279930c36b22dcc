// The same moments of columns for CSR rows, whose zeros are counted without being stored.
#include <algorithm>

#include "kmeans/column_moments.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t n_blocks = 8;  // fixed: sums must not depend on the thread count; few: each has four numbers per column

struct BlockMoments {
  std::vector<double> sum, square, low, high;
  double weight = 0;
};

template <class T>
void add_rows(const SparseView<T>& X, const double* weights, Range range, BlockMoments& block) {
  for (std::vector<double>* part : {&block.sum, &block.square, &block.low, &block.high})
    part->assign(static_cast<std::size_t>(X.cols), 0.0);
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const double weight = weights == nullptr ? 1.0 : weights[i];
    block.weight += weight;
    for (std::int64_t p = X.row_starts[i]; p < X.row_starts[i + 1]; ++p) {
      const auto t = static_cast<std::size_t>(X.columns[p]);
      const double value = static_cast<double>(X.values[p]);
      block.sum[t] += weight * value;
      block.square[t] += weight * value * value;
      block.low[t] = std::min(block.low[t], value);
      block.high[t] = std::max(block.high[t], value);
    }
  }
}

}  // namespace

template <class T>
ColumnMoments column_moments(const SparseView<T>& X, const double* weights, int threads) {
  std::vector<BlockMoments> blocks(static_cast<std::size_t>(n_blocks));
  const std::int64_t rows_per_block = block_count(X.rows, n_blocks);
  parallel_for(n_blocks, threads, [&](std::int64_t task, int) {
    const std::int64_t begin = std::min(X.rows, task * rows_per_block);
    add_rows(X, weights, {begin, std::min(X.rows, begin + rows_per_block)}, blocks[static_cast<std::size_t>(task)]);
  });
  const auto cols = static_cast<std::size_t>(X.cols);
  ColumnMoments moments{std::vector<double>(cols), std::vector<double>(cols), std::vector<double>(cols), std::vector<double>(cols), 0};
  for (const BlockMoments& block : blocks) {
    moments.total_weight += block.weight;
    for (std::size_t t = 0; t < cols; ++t) {
      moments.mean[t] += block.sum[t];
      moments.variance[t] += block.square[t];
      moments.low[t] = std::min(moments.low[t], block.low[t]);
      moments.high[t] = std::max(moments.high[t], block.high[t]);
    }
  }
  const double share = moments.total_weight > 0 ? 1 / moments.total_weight : 0.0;
  for (std::size_t t = 0; t < cols; ++t) {
    moments.mean[t] *= share;
    moments.variance[t] = std::max(0.0, moments.variance[t] * share - moments.mean[t] * moments.mean[t]);
  }
  return moments;
}

template ColumnMoments column_moments<float>(const SparseView<float>&, const double*, int);
template ColumnMoments column_moments<double>(const SparseView<double>&, const double*, int);

}  // namespace coterie
