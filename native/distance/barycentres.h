// The point of a cluster that is nearest to its rows, one feature at a time: mean, median, mode, p-centre.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

enum class Barycentre : std::int32_t {
  mean,      // least sum of w (x - c)^2
  median,    // least sum of w |x - c|: the lower median
  mode,      // least sum of w [x != c]: the commonest value, the smallest of several
  p_centre,  // least sum of w |x - c|^p, p > 1
};

// Rows grouped by cluster; `labels` of -1 belong to none. `weights` may be null.
template <class T>
struct LabelledRows {
  MatrixView<T> X;
  const std::int32_t* labels;
  const double* weights;
};

// out has one row per cluster; a cluster without weight gets NaN.
template <class T>
void barycentres(const LabelledRows<T>& rows, Barycentre kind, double p, int threads, const MutableMatrixView<T>& out);

}  // namespace coterie
