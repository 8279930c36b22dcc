// The mutual information that two labelings with given cluster sizes share by chance.
#pragma once

#include <cstdint>

namespace coterie {

// How many clusters of a labeling have each size.
struct SizeCounts {
  const std::int64_t* sizes;
  const std::int64_t* multiplicities;
  std::int64_t count;
};

// Mean over all labelings of `n` samples with these cluster sizes, in nats.
double expected_mutual_information(const SizeCounts& first, const SizeCounts& second, std::int64_t n, int threads);

}  // namespace coterie
