// Disjoint sets of 0..n-1; the lowest member of a set is its name.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace coterie {

class UnionFind {
 public:
  explicit UnionFind(std::int64_t n) : parent_(static_cast<std::size_t>(n)) { std::iota(parent_.begin(), parent_.end(), 0); }

  // Halves the path on the way.
  std::int32_t find(std::int32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  // False when they were in one set already.
  bool unite(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (a < b)
      parent_[b] = a;
    else
      parent_[a] = b;
    return true;
  }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace coterie
