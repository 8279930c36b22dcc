// What barycentres are made of: points matched with those of a centre, and derivatives by it. Sixteen members per task, added in their order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "series/series.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

// Members [begin, end) as a pack.
SeriesPack pack_of(const SeriesView& members, Range range) {
  std::int64_t indices[series_lanes];
  for (std::int64_t lane = 0; lane < range.size(); ++lane) indices[lane] = range.begin + lane;
  SeriesPack pack;
  pack.fill(members, indices, range.size());
  return pack;
}

// Adds the points of one member to those of the centre that its path matches.
void add_path(const std::uint32_t* steps, std::int64_t longest, std::int64_t lane, std::int64_t n, const double* y, std::int64_t m,
              std::int64_t columns, double weight, double* sums, double* totals) {
  std::int64_t i = n - 1, j = m - 1;
  while (true) {
    totals[i] += weight;
    for (std::int64_t c = 0; c < columns; ++c) sums[i * columns + c] += weight * y[j * columns + c];
    if (i == 0 && j == 0) return;
    const std::uint32_t step = steps[i * longest + j];
    const bool is_diagonal = (step >> lane & 1) != 0 && i > 0 && j > 0;
    const bool is_above = j == 0 || ((step >> (series_lanes + lane) & 1) != 0 && i > 0);
    if (is_diagonal || is_above) --i;
    if (is_diagonal || !is_above) --j;
  }
}

// Adds the results of tasks in their order.
void add_in_order(const std::vector<double>& parts, std::int64_t n_tasks, std::int64_t size, double* sums) {
  std::fill(sums, sums + size, 0.0);
  for (std::int64_t task = 0; task < n_tasks; ++task)
    for (std::int64_t t = 0; t < size; ++t) sums[t] += parts[static_cast<std::size_t>(task * size + t)];
}

}  // namespace

double sum_matched_points(const double* centre, std::int64_t n, const SeriesView& members, const double* weights, std::int64_t radius,
                          int threads, double* sums, double* totals) {
  ElasticOptions options;
  options.radius = radius;
  const std::int64_t columns = members.columns, n_tasks = block_count(members.count, series_lanes);
  std::vector<double> part_sums(static_cast<std::size_t>(n_tasks * n * columns)), part_totals(static_cast<std::size_t>(n_tasks * n));
  std::vector<double> costs(static_cast<std::size_t>(members.count));
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    const Range range = block_range(members.count, series_lanes, task);
    const SeriesPack pack = pack_of(members, range);
    double results[series_lanes];
    const ElasticTask elastic = pack.against(centre, n, options, results);
    std::vector<std::uint32_t> steps(static_cast<std::size_t>(n * elastic.longest));
    engine().series.find_steps({elastic, steps.data()});
    for (std::int64_t lane = 0; lane < range.size(); ++lane) {
      const std::int64_t member = range.begin + lane;
      add_path(steps.data(), elastic.longest, lane, n, members.at(member), members.length(member), columns, weights[member],
               part_sums.data() + task * n * columns, part_totals.data() + task * n);
      costs[static_cast<std::size_t>(member)] = weights[member] * results[lane];
    }
    check_interrupt();
  });
  add_in_order(part_sums, n_tasks, n * columns, sums);
  add_in_order(part_totals, n_tasks, n, totals);
  double total = 0;
  for (const double cost : costs) total += cost;
  return total;
}

double differentiate_soft_dtw(const double* centre, std::int64_t n, const SeriesView& members, const double* weights, double gamma,
                              int threads, double* gradient) {
  ElasticOptions options;
  options.kind = Elastic::soft_dtw;
  options.parameter = gamma;
  const std::int64_t size = n * members.columns, n_tasks = block_count(members.count, series_lanes);
  std::vector<double> parts(static_cast<std::size_t>(n_tasks * size)), values(static_cast<std::size_t>(members.count));
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    const Range range = block_range(members.count, series_lanes, task);
    const SeriesPack pack = pack_of(members, range);
    double results[series_lanes];
    std::vector<double> by_lane(static_cast<std::size_t>(size * series_lanes));
    engine().series.differentiate({pack.against(centre, n, options, results), by_lane.data()});
    for (std::int64_t lane = 0; lane < range.size(); ++lane) {
      const double weight = weights[range.begin + lane];
      values[static_cast<std::size_t>(range.begin + lane)] = weight * results[lane];
      for (std::int64_t t = 0; t < size; ++t)
        parts[static_cast<std::size_t>(task * size + t)] += weight * by_lane[static_cast<std::size_t>(t * series_lanes + lane)];
    }
    check_interrupt();
  });
  add_in_order(parts, n_tasks, size, gradient);
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

WarpingPath find_warping_path(const double* x, std::int64_t n, const double* y, std::int64_t m, std::int64_t columns,
                              const ElasticOptions& options) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::int64_t width = m + 1, *skip_begin = options.skip_begin, *skip_end = options.skip_end;
  const Band band = band_of(n, m, options.radius);
  std::vector<double> costs(static_cast<std::size_t>((n + 1) * width), infinite);
  const auto cost = [&](std::int64_t i, std::int64_t j) -> double& { return costs[static_cast<std::size_t>(i * width + j)]; };
  for (std::int64_t j = 0; j <= std::min(skip_begin[1], m); ++j) cost(0, j) = 0;
  for (std::int64_t i = 0; i <= std::min(skip_begin[0], n); ++i) cost(i, 0) = 0;
  for (std::int64_t i = 1; i <= n; ++i)
    for (std::int64_t j = std::max<std::int64_t>(1, i - band.below); j <= std::min(m, i + band.above); ++j) {
      double gap = 0;
      for (std::int64_t c = 0; c < columns; ++c) {
        const double difference = x[(i - 1) * columns + c] - y[(j - 1) * columns + c];
        gap += difference * difference;
      }
      cost(i, j) = std::min(std::min(cost(i - 1, j - 1), cost(i - 1, j)), cost(i, j - 1)) + gap;
    }
  std::int64_t i = n, j = m;  // of equal ends the one that leaves out least
  for (std::int64_t at = n - 1; at >= 1 && at >= n - skip_end[0]; --at)
    if (cost(at, m) < cost(i, j)) i = at;
  for (std::int64_t at = m - 1; at >= 1 && at >= m - skip_end[1]; --at)
    if (cost(n, at) < cost(i, j)) i = n, j = at;
  WarpingPath path{std::sqrt(cost(i, j)), {}, {}};
  while (i > 0 && j > 0) {
    path.x.push_back(i - 1);
    path.y.push_back(j - 1);
    const double diagonal = cost(i - 1, j - 1), above = cost(i - 1, j), left = cost(i, j - 1);
    const bool is_diagonal = diagonal <= above && diagonal <= left, is_above = !is_diagonal && above <= left;
    if (is_diagonal || is_above) --i;
    if (!is_above) --j;
  }
  std::reverse(path.x.begin(), path.x.end());
  std::reverse(path.y.begin(), path.y.end());
  return path;
}

}  // namespace coterie
