// The mean silhouette of one cut after another, from the sums of distances to the clusters of the finest one.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// Clusters `into` and `from` become one, called `into`; a cut is scored when all joins of its node are done.
struct JoinedClusters {
  std::int64_t into, from, is_scored;
};

// sums[i][c] = sum of the distances of sample i to cluster c. Returns the score of the finest cut and of every scored join.
std::vector<double> cut_silhouettes(MatrixView<double> sums, const std::int64_t* clusters, const JoinedClusters* joins,
                                    std::int64_t n_joins, int threads);

}  // namespace coterie
