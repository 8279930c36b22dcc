// Lloyd, Hamerly, Exponion or filtering: by columns, clusters and rows.
#include "kmeans/choose_algorithm.h"

#include <algorithm>

#include "kmeans/bounds/filter_tree_view.h"

namespace coterie {
namespace {

constexpr std::int64_t fewest_clusters_for_bounds = 8;    // estimate: half a panel of float32
constexpr std::int64_t fewest_clusters_for_bounds_of_narrow_rows =
    16;    // benchmarks/crossover.py: with 8 and 12 clusters, plain passes take 0.6 to 0.8 of the time
constexpr std::int64_t most_columns_of_narrow_rows = 16;  // these have a plain pass of their own (lloyd_few_columns.h)
constexpr std::int64_t fewest_columns_for_bounds =
    12;    // benchmarks/crossover.py: with 4 and 8, plain passes take the same time or half
constexpr std::int64_t fewest_rows_for_bounds = 32;       // per cluster; with fewer, distances between centres cost too much
constexpr std::int64_t most_clusters_for_matrix = 4096;   // 64 MiB of distances between centres
constexpr std::int64_t most_columns_for_filter = 3;       // benchmarks/crossover.py: faster than bounds in all cases of up to three
constexpr double largest_extent = 1e15;                   // bounds are float32: their squares must neither overflow nor vanish

}  // namespace

KMeansAlgorithm choose_algorithm(KMeansAlgorithm wanted, std::int64_t n_rows, std::int64_t n_clusters, const ColumnMoments& columns) {
  double extent = 0;
  for (std::size_t t = 0; t < columns.low.size(); ++t) extent = std::max(extent, columns.high[t] - columns.low[t]);
  if (n_clusters < 2 || !(extent < largest_extent) || extent < 1 / largest_extent) return KMeansAlgorithm::lloyd;
  if (wanted == KMeansAlgorithm::automatic && n_clusters < fewest_clusters_for_bounds) return KMeansAlgorithm::lloyd;
  if (wanted == KMeansAlgorithm::lloyd || wanted == KMeansAlgorithm::hamerly) return wanted;
  const auto cols = static_cast<std::int64_t>(columns.low.size());
  if (wanted == KMeansAlgorithm::filter && cols <= filter_max_cols) return wanted;
  if (wanted == KMeansAlgorithm::automatic && cols <= most_columns_for_filter) return KMeansAlgorithm::filter;
  const bool has_few_clusters = cols <= most_columns_of_narrow_rows && n_clusters < fewest_clusters_for_bounds_of_narrow_rows;
  const bool is_short = has_few_clusters || cols < fewest_columns_for_bounds || n_rows < fewest_rows_for_bounds * n_clusters;
  if (wanted == KMeansAlgorithm::automatic && is_short) return KMeansAlgorithm::lloyd;
  return n_clusters <= most_clusters_for_matrix ? KMeansAlgorithm::exponion : KMeansAlgorithm::hamerly;
}

}  // namespace coterie
