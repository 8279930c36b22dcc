// What the kernels of time series offer: one series against sixteen others, a lane each.
//
// The steps within one comparison wait for each other, those of several comparisons do not: lanes are pairs. What a lane gives depends on its
// own pair only, so that neither the width of a vector nor the company of a pair can change a bit of it.
#pragma once

#include <cstdint>

namespace coterie {

inline constexpr std::int64_t series_lanes = 16;

enum class Elastic { dtw, erp, msm, soft_dtw };

// What a comparison is told.
struct ElasticOptions {
  Elastic kind = Elastic::dtw;
  std::int64_t radius = -1;  // how far a path may leave the diagonal; below 0: anywhere
  double parameter = 1;  // erp: the value of a gap; msm: the cost of a split; soft_dtw: gamma
  std::int64_t skip_begin[2] = {};  // dtw: how many points at the begin of x, and of y, may stay unmatched
  std::int64_t skip_end[2] = {};
};

// The widest band of x of n points and y of m: columns [i - below, i + above] of row i.
struct Band {
  std::int64_t below, above;
};

inline __attribute__((always_inline)) Band band_of(std::int64_t n, std::int64_t m, std::int64_t radius) {
  if (radius < 0 || radius > n + m) radius = n + m;
  return {radius + (n > m ? n - m : 0), radius + (m > n ? m - n : 0)};
}

// One series against the lanes of a pack.
struct ElasticTask {
  const double* x;  // n points of `columns` numbers
  std::int64_t n;
  const double* pack;  // point, column, lane
  const std::int64_t* lengths;  // of the lanes; 1 at least
  std::int64_t longest;  // of these
  std::int64_t columns;
  const ElasticOptions* options;
  const double* bounds;  // per lane, or null: a lane above its bound may give infinity
  double* results;  // per lane: the accumulated cost
};

// The steps of best DTW paths between closed ends, two bits per cell and lane.
struct PathTask {
  ElasticTask elastic;
  std::uint32_t* steps;  // n x longest: bit `lane` says diagonal, bit 16 + lane says from the row above
};

// Soft-DTW with its derivative by x.
struct GradientTask {
  ElasticTask elastic;
  double* gradient;  // n x columns x lanes
};

struct SeriesKernels {
  void (*compare)(const ElasticTask& task);
  void (*find_steps)(const PathTask& task);
  void (*differentiate)(const GradientTask& task);
  // The sum of squares by which `count` numbers leave their envelope.
  double (*leave_envelope)(const double* values, const double* low, const double* high, std::int64_t count);
};

}  // namespace coterie
