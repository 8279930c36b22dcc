// OPTICS: the order in which rows are reached when the nearest one comes next.
//
// Visiting a row whose core distance is finite offers max(core distance, distance) to every unvisited row within the
// radius; a row keeps the lowest offer, its reachability, and the row that made it first, its predecessor. Next comes the
// unvisited row of the lowest reachability, of equals the lowest row. Offers are rounded to 15 decimals, as scikit-learn
// rounds them: ties are decided after that. Memory grows with the number of rows, whatever the radius.
#pragma once

#include <cstdint>
#include <functional>

#include "support/matrix_view.h"
#include "trees/kdtree.h"

namespace coterie {

struct OpticsQuestion {
  const double* core;  // per row; infinity: no core point within the radius
  double radius;       // inclusive; may be infinite
};

// Row numbers in the order of visits; per row its reachability and its predecessor, infinity and -1 if it was not reached.
struct OpticsOutput {
  std::int64_t* ordering;
  double* reachability;
  std::int64_t* predecessor;
};

// Distances are those of the tree times the factor.
void optics_of_tree(const KDTree<double>& tree, double factor, const OpticsQuestion& question, const OpticsOutput& out);

// Row i of the matrix holds the distances from row i; pairs that are not stored are beyond any radius.
void optics_of_graph(const SparseView<double>& graph, const OpticsQuestion& question, const OpticsOutput& out);

// `distances_from(i)` gives the distances from row i to all rows, valid until the next call.
void optics_of_rows(std::int64_t n, const std::function<const double*(std::int64_t)>& distances_from, const OpticsQuestion& question,
                    const OpticsOutput& out);

}  // namespace coterie
