// All pairs: packs of series of about the same length against the series, a block of them per task.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "series/series.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {

void SeriesPack::fill(const SeriesView& series, const std::int64_t* indices, std::int64_t count) {
  columns_ = series.columns;
  longest_ = 0;
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) {
    lengths_[lane] = series.length(indices[std::min(lane, count - 1)]);
    longest_ = std::max(longest_, lengths_[lane]);
  }
  values_.resize(static_cast<std::size_t>(longest_ * columns_ * series_lanes));
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) {
    const double* from = series.at(indices[std::min(lane, count - 1)]);
    const std::int64_t size = lengths_[lane] * columns_;
    for (std::int64_t t = 0; t < longest_ * columns_; ++t)
      values_[static_cast<std::size_t>(t * series_lanes + lane)] = t < size ? from[t] : 0.0;
  }
}

ElasticTask SeriesPack::against(const double* x, std::int64_t n, const ElasticOptions& options, double* results) const {
  return {x, n, values_.data(), lengths_, longest_, columns_, &options, nullptr, results};
}

namespace {

constexpr std::int64_t series_per_task = 64;

double finished(double cost, const ElasticOptions& options) { return options.kind == Elastic::dtw ? std::sqrt(cost) : cost; }

// By length, so that the series of a pack differ little in it.
std::vector<std::int64_t> order_by_length(const SeriesView& series) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(series.count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return series.length(a) < series.length(b); });
  return order;
}

}  // namespace

void compare_all_pairs(const SeriesView& X, const SeriesView& Y, bool is_same, const ElasticOptions& options, int threads,
                       double* distances) {
  const std::vector<std::int64_t> rows = order_by_length(X), others = is_same ? rows : order_by_length(Y);
  const std::int64_t n_packs = block_count(Y.count, series_lanes), n_blocks = block_count(X.count, series_per_task);
  parallel_for(n_packs * n_blocks, threads, [&](std::int64_t task, int) {
    const Range pack_range = block_range(Y.count, series_lanes, task / n_blocks);
    Range range = block_range(X.count, series_per_task, task % n_blocks);
    if (is_same) range.end = std::min(range.end, pack_range.end);
    if (range.end <= range.begin) return;
    SeriesPack pack;
    pack.fill(Y, others.data() + pack_range.begin, pack_range.size());
    double results[series_lanes];
    for (std::int64_t at = range.begin; at < range.end; ++at) {
      const std::int64_t i = rows[static_cast<std::size_t>(at)];
      engine().series.compare(pack.against(X.at(i), X.length(i), options, results));
      for (std::int64_t lane = 0; lane < pack_range.size(); ++lane) {
        const std::int64_t place = pack_range.begin + lane, j = others[static_cast<std::size_t>(place)];
        if (is_same && place < at) continue;
        const double distance = finished(results[lane], options);
        distances[i * Y.count + j] = distance;
        if (is_same) distances[j * Y.count + i] = distance;
      }
      check_interrupt();
    }
  });
}

void compare_paired(const SeriesView& X, const SeriesView& Y, const ElasticOptions& options, int threads, double* distances) {
  parallel_for(X.count, threads, [&](std::int64_t i, int) {
    SeriesPack pack;
    pack.fill(Y, &i, 1);
    double results[series_lanes];
    engine().series.compare(pack.against(X.at(i), X.length(i), options, results));
    distances[i] = finished(results[0], options);
  });
}

}  // namespace coterie
