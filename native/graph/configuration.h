// Random graphs in which every node has the degree that it has in a given one.
#pragma once

#include <cstdint>

namespace coterie {

// Pairs of edges exchange their ends, some `exchanges_per_edge` times for every edge, never making a loop or an edge that is there
// already. Sources and targets are changed in place. Undirected edges may turn round; none may be a loop or occur twice.
void exchange_edges(std::int32_t* sources, std::int32_t* targets, std::int64_t n_edges, bool is_directed,
                    std::int64_t exchanges_per_edge, std::uint64_t seed);

}  // namespace coterie
