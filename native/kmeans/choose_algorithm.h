// Which algorithm iterates: all give the same answer, so that time decides.
#pragma once

#include <cstdint>

#include "kmeans/column_moments.h"
#include "kmeans/kmeans.h"

namespace coterie {

// The one that is wanted where it can run; for `automatic` the one that benchmarks/crossover.py found fastest.
KMeansAlgorithm choose_algorithm(KMeansAlgorithm wanted, std::int64_t n_rows, std::int64_t n_clusters, const ColumnMoments& columns);

}  // namespace coterie
