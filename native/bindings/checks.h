// Checks of arrays from Python that say where to read and write: no loop of the engine may leave its memory, whatever they hold.
//
// Each is one pass over the array. What they refuse is a mistake of the caller or a damaged file, so they name the argument and no way out.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "dendrogram/walks.h"

namespace coterie {

inline void check_that(bool is_true, const std::string& rule) {
  if (!is_true) throw std::invalid_argument(rule);
}

inline void check_size(const char* name, std::size_t size, std::int64_t expected) {
  if (static_cast<std::int64_t>(size) != expected)
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(expected) + " entries, got " +
                                std::to_string(size) + ".");
}

template <class T>
void check_optional_size(const char* name, const std::optional<Vector<T>>& array, std::int64_t expected) {
  if (array) check_size(name, array->shape(0), expected);
}

template <class T>
void check_columns(const char* name, const Matrix<T>& array, std::int64_t expected) {
  if (static_cast<std::int64_t>(array.shape(1)) != expected)
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(expected) + " columns, got " +
                                std::to_string(array.shape(1)) + ".");
}

// Every index is at least `least` and below `end`.
template <class Index>
void check_indices(const char* name, const Index* indices, std::size_t count, std::int64_t end, std::int64_t least = 0) {
  for (std::size_t i = 0; i < count; ++i)
    if (indices[i] < least || indices[i] >= end)
      throw std::invalid_argument(std::string(name) + " must be at least " + std::to_string(least) + " and below " +
                                  std::to_string(end) + ", got " + std::to_string(indices[i]) + " at position " + std::to_string(i) +
                                  ".");
}

template <class Index>
void check_indices(const char* name, const Vector<Index>& indices, std::int64_t end, std::int64_t least = 0) {
  check_indices(name, indices.data(), indices.shape(0), end, least);
}

// One index per row.
template <class Index>
void check_labels(const char* name, const Vector<Index>& labels, std::int64_t n_rows, std::int64_t end, std::int64_t least = 0) {
  check_size(name, labels.shape(0), n_rows);
  check_indices(name, labels, end, least);
}

// Edges: two rows each.
inline void check_edges(const char* name, const Matrix<std::int64_t>& edges, std::int64_t n_rows) {
  check_that(edges.shape(1) == 2, std::string(name) + " must have two columns.");
  check_indices(name, edges.data(), edges.size(), n_rows);
}

// starts[i] .. starts[i + 1] lie within `size` entries and do not run backwards.
inline void check_starts(const char* name, const Vector<std::int64_t>& starts, std::size_t size) {
  check_that(starts.shape(0) > 0, std::string(name) + " must have an entry more than there are rows.");
  check_indices(name, starts, static_cast<std::int64_t>(size) + 1);
  for (std::size_t i = 1; i < starts.shape(0); ++i)
    check_that(starts.data()[i - 1] <= starts.data()[i], std::string(name) + " must not fall.");
}

template <class T>
SparseView<T> checked_sparse_view(const Vector<T>& values, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts,
                                  std::int64_t n_cols) {
  check_size("values", values.shape(0), static_cast<std::int64_t>(columns.shape(0)));
  check_starts("row_starts", row_starts, columns.shape(0));
  check_indices("columns", columns, n_cols);
  return {values.data(), columns.data(), row_starts.data(), static_cast<std::int64_t>(row_starts.shape(0)) - 1, n_cols};
}

// A whole tree: every node but the root is the child of one node that comes later.
inline TreeView checked_tree(const Vector<std::int64_t>& starts, const Vector<std::int64_t>& children, std::int64_t n_leaves) {
  check_starts("starts", starts, children.shape(0));
  const TreeView tree{starts.data(), children.data(), static_cast<std::int64_t>(starts.shape(0)) - 1, n_leaves};
  check_that(n_leaves > 0, "n_leaves must be at least 1.");
  check_size("children", children.shape(0), tree.n_nodes() - 1);
  check_that(starts.data()[0] == 0 && starts.data()[tree.n_inner] == tree.n_nodes() - 1, "starts must cover all children.");
  check_that(find_problem(tree).fault == TreeFault::none, "starts and children must be a tree.");
  return tree;
}

// Merge m makes node n + m of two nodes that are there already and that no other merge takes.
inline void check_merges(const Vector<std::int64_t>& left, const Vector<std::int64_t>& right) {
  const auto n_merges = static_cast<std::int64_t>(left.shape(0)), n = n_merges + 1;
  check_size("right", right.shape(0), n_merges);
  std::vector<bool> is_used(static_cast<std::size_t>(n + n_merges));
  for (std::int64_t m = 0; m < n_merges; ++m)
    for (const std::int64_t node : {left.data()[m], right.data()[m]}) {
      check_that(node >= 0 && node < n + m && !is_used[static_cast<std::size_t>(node)], "left and right must be a tree of merges.");
      is_used[static_cast<std::size_t>(node)] = true;
    }
}

}  // namespace coterie
