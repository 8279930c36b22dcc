// K-medoids: the k points with the least sum of distances to all points, or the best medoid silhouette.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "medoids/distance_rows.h"

namespace coterie {

enum class MedoidObjective { distance, silhouette };

// Share of a sum of distances below which a difference is rounding, which depends on the instruction set: what is equally good but for
// that is equal, and comes in its order. Roots of differences of squares have lost digits, those of floats as many as to matter to
// single points; what they add up to is worth less than any of many points.
template <class T>
double equal_share(std::int64_t n_points) {
  return 0x1p-30 + (sizeof(T) == 4 ? 0x1p-11 / static_cast<double>(n_points) : 0);
}

enum class SwapRule {
  first,  // take the first candidate that improves (FasterPAM, FasterMSC)
  best,  // look at all candidates, take the best (PAM)
};

struct SwapOptions {
  MedoidObjective objective;
  SwapRule rule;
  std::int64_t max_passes;
  int threads;
};

struct SwapOutcome {
  std::vector<std::int64_t> medoids;
  double loss;  // sum of distances, or of nearest / second nearest
  std::int64_t n_swaps, n_passes;
  bool is_settled;  // no swap is left that improves
};

// Called after every pass over the candidates of every start, with its loss.
using SwapProgress = std::function<void(std::int64_t, double)>;

// BUILD: the candidate with the least sum of distances, then one by one those that lower it most; of equals (but for rounding) the first.
template <class T>
std::vector<std::int64_t> build_medoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
                                        std::int64_t n_medoids, int threads);

// Swaps medoids for candidates while that lowers the loss, from every start; needs at least two medoids. Starts that come to the same
// medoids have one outcome, that of the first.
template <class T>
std::vector<SwapOutcome> swap_medoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
                                      const std::vector<std::vector<std::int64_t>>& starts, const SwapOptions& options,
                                      const SwapProgress& progress);

}  // namespace coterie
