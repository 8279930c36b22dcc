// Trees as text in brackets: (A:1,(B:0.5,C:0.5):0.5);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dendrogram/tree_view.h"

namespace coterie {

// Thrown where text is not a tree: what was expected, and at which byte.
struct NewickProblem {
  std::string what;
  std::size_t position;
};

// A tree as it was written: leaves and inner nodes are numbered in the order in which they end in the text.
struct NewickTree {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int64_t> children;  // leaves: 0.., inner node i: -1 - i
  std::vector<double> leaf_lengths, inner_lengths;  // NaN where none is given
  std::vector<std::string> names, inner_names;  // of inner nodes: empty where they have none; often the support of their branch
  std::size_t first_without_length = std::string::npos;  // where the first branch without one ends (the root may have none)
  bool has_lengths = false;
};

NewickTree read_newick(std::string_view text);

// `names` of leaves, or of all nodes, are already quoted where needed; empty: the numbers of the leaves. `lengths` of the branches above
// all nodes; none is written where it is NaN.
std::string write_newick(const TreeView& tree, const double* lengths, const std::vector<std::string_view>& names);

// The branches of a tree whose leaves are at height 0: what a reader must add to get the heights again; NaN above the root.
void branch_lengths(const TreeView& tree, const double* heights, double* lengths);

}  // namespace coterie
