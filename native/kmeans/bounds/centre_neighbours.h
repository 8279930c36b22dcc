// The centres around one centre, nearest first: the ball of Exponion.
#pragma once

#include <cstdint>

namespace coterie {

struct Neighbour {
  float distance;  // from the centre, rounded down
  std::int32_t centre;
};

// Writes the centres at most `reach` from `self` to `out`, `self` first, then by (distance, index); returns how many, and in
// `beyond` the smallest distance that was left out (+inf if none).
std::int64_t list_neighbours(const float* distances, std::int64_t n_centres, std::int32_t self, float reach, Neighbour* out,
                             float* beyond);

}  // namespace coterie
