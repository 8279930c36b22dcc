// Draws rows with probability proportional to weight times squared distance, for k-means++.
#include "kmeans/seeding/row_sampler.h"

#include <algorithm>

#include "support/not_finite.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_block = 1024;  // fixed: the sums must not depend on the thread count

template <class Mass>
double sum_masses(Range range, const Mass& mass) {
  double sum[4] = {};  // one addition need not wait for the one before
  std::int64_t i = range.begin;
  for (; i + 4 <= range.end; i += 4)
    for (int j = 0; j < 4; ++j) sum[j] += mass(i + j);
  for (; i < range.end; ++i) sum[0] += mass(i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

template <class T>
RowSampler<T>::RowSampler(const double* weights, std::int64_t n, int threads)
    : weights_(weights), n_(n), threads_(threads), below_(static_cast<std::size_t>(block_count(n, rows_per_block)) + 1) {}

template <class T>
double RowSampler<T>::mass(std::int64_t row) const {
  const double weight = weights_ == nullptr ? 1.0 : weights_[row];
  return masses_ == nullptr ? weight : weight * static_cast<double>(masses_[row]);
}

template <class T>
double RowSampler<T>::measure(const T* masses) {
  masses_ = masses;
  constexpr std::int64_t blocks_per_task = 32;
  const std::int64_t n_blocks = block_count(n_, rows_per_block);
  parallel_for(block_count(n_blocks, blocks_per_task), threads_, [&](std::int64_t task, int) {
    const Range blocks = block_range(n_blocks, blocks_per_task, task);
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
      const Range range = block_range(n_, rows_per_block, block);
      const bool is_plain = weights_ == nullptr && masses != nullptr;
      below_[static_cast<std::size_t>(block) + 1] =
          is_plain ? sum_masses(range, [masses](std::int64_t i) { return static_cast<double>(masses[i]); })
                   : sum_masses(range, [this](std::int64_t i) { return mass(i); });
    }
  });
  below_[0] = 0;
  for (std::size_t block = 1; block < below_.size(); ++block) below_[block] += below_[block - 1];
  return below_.back();
}

template <class T>
std::int64_t RowSampler<T>::draw(double uniform) const {
  const double target = uniform * below_.back();
  const auto above = std::upper_bound(below_.begin() + 1, below_.end() - 1, target);
  const std::int64_t block = above - below_.begin() - 1;
  const Range range = block_range(n_, rows_per_block, block);
  double sum = below_[static_cast<std::size_t>(block)];
  std::int64_t last = -1;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const double own = mass(i);
    if (!(own > 0)) continue;
    last = i;
    sum += own;
    if (sum > target) break;
  }
  // rounding can leave the target beyond the last block, and that block may have no mass
  for (std::int64_t i = range.begin - 1; last < 0 && i >= 0; --i)
    if (mass(i) > 0) last = i;
  if (last < 0) throw NotFinite();
  return last;
}

template <class T>
void RowSampler<T>::write_probabilities(double* out, std::int64_t stride) const {
  for (std::int64_t i = 0; i < n_; ++i) out[i * stride] = mass(i) / below_.back();
}

template class RowSampler<float>;
template class RowSampler<double>;

}  // namespace coterie
