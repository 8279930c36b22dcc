#include "mixture/latent_classes.h"

#include <algorithm>
#include <vector>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t least_rows_of_table = 8192;
constexpr std::int64_t most_parts = 64;

LatentRows table_part(const LatentRows& rows, const Range& range) {
  return {{rows.numbers.row(range.begin), range.size(), rows.numbers.cols, rows.numbers.stride},
          {rows.levels.row(range.begin), range.size(), rows.levels.cols, rows.levels.stride},
          rows.n_levels,
          rows.weights + range.begin};
}

}  // namespace

void latent_class_sums(const LatentRows& rows, const LatentClassesView& model, int threads, const LatentSums& sums) {
  const std::int64_t k = model.n_classes, table = k * (rows.n_levels + 1), numbers = k * rows.numbers.cols;
  const std::int64_t sizes[] = {1, k, table, numbers, numbers, numbers};
  double* const targets[] = {sums.log_likelihood, sums.weight, sums.counts, sums.mass, sums.deviation, sums.squares};
  const std::int64_t size = 1 + k + table + 3 * numbers;
  const std::int64_t block = std::max(least_rows_of_table, block_count(rows.numbers.rows, most_parts));
  const std::int64_t n_tasks = block_count(rows.numbers.rows, block);
  std::vector<double> memory(static_cast<std::size_t>(std::max<std::int64_t>(1, n_tasks) * size), 0.0);
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    double* own = memory.data() + task * size;
    const LatentSums to = {
        own, own + 1, own + 1 + k, own + 1 + k + table, own + 1 + k + table + numbers, own + 1 + k + table + 2 * numbers};
    engine().latent_classes.add_sums(table_part(rows, block_range(rows.numbers.rows, block, task)), model, to);
  });
  for (std::int64_t task = 1; task < n_tasks; ++task)
    for (std::int64_t i = 0; i < size; ++i) memory[static_cast<std::size_t>(i)] += memory[static_cast<std::size_t>(task * size + i)];
  const double* from = memory.data();
  for (int i = 0; i < 6; from += sizes[i++]) std::copy(from, from + sizes[i], targets[i]);
}

}  // namespace coterie
