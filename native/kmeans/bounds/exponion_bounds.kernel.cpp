// First half of an Exponion pass: brings the two bounds of every row (Hamerly's) up to date after the centres moved, and lists the
// rows whose bounds fail, which may have another nearest centre now.
#include "engine.h"
#include "kmeans/bounds/distance_bounds.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie::COTERIE_ISA {
namespace {

// Updates one row's bounds; true if its label is still certain. If not, `lower` leaves the fast centres out.
COTERIE_INLINE bool is_settled(const ClusterDrift& drift, float& upper, float& lower) {
  upper = (upper + drift.moved) * round_up;
  const float left = lower - drift.others, outside = drift.beyond - upper, fast = (drift.fast - upper) * round_down;
  lower = (outside < left ? outside : left) * round_down;  // in this order: inf - inf is not a bound
  const float both = fast < lower ? fast : lower;
  if (upper > both && upper > drift.gap) return false;
  lower = both;
  return true;
}

// Counts a block's failing rows per cluster (into starts[cluster + 1]) and marks them.
std::int64_t mark_failing(Range range, const ClusterDrift* drift, const RowBounds& bounds, std::int32_t* starts, float* largest,
                          float* failing) {
  std::int64_t total = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const std::int32_t label = bounds.label[i];
    float upper = bounds.upper[i], lower = bounds.lower[i];
    const bool settled = is_settled(drift[label], upper, lower);
    bounds.upper[i] = upper;
    bounds.lower[i] = lower > 0 ? lower : 0.0f;
    if (upper > largest[label]) largest[label] = upper;
    if (settled) continue;
    bounds.upper[i] = -upper;  // the mark
    ++starts[label + 1];
    ++total;
    if (upper > failing[label]) failing[label] = upper;
  }
  return total;
}

void sort_failing(Range range, const RowBounds& bounds, std::int64_t n_clusters, std::int32_t* starts, std::int32_t* rows) {
  const Scratch<std::int32_t> next(n_clusters);
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster) {
    next[cluster] = starts[cluster];
    starts[cluster + 1] += starts[cluster];
  }
  for (std::int64_t i = range.begin; i < range.end; ++i)
    if (bounds.upper[i] < 0) {
      bounds.upper[i] = -bounds.upper[i];
      rows[next[bounds.label[i]]++] = static_cast<std::int32_t>(i);
    }
}

// Largest over the threads, cluster by cluster.
void reduce_largest(const float* of_threads, int threads, std::int64_t n_clusters, float* out) {
  for (std::int64_t cluster = 0; cluster < n_clusters; ++cluster) {
    out[cluster] = 0;
    for (int thread = 0; thread < threads; ++thread)
      if (of_threads[thread * n_clusters + cluster] > out[cluster]) out[cluster] = of_threads[thread * n_clusters + cluster];
  }
}

std::int64_t find_failing(std::int64_t n, std::int64_t n_clusters, const ClusterDrift* drift, const RowBounds& bounds,
                          const FailingRows& failing, int threads) {
  const std::int64_t n_blocks = block_count(n, failing.block);
  const int team = resolve_threads(threads);
  const Scratch<float> largest(team * n_clusters), largest_failing(team * n_clusters);
  const Scratch<std::int64_t> counts(n_blocks);
  for (std::int64_t i = 0; i < team * n_clusters; ++i) largest[i] = largest_failing[i] = 0;
  parallel_for(n_blocks, team, [&](std::int64_t task, int thread) {
    const Range range = block_range(n, failing.block, task);
    std::int32_t* starts = failing.starts + task * (n_clusters + 1);
    for (std::int64_t cluster = 0; cluster <= n_clusters; ++cluster) starts[cluster] = 0;
    counts[task] =
        mark_failing(range, drift, bounds, starts, largest.data() + thread * n_clusters, largest_failing.data() + thread * n_clusters);
    if (counts[task] > 0) sort_failing(range, bounds, n_clusters, starts, failing.rows + range.begin);
  });
  reduce_largest(largest.data(), team, n_clusters, failing.largest_upper);
  reduce_largest(largest_failing.data(), team, n_clusters, failing.failing_upper);
  std::int64_t total = 0;
  for (std::int64_t task = 0; task < n_blocks; ++task) total += counts[task];
  return total;
}

}  // namespace

void install_exponion_bounds(Engine& engine) {
  engine.float32.kmeans.find_failing = find_failing;
  engine.float64.kmeans.find_failing = find_failing;
}

}  // namespace coterie::COTERIE_ISA
