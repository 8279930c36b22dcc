// What a square matrix must be to be taken for distances.
#pragma once

#include "support/matrix_view.h"

namespace coterie {

struct MatrixFacts {
  bool is_nonnegative;       // no negative number, no NaN, no infinity
  double largest;            // of the numbers that are neither NaN nor infinite
  double largest_diagonal;   // in absolute value
  double largest_asymmetry;  // |D[i][j] - D[j][i]|
};

template <class T>
MatrixFacts matrix_facts(const MatrixView<T>& D, int threads);

}  // namespace coterie
