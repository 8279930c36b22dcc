// Spanning trees of a given matrix: Prim's algorithm, one row of the matrix after the other.
#include <algorithm>
#include <limits>
#include <vector>

#include "engine.h"
#include "support/cpu_dispatch.h"
#include "support/not_finite.h"
#include "support/parallel.h"
#include "trees/spanning_tree.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_check = 64;  // looking at the clock takes as long as a short row

// A row of the matrix, its distances over alpha.
template <class T>
const T* row_of(const MatrixView<T>& distances, std::int64_t row, double alpha, std::vector<T>& scaled) {
  if (alpha == 1) return distances.row(row);
  for (std::size_t j = 0; j < scaled.size(); ++j) scaled[j] = static_cast<T>(static_cast<double>(distances.row(row)[j]) / alpha);
  return scaled.data();
}

}  // namespace

template <class T>
SpanningEdges<T> spanning_tree(const MatrixView<T>& distances, const Reachability<T>& reach) {
  const PrimKernels<T>& kernels = engine().of<T>().prim;
  const std::int64_t n = distances.rows;
  const auto size = static_cast<std::size_t>(n);
  constexpr T none = -std::numeric_limits<T>::infinity(), infinity = std::numeric_limits<T>::infinity();
  std::vector<T> core(size, none), best(size, infinity), scaled(reach.alpha != 1 ? size : 0);
  if (reach.core != nullptr) std::copy_n(reach.core, n, core.begin());
  std::vector<RowNumber<T>> from(size, std::numeric_limits<RowNumber<T>>::max());
  const PrimState<T> state{core.data(), best.data(), from.data()};
  SpanningEdges<T> edges;
  edges.reserve(size);
  for (std::int64_t row = 0, n_in_tree = 1; n_in_tree < n; ++n_in_tree) {
    const PrimRow<T> joins{row_of(distances, row, reach.alpha, scaled), core[row], row};
    core[row] = best[row] = infinity;
    from[row] = -1;
    const T length = kernels.offer_row(joins, state, n);
    row = kernels.first_of_length(state, length, n);
    if (row < 0 || from[row] == std::numeric_limits<RowNumber<T>>::max()) throw NotFinite();
    const auto one = static_cast<std::int32_t>(row), other = static_cast<std::int32_t>(from[row]);
    edges.push_back({length, std::min(one, other), std::max(one, other)});
    if (n_in_tree % rows_per_check == 0) check_interrupt();
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

template SpanningEdges<float> spanning_tree(const MatrixView<float>&, const Reachability<float>&);
template SpanningEdges<double> spanning_tree(const MatrixView<double>&, const Reachability<double>&);

}  // namespace coterie
