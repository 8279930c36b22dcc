// The nearest rows of every row, to begin with.
#pragma once

#include <vector>

#include "linkage/neighbourhood.h"
#include "support/matrix_view.h"

namespace coterie {

struct FirstCandidates {
  std::vector<Candidate> found;  // list_length per row by squared distance; empty where a tree will do better
  double slack = 0;              // rows that are not named may be nearer than the last one named by this much
};

// By tiles: for rows of too many dimensions for a tree.
template <class T>
FirstCandidates first_candidates(const MatrixView<T>& rows, int threads);

}  // namespace coterie
