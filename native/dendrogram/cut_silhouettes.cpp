#include "dendrogram/cut_silhouettes.h"

#include <algorithm>
#include <limits>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t SAMPLES_PER_TASK = 256;

// The samples of one task, with their own copies of what the joins change.
struct Samples {
  std::vector<double> sums;
  std::vector<std::int64_t> clusters;
  std::vector<double> sizes;
  std::vector<std::int64_t> live;
  std::int64_t n_clusters;

  double silhouette(std::int64_t sample) const {
    const std::int64_t own = clusters[sample];
    if (sizes[own] == 1) return 0;
    const double* row = sums.data() + sample * n_clusters;
    const double within = row[own] / (sizes[own] - 1);
    double between = std::numeric_limits<double>::infinity();
    for (const std::int64_t other : live)
      if (other != own) between = std::min(between, row[other] / sizes[other]);
    const double larger = std::max(within, between);
    return larger > 0 ? (between - within) / larger : 0;
  }

  double total() const {
    double sum = 0;
    for (std::size_t sample = 0; sample < clusters.size(); ++sample) sum += silhouette(static_cast<std::int64_t>(sample));
    return sum;
  }

  void join(const JoinedClusters& step) {
    for (std::size_t sample = 0; sample < clusters.size(); ++sample) {
      double* row = sums.data() + static_cast<std::int64_t>(sample) * n_clusters;
      row[step.into] += row[step.from];
      if (clusters[sample] == step.from) clusters[sample] = step.into;
    }
    sizes[step.into] += sizes[step.from];
    live.erase(std::find(live.begin(), live.end(), step.from));
  }
};

}  // namespace

std::vector<double> cut_silhouettes(MatrixView<double> sums, const std::int64_t* clusters, const JoinedClusters* joins,
                                    std::int64_t n_joins, int threads) {
  std::vector<double> sizes(static_cast<std::size_t>(sums.cols), 0.0);
  for (std::int64_t i = 0; i < sums.rows; ++i) sizes[clusters[i]] += 1;
  std::vector<std::int64_t> live(static_cast<std::size_t>(sums.cols));
  for (std::int64_t c = 0; c < sums.cols; ++c) live[c] = c;
  const std::int64_t n_scores = 1 + std::count_if(joins, joins + n_joins, [](const JoinedClusters& j) { return j.is_scored != 0; });
  const std::int64_t n_tasks = block_count(sums.rows, SAMPLES_PER_TASK);
  std::vector<double> totals(static_cast<std::size_t>(n_tasks * n_scores));
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    const Range rows = block_range(sums.rows, SAMPLES_PER_TASK, task);
    Samples samples{{sums.row(rows.begin), sums.row(rows.end)}, {clusters + rows.begin, clusters + rows.end}, sizes, live, sums.cols};
    double* score = totals.data() + task * n_scores;
    *score++ = samples.total();
    for (std::int64_t step = 0; step < n_joins; ++step) {
      check_interrupt();
      samples.join(joins[step]);
      if (joins[step].is_scored) *score++ = samples.total();
    }
  });
  std::vector<double> scores(static_cast<std::size_t>(n_scores), 0.0);
  for (std::int64_t task = 0; task < n_tasks; ++task)
    for (std::int64_t s = 0; s < n_scores; ++s) scores[s] += totals[task * n_scores + s];
  for (double& score : scores) score /= static_cast<double>(sums.rows);
  return scores;
}

}  // namespace coterie
