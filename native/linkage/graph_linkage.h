// Linkage along the edges of a graph: clusters that no edge joins do not merge.
#pragma once

#include <cstdint>

#include "linkage/merges.h"
#include "support/matrix_view.h"

namespace coterie {

// What a pair without an edge means.
enum class MissingEdge : std::int32_t {
  infinite,  // infinitely far: so are clusters with such a pair, single linkage aside; what remains merges at infinity
  unknown,   // not to be asked: clusters are as far as the edges between them say
};

struct GraphLinkage {
  SparseView<double> edges;  // symmetric, without a diagonal
  LinkageRule rule;          // single, complete, average, weighted; ward and centroid with rows
  MissingEdge missing;
  const double* rows;        // centroids for ward and centroid, else null
  std::int64_t cols;
  std::int64_t n_merges;     // at most; the merges so far are written
  const double* sizes = nullptr;  // how many rows each of them stands for; null: 1
};

// Rows of (smaller id, larger id, height, size) in the order of (height, smaller id, larger id); returns how many.
std::int64_t link_graph(const GraphLinkage& graph, double* out);

}  // namespace coterie
