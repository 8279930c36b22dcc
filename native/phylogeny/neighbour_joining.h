// Neighbour joining (Saitou & Nei 1987, in the form of Studier & Keppler 1988): a tree with branch lengths from distances.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// Leaves are nodes 0..n-1, inner nodes n.. in the order in which they were made; the last one, the root, joins the last three.
struct JoinedTree {
  std::vector<std::int64_t> starts{0}, children;
  std::vector<double> lengths;  // of the branch above every node, NaN above the root; may be negative
  std::int64_t rows_searched = 0;  // of all rows of all steps, those that the bounds did not spare
};

// `distances` is square, symmetric and finite. Of equal pairs the one with the lowest place wins, then the one whose other place is
// lowest; a joined node takes the lower of its two places.
JoinedTree join_neighbours(MatrixView<double> distances, int threads);

}  // namespace coterie
