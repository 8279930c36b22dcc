#include "linkage/single_linkage.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "linkage/matrix_linkage.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {
namespace {

std::int32_t root_of(std::vector<std::int32_t>& parent, std::int32_t row) {
  while (parent[static_cast<std::size_t>(row)] != row) {
    auto& up = parent[static_cast<std::size_t>(row)];
    up = parent[static_cast<std::size_t>(up)];
    row = up;
  }
  return row;
}

}  // namespace

std::vector<SlotMerge> merges_along(std::vector<TreeEdge> edges, std::int64_t n) {
  std::sort(edges.begin(), edges.end(), [](const TreeEdge& a, const TreeEdge& b) {
    return stands_before(a.distance, std::tie(a.lower, a.higher), b.distance, std::tie(b.lower, b.higher));
  });
  std::vector<std::int32_t> parent(static_cast<std::size_t>(n));
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<SlotMerge> merges;
  merges.reserve(edges.size());
  for (const TreeEdge& edge : edges) {
    const std::int32_t a = root_of(parent, edge.lower), b = root_of(parent, edge.higher);
    merges.push_back({std::min(a, b), std::max(a, b), edge.distance});
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  return merges;
}

// Prim's algorithm: every row of the matrix is read once.
template <class T>
std::vector<SlotMerge> single_linkage_of_matrix(const T* square, std::int64_t n, int) {
  std::vector<T> nearest(static_cast<std::size_t>(n), std::numeric_limits<T>::infinity());
  std::vector<std::int32_t> from(static_cast<std::size_t>(n), 0), outside(static_cast<std::size_t>(n - 1));
  std::iota(outside.begin(), outside.end(), 1);
  std::vector<TreeEdge> edges;
  for (std::int32_t row = 0; !outside.empty();) {
    check_interrupt();
    std::size_t best = 0;
    for (std::size_t m = 0; m < outside.size(); ++m) {
      const auto other = static_cast<std::size_t>(outside[m]);
      const T distance = square[row * n + outside[m]];
      if (distance < nearest[other]) {
        nearest[other] = distance;
        from[other] = row;
      }
      if (nearest[other] < nearest[static_cast<std::size_t>(outside[best])]) best = m;
    }
    const std::int32_t next = outside[best], back = from[static_cast<std::size_t>(next)];
    edges.push_back({static_cast<double>(nearest[static_cast<std::size_t>(next)]), std::min(next, back), std::max(next, back)});
    outside[best] = outside.back();
    outside.pop_back();
    row = next;
  }
  return merges_along(std::move(edges), n);
}

template std::vector<SlotMerge> single_linkage_of_matrix<float>(const float*, std::int64_t, int);
template std::vector<SlotMerge> single_linkage_of_matrix<double>(const double*, std::int64_t, int);

}  // namespace coterie
