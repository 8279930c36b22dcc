// Spanning trees of a given matrix: Prim's algorithm, one row of the matrix after the other.
#include "support/not_finite.h"
#include "support/parallel.h"
#include "trees/spanning_rounds.h"

namespace coterie {

template <class T>
SpanningEdges<T> spanning_tree(const MatrixView<T>& distances, const Reachability<T>& reach) {
  const auto n = static_cast<std::int32_t>(distances.rows);
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
  SpanningEdges<T> best(static_cast<std::size_t>(n), {std::numeric_limits<T>::infinity(), last, last}), edges;
  std::vector<std::int32_t> outside(static_cast<std::size_t>(n));
  std::iota(outside.begin(), outside.end(), 0);
  std::size_t place = 0;
  while (!outside.empty()) {
    const std::int32_t row = outside[place];
    if (best[row].lower != last) edges.push_back(best[row]);
    outside[place] = outside.back();
    outside.pop_back();
    place = 0;
    for (std::size_t m = 0; m < outside.size(); ++m) {
      const std::int32_t other = outside[m];
      T distance = distances.row(row)[other];
      if (reach.alpha != 1) distance = static_cast<T>(static_cast<double>(distance) / reach.alpha);
      if (reach.core != nullptr) distance = std::max(std::max(reach.core[row], reach.core[other]), distance);
      if (distance <= best[other].distance) {
        const SpanningEdge<T> edge{distance, std::min(row, other), std::max(row, other)};
        if (edge < best[other]) best[other] = edge;
      }
      if (best[other] < best[outside[place]]) place = m;
    }
    check_interrupt();
  }
  if (static_cast<std::int32_t>(edges.size()) + 1 < n) throw NotFinite();
  std::sort(edges.begin(), edges.end());
  return edges;
}

template SpanningEdges<float> spanning_tree(const MatrixView<float>&, const Reachability<float>&);
template SpanningEdges<double> spanning_tree(const MatrixView<double>&, const Reachability<double>&);

}  // namespace coterie
