#include "linkage/linkage.h"

#include <algorithm>
#include <cmath>

#include "linkage/centroid_linkage.h"
#include "linkage/matrix_linkage.h"
#include "linkage/single_linkage.h"
#include "support/parallel.h"

namespace coterie {
namespace {

template <class T>
void square_all(T* square, std::int64_t n, int threads) {
  parallel_for(n, threads, [&](std::int64_t i, int) {
    for (T* value = square + i * n; value != square + (i + 1) * n; ++value) *value *= *value;
  });
}

void finish(std::vector<SlotMerge> merges, std::int64_t n, LinkageRule rule, double* out) {
  if (works_on_squares(rule))
    for (SlotMerge& merge : merges) merge.height = std::sqrt(std::max(merge.height, 0.0));
  if (is_reducible(rule)) make_monotone(merges, n);
  write_linkage(merges, n, out);
}

CentroidRule centroid_rule(LinkageRule rule) {
  switch (rule) {
    case LinkageRule::ward:
      return CentroidRule::ward;
    case LinkageRule::centroid:
      return CentroidRule::centroid;
    case LinkageRule::median:
      return CentroidRule::median;
    default:
      return CentroidRule::average_squares;
  }
}

}  // namespace

template <class T>
void link_matrix(T* square, std::int64_t n, LinkageRule rule, int threads, double* out) {
  if (rule == LinkageRule::single) return finish(single_linkage_of_matrix(square, n, threads), n, rule, out);
  if (rule == LinkageRule::minimax) return finish(minimax_linkage(square, n, threads), n, rule, out);
  if (works_on_squares(rule)) square_all(square, n, threads);
  finish(matrix_linkage(square, n, rule, threads), n, rule, out);
}

template <class T>
void link_rows(const MatrixView<T>& rows, LinkageRule rule, int threads, double* out) {
  const CentroidRule by = centroid_rule(rule);
  finish(is_reducible(rule) ? centroid_rounds(rows, by, threads) : centre_linkage(rows, by, threads), rows.rows, rule, out);
}

void link_edges(const std::int64_t* edges, const double* distances, std::int64_t n, double* out) {
  std::vector<TreeEdge> tree;
  for (std::int64_t i = 0; i < n - 1; ++i)
    tree.push_back({distances[i], static_cast<std::int32_t>(edges[2 * i]), static_cast<std::int32_t>(edges[2 * i + 1])});
  write_linkage(merges_along(std::move(tree), n), n, out);
}

template void link_matrix<float>(float*, std::int64_t, LinkageRule, int, double*);
template void link_matrix<double>(double*, std::int64_t, LinkageRule, int, double*);
template void link_rows<float>(const MatrixView<float>&, LinkageRule, int, double*);
template void link_rows<double>(const MatrixView<double>&, LinkageRule, int, double*);

}  // namespace coterie
