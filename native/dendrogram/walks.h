// Walks over a dendrogram, each one pass over its arrays: no recursion, so that a chain of any length works.
#pragma once

#include <cstdint>
#include <vector>

#include "dendrogram/tree_view.h"

namespace coterie {

// What is wrong with the arrays of a tree, if anything, and where: at children[position] of an inner node.
enum class TreeFault : int { none, out_of_range, not_made_yet, used_twice, too_few_children };

struct TreeProblem {
  TreeFault fault;
  std::int64_t inner;
  std::int64_t position;
};

// Every other function here assumes a tree without a fault.
TreeProblem find_problem(const TreeView& tree);

// Number of leaves below every node, leaves included.
void count_leaves(const TreeView& tree, std::int64_t* sizes);

// Parent of every node; -1 for the root.
void find_parents(const TreeView& tree, std::int64_t* parents);

// Leaves from left to right, and the place of every node's first leaf in that order.
void order_leaves(const TreeView& tree, const std::int64_t* sizes, std::int64_t* order, std::int64_t* first_place);

// greatest[i] = the largest of values[] over inner node i and all inner nodes below it.
void greatest_below(const TreeView& tree, const double* values, double* greatest);

// Height of every inner node: the longest way down to a leaf, where lengths[v] is that of the branch above node v.
void longest_ways_down(const TreeView& tree, const double* lengths, double* heights);

// Least and largest of leaf_values[] over the leaves of every inner node.
void leaf_ranges(const TreeView& tree, const std::int64_t* leaf_values, std::int64_t* least, std::int64_t* greatest);

// is_below[v] = 1 for `node` and every node below it.
void mark_below(const TreeView& tree, std::int64_t node, std::uint8_t* is_below);

// Whether the inner nodes may be split so that no part has fewer than min_size leaves: is_joined[i] = 0 where split.
void join_small(const TreeView& tree, const std::int64_t* sizes, std::int64_t min_size, std::uint8_t* is_joined);

// Labels of the leaves when each topmost joined node is a cluster, numbered by their lowest leaf. Returns how many.
std::int64_t label_leaves(const TreeView& tree, const std::uint8_t* is_joined, std::int64_t* labels);

// An order of the inner nodes by height, lowest first, that puts children before parents; ties by number. Here alone the
// inner nodes may be numbered in any way; those on a cycle and above it are left out.
std::vector<std::int64_t> order_by_height(const TreeView& tree, const double* heights);

// Height of the lowest common node of all pairs i < j, in the order of SciPy's condensed distances.
void cophenetic_condensed(const TreeView& tree, const double* heights, double* condensed, int threads);

// The lowest common node of each pair of leaves (2 numbers per pair).
void common_nodes(const TreeView& tree, const std::int64_t* pairs, std::int64_t n_pairs, std::int64_t* nodes);

}  // namespace coterie
