#include "linkage/first_candidates.h"

#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr std::int64_t tree_most_columns = 16;  // beyond, comparing all pairs by products is faster
constexpr std::int64_t rows_per_task = 1024;

template <class T>
double squared_distance(const T* x, const T* y, std::int64_t cols) {
  double total = 0;
  for (std::int64_t t = 0; t < cols; ++t) {
    const double difference = static_cast<double>(x[t]) - static_cast<double>(y[t]);
    total += difference * difference;
  }
  return total;
}

template <class T>
double largest_length(const MatrixView<T>& rows, const std::vector<T>& centre) {
  double largest = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i) largest = std::max(largest, squared_distance(rows.row(i), centre.data(), rows.cols));
  return largest;
}

}  // namespace

template <class T>
FirstCandidates first_candidates(const MatrixView<T>& rows, int threads) {
  if (rows.cols <= tree_most_columns || rows.rows <= list_length) return {};
  const Metric metric{Kernel::dot, Finish::squared_norm, 2.0};
  const auto cells = static_cast<std::size_t>(rows.rows * list_length);
  std::vector<std::int32_t> index(cells);
  std::vector<T> value(cells);
  smallest<T>(rows, rows, metric, threads, {list_length, index.data(), value.data(), true});
  const double slack = 4 * static_cast<double>(rows.cols + 8) * std::numeric_limits<T>::epsilon() *
                       largest_length(rows, centring_shift(rows, metric, threads));
  std::vector<Candidate> found(cells);
  parallel_for(block_count(rows.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(rows.rows, rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      Candidate* list = found.data() + i * list_length;
      for (std::int64_t k = 0; k < list_length; ++k) {
        const std::int32_t other = index[static_cast<std::size_t>(i * list_length + k)];
        list[k] = {squared_distance(rows.row(i), rows.row(other), rows.cols), other, 0};
      }
      std::sort(list, list + list_length, is_nearer);
    }
  });
  return {std::move(found), slack};
}

template FirstCandidates first_candidates(const MatrixView<float>&, int);
template FirstCandidates first_candidates(const MatrixView<double>&, int);

}  // namespace coterie
