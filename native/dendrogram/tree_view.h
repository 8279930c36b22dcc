// A dendrogram as arrays: leaves are nodes 0..n-1, inner nodes n.. come after their children, the last one is the root.
#pragma once

#include <cstdint>

namespace coterie {

struct Span {
  const std::int64_t* first;
  const std::int64_t* last;
  const std::int64_t* begin() const { return first; }
  const std::int64_t* end() const { return last; }
  std::int64_t size() const { return last - first; }
};

// The children of inner node i are children[starts[i] .. starts[i + 1]), from left to right.
struct TreeView {
  const std::int64_t* starts;
  const std::int64_t* children;
  std::int64_t n_inner;
  std::int64_t n_leaves;

  std::int64_t n_nodes() const { return n_leaves + n_inner; }
  std::int64_t root() const { return n_nodes() - 1; }
  Span children_of(std::int64_t node) const {
    const std::int64_t i = node - n_leaves;
    return {children + starts[i], children + starts[i + 1]};
  }
};

}  // namespace coterie
