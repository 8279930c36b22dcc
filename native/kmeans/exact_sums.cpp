// The sums of rows per cluster in whole units: choosing the units, adding up what the threads changed, reading a sum back.
#include "kmeans/exact_sums.h"

#include <algorithm>
#include <cmath>

namespace coterie {
namespace {

// Power of two p with |value| * p <= 2^bits for all |value| <= extent.
double scale_for(double extent, int bits) {
  int exponent = 0;
  if (extent > 0) std::frexp(extent, &exponent);
  return std::ldexp(1.0, std::clamp(bits - exponent, -1000, 1000));
}

void add_and_clear(std::vector<std::int64_t>& totals, std::vector<std::int64_t>& deltas, int tables) {
  const std::size_t size = totals.size();
  for (std::size_t table = 0; table < static_cast<std::size_t>(tables); ++table)
    for (std::size_t i = 0; i < size; ++i) {
      // wraps around: what a NaN leaves in its bits may be too large to add up
      totals[i] =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(totals[i]) + static_cast<std::uint64_t>(deltas[table * size + i]));
      deltas[table * size + i] = 0;
    }
}

}  // namespace

template <class T>
ExactSums<T>::ExactSums(std::int64_t n, std::int64_t n_clusters, const ColumnMoments& columns, const std::vector<T>& shift,
                        double largest_weight, int tables)
    : n_clusters_(n_clusters), cols_(static_cast<std::int64_t>(shift.size())), tables_(tables) {
  // the sum of n numbers of `bits` bits must fit in 63, and one number in the 51 that rounding by addition can hold
  const int bits = std::min(50, 61 - static_cast<int>(std::ceil(std::log2(static_cast<double>(n) + 1))));
  fine_scale_ = std::ldexp(1.0, bits);
  for (std::size_t t = 0; t < shift.size(); ++t) {
    const double middle = static_cast<double>(shift[t]);
    scale_.push_back(scale_for(std::max(columns.high[t] - middle, middle - columns.low[t]) * largest_weight, bits));
  }
  scale_.push_back(scale_for(largest_weight, bits));
  const auto cells = static_cast<std::size_t>(n_clusters * (cols_ + 1)), team = static_cast<std::size_t>(tables_);
  coarse_.assign(cells, 0);
  coarse_delta_.assign(cells * team, 0);
  if (sizeof(T) != 4) {
    fine_.assign(cells, 0);
    fine_delta_.assign(cells * team, 0);
  }
  count_.assign(static_cast<std::size_t>(n_clusters), 0);
  count_delta_.assign(count_.size() * team, 0);
}

template <class T>
ClusterSums ExactSums<T>::deltas() {
  return {coarse_delta_.data(), fine_delta_.empty() ? nullptr : fine_delta_.data(), count_delta_.data(), n_clusters_, cols_};
}

template <class T>
ClusterSums ExactSums<T>::totals() {
  return {coarse_.data(), fine_.empty() ? nullptr : fine_.data(), count_.data(), n_clusters_, cols_};
}

template <class T>
void ExactSums<T>::absorb_deltas() {
  add_and_clear(coarse_, coarse_delta_, tables_);
  if (!fine_.empty()) add_and_clear(fine_, fine_delta_, tables_);
  add_and_clear(count_, count_delta_, tables_);
}

template <class T>
bool ExactSums<T>::replace_by_deltas() {
  const std::vector<std::int64_t> coarse = coarse_, fine = fine_, count = count_;
  for (std::vector<std::int64_t>* totals : {&coarse_, &fine_, &count_}) std::fill(totals->begin(), totals->end(), 0);
  absorb_deltas();
  return coarse_ != coarse || fine_ != fine || count_ != count;
}

template <class T>
double ExactSums<T>::value(std::int64_t cluster, std::int64_t column) const {
  const auto cell = static_cast<std::size_t>(cluster * (cols_ + 1) + column);
  const double fine = fine_.empty() ? 0.0 : static_cast<double>(fine_[cell]) / fine_scale_;
  return (static_cast<double>(coarse_[cell]) + fine) / scale_[static_cast<std::size_t>(column)];
}

template class ExactSums<float>;
template class ExactSums<double>;

}  // namespace coterie
