// Linkage: from rows or from a matrix to SciPy's matrix of merges.
#pragma once

#include <cstdint>

#include "linkage/merges.h"
#include "support/matrix_view.h"

namespace coterie {

// Overwrites the square, symmetric matrix. `out` is (n - 1) x 4.
template <class T>
void link_matrix(T* square, std::int64_t n, LinkageRule rule, int threads, double* out);

// Euclidean rows, in memory that grows with them only: ward, centroid, median; average and single are those of squared
// distances.
template <class T>
void link_rows(const MatrixView<T>& rows, LinkageRule rule, int threads, double* out);

// Whether link_rows takes the rule.
constexpr bool is_linked_by_rows(LinkageRule rule) {
  return works_on_squares(rule) || rule == LinkageRule::average || rule == LinkageRule::single;
}

}  // namespace coterie
