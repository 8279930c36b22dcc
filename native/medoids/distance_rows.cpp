#include "medoids/distance_rows.h"

#include <algorithm>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {

template <class T>
const T* const* GivenRows<T>::fetch(const std::int64_t* candidates, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) rows_[static_cast<std::size_t>(i)] = D_.row(candidates[i]);
  return rows_.data();
}

template <class T>
ComputedRows<T>::ComputedRows(const MatrixView<T>& candidates, const MatrixView<T>& points, const Metric& metric, int threads)
    : candidates_(candidates),
      metric_(metric),
      threads_(threads),
      shift_(centring_shift(points, metric, threads)),
      pack_(points, shift_.empty() ? nullptr : shift_.data(), metric, threads),
      rows_(DistanceRows<T>::most_rows) {}

template <class T>
const T* const* ComputedRows<T>::fetch(const std::int64_t* candidates, std::int64_t count) {
  constexpr std::int64_t rows_per_task = 16;  // two strips: 16 tasks for the threads to share
  const std::int64_t cols = candidates_.cols, n = n_points();
  gathered_.resize(static_cast<std::size_t>(DistanceRows<T>::most_rows * cols));
  panel_.resize(std::max(panel_.size(), static_cast<std::size_t>(count * n)));
  parallel_for(block_count(count, rows_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(count, rows_per_task, task);
    T* rows = gathered_.data() + range.begin * cols;
    for (std::int64_t i = range.begin; i < range.end; ++i)
      std::copy_n(candidates_.row(candidates[i]), cols, gathered_.data() + i * cols);
    const MatrixView<T> block = {rows, range.size(), cols, cols};
    engine().of<T>().tiles.store({block, shift_.empty() ? nullptr : shift_.data(), pack_.columns(), metric_, 1},
                                 {panel_.data() + range.begin * n, range.size(), n, n});
  });
  for (std::int64_t i = 0; i < count; ++i) rows_[static_cast<std::size_t>(i)] = panel_.data() + i * n;
  return rows_.data();
}

template <class T>
DistanceCodes<T>::DistanceCodes(std::int64_t n_rows, std::int64_t n_points)
    : n_points_(n_points),
      codes_(static_cast<DistanceCode*>(allocate_aligned(static_cast<std::size_t>(n_rows * n_points) * sizeof(DistanceCode)))) {}

template <class T>
DistanceCodes<T>::~DistanceCodes() {
  free_aligned(codes_);
}

template <class T>
void DistanceCodes<T>::encode(std::int64_t begin, std::int64_t end, const T* const* rows, int threads) {
  if (end <= n_known_) return;
  parallel_for(end - n_known_, threads, [&](std::int64_t i, int) {
    const std::int64_t at = n_known_ + i;
    engine().distance_codes.encode(rows[at - begin], n_points_, codes_ + at * n_points_);
  });
  n_known_ = end;
}

template class DistanceCodes<float>;
template class DistanceCodes<double>;
template class GivenRows<float>;
template class GivenRows<double>;
template class ComputedRows<float>;
template class ComputedRows<double>;

}  // namespace coterie
