// Ranks within rows.
#pragma once

#include "support/matrix_view.h"

namespace coterie {

// out[i][t] = rank of X[i][t] among the numbers of its row, from 1; equal numbers share their mean rank.
template <class T>
void row_ranks(const MatrixView<T>& X, int threads, const MutableMatrixView<T>& out);

}  // namespace coterie
