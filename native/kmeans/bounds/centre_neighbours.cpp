// The centres within reach of one centre, nearest first: the ball of Exponion.
#include "kmeans/bounds/centre_neighbours.h"

#include <algorithm>
#include <limits>

namespace coterie {

std::int64_t list_neighbours(const float* distances, std::int64_t n_centres, std::int32_t self, float reach, Neighbour* out,
                             float* beyond) {
  std::int64_t count = 1;
  float nearest_outside = std::numeric_limits<float>::infinity();
  for (std::int64_t j = 0; j < n_centres; ++j) {
    if (j == self) continue;
    if (distances[j] <= reach)
      out[count++] = {distances[j], static_cast<std::int32_t>(j)};
    else
      nearest_outside = std::min(nearest_outside, distances[j]);
  }
  out[0] = {0.0f, self};
  std::sort(out + 1, out + count, [](const Neighbour& a, const Neighbour& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.centre < b.centre);
  });
  *beyond = nearest_outside;
  return count;
}

}  // namespace coterie
