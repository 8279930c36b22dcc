#include "distance/ranks.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {

template <class T>
void row_ranks(const MatrixView<T>& X, int threads, const MutableMatrixView<T>& out) {
  constexpr std::int64_t rows_per_task = 256;
  parallel_for(block_count(X.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(X.cols));
    const Range range = block_range(X.rows, rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const T* row = X.row(i);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [row](std::int64_t a, std::int64_t b) { return stands_before(row[a], row[b]); });
      for (std::size_t first = 0, end; first < order.size(); first = end) {
        for (end = first + 1; end < order.size() && row[order[end]] == row[order[first]];) ++end;
        const T rank = static_cast<T>(static_cast<double>(first + 1 + end) / 2);  // the mean of first + 1 .. end
        for (std::size_t at = first; at < end; ++at) out.row(i)[order[at]] = rank;
      }
    }
  });
}

template void row_ranks<float>(const MatrixView<float>&, int, const MutableMatrixView<float>&);
template void row_ranks<double>(const MatrixView<double>&, int, const MutableMatrixView<double>&);

}  // namespace coterie
