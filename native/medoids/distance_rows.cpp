#include "medoids/distance_rows.h"

#include <algorithm>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

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

template class GivenRows<float>;
template class GivenRows<double>;
template class ComputedRows<float>;
template class ComputedRows<double>;

}  // namespace coterie
