// Edges in their order, by the bits of their distances: a few passes over all of them instead of a comparison sort.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "trees/spanning_tree.h"

namespace coterie {

constexpr std::size_t fewest_edges_for_bits = 2048;  // fewer are sorted by comparisons

// Bits that are in the order of the numbers; both zeros are one.
template <class T>
auto ordered_bits(T number) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T one_zero = number + T(0);
  Bits bits;
  std::memcpy(&bits, &one_zero, sizeof bits);
  constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
  return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

template <class T>
void sort_edges(SpanningEdges<T>& edges) {
  if (edges.size() < fewest_edges_for_bits) return std::sort(edges.begin(), edges.end());
  std::vector<std::array<std::size_t, 256>> starts(sizeof(T));
  for (std::array<std::size_t, 256>& counts : starts) counts.fill(0);
  for (const SpanningEdge<T>& edge : edges)
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) ++starts[byte][(ordered_bits(edge.distance) >> (8 * byte)) & 255];
  SpanningEdges<T> moved(edges.size());
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    std::array<std::size_t, 256>& place = starts[byte];
    if (*std::max_element(place.begin(), place.end()) == edges.size()) continue;
    std::size_t total = 0;
    for (std::size_t& entry : place) total += std::exchange(entry, total);
    for (const SpanningEdge<T>& edge : edges) moved[place[(ordered_bits(edge.distance) >> (8 * byte)) & 255]++] = edge;
    edges.swap(moved);
  }
  for (auto first = edges.begin(); first != edges.end();) {
    auto last = first;
    while (last != edges.end() && last->distance == first->distance) ++last;
    std::sort(first, last);
    first = last;
  }
}

}  // namespace coterie
