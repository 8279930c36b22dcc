// Time series: distances that let time stretch, all pairs or the nearest, and the sums that their barycentres need.
#pragma once

#include <cstdint>
#include <vector>

#include "series/series_kernels.h"

namespace coterie {

// Series of any lengths, one behind the other: points starts[i] to starts[i + 1] belong to series i.
struct SeriesView {
  const double* values;
  const std::int64_t* starts;
  std::int64_t count;
  std::int64_t columns;

  const double* at(std::int64_t i) const { return values + starts[i] * columns; }
  std::int64_t length(std::int64_t i) const { return starts[i + 1] - starts[i]; }
};

// Distances of all pairs, of X in rows; for DTW the roots of the costs. With `is_same`, Y is X and the distance is symmetric.
void compare_all_pairs(const SeriesView& X, const SeriesView& Y, bool is_same, const ElasticOptions& options, int threads,
                       double* distances);

// Distances of series i of X and of Y.
void compare_paired(const SeriesView& X, const SeriesView& Y, const ElasticOptions& options, int threads, double* distances);

// What became of the candidates of all queries.
struct SearchCounts {
  std::int64_t pairs = 0, by_ends = 0, by_envelope = 0, compared = 0;
};

// The k nearest of Y for every series of X by DTW of closed ends: nearest first, of equals the lowest index.
SearchCounts find_nearest_series(const SeriesView& X, const SeriesView& Y, std::int64_t k, std::int64_t radius, int threads,
                                 double* distances, std::int64_t* indices);

// A best DTW path, from its begin to its end; of equal steps back, the diagonal comes first, then the one in x.
struct WarpingPath {
  double distance;
  std::vector<std::int64_t> x, y;
};
WarpingPath find_warping_path(const double* x, std::int64_t n, const double* y, std::int64_t m, std::int64_t columns,
                              const ElasticOptions& options);

// For the points of a centre: the weighted sums of the points that best paths match with each, and their weights. Returns the weighted sum
// of squared distances.
double sum_matched_points(const double* centre, std::int64_t n, const SeriesView& members, const double* weights, std::int64_t radius,
                          int threads, double* sums, double* totals);

// The weighted sum of soft-DTW from a centre to the members, and its derivative by the centre.
double differentiate_soft_dtw(const double* centre, std::int64_t n, const SeriesView& members, const double* weights, double gamma,
                              int threads, double* gradient);

// Least and greatest of the points at most `radius` away (below 0: of all), column by column.
void find_envelope(const double* values, std::int64_t n, std::int64_t columns, std::int64_t radius, double* low, double* high);

// Sixteen series as a kernel takes them; fewer are filled up with the last one.
class SeriesPack {
 public:
  void fill(const SeriesView& series, const std::int64_t* indices, std::int64_t count);
  ElasticTask against(const double* x, std::int64_t n, const ElasticOptions& options, double* results) const;

 private:
  std::vector<double> values_;
  std::int64_t lengths_[series_lanes] = {};
  std::int64_t longest_ = 0, columns_ = 1;
};

}  // namespace coterie
