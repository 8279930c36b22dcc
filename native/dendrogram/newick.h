// Trees as text in brackets: (A:1,(B:0.5,C:0.5):0.5);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dendrogram/tree_view.h"

namespace coterie {

// Thrown where text is no tree: what was expected, and at which byte.
struct NewickProblem {
  std::string what;
  std::size_t position;
};

// A tree as it was written: leaves and inner nodes are numbered in the order in which they end in the text.
struct NewickTree {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int64_t> children;  // leaves: 0.., inner node i: -1 - i
  std::vector<double> leaf_lengths, inner_lengths;  // NaN where none is given
  std::vector<std::string> names;
  std::size_t first_without_length = std::string::npos;  // where the first branch without one ends (the root may have none)
  bool has_lengths = false;
};

NewickTree read_newick(std::string_view text);

// `names` are already quoted where needed; empty: the numbers of the leaves. Heights of leaves are 0.
std::string write_newick(const TreeView& tree, const double* heights, const std::vector<std::string_view>& names);

}  // namespace coterie
