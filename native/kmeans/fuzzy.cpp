#include "kmeans/fuzzy.h"

#include <algorithm>
#include <vector>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t fuzzy_least_rows = 2048, fuzzy_most_tasks = 256;

template <class T>
FuzzyTask<T> fuzzy_task(const MatrixView<T>& X, const double* weights, const FuzzyView& model, const Range& range) {
  return {{X.row(range.begin), range.size(), X.cols, X.stride}, weights == nullptr ? nullptr : weights + range.begin, &model};
}

}  // namespace

template <class T>
void fuzzy_sums(const MatrixView<T>& X, const double* weights, const FuzzyView& model, int threads, const FuzzySums& sums) {
  const std::int64_t block = std::max(fuzzy_least_rows, block_count(X.rows, fuzzy_most_tasks)), n_tasks = block_count(X.rows, block);
  const std::int64_t size = 1 + model.n_clusters * (1 + model.cols);
  std::vector<double> memory(static_cast<std::size_t>(n_tasks * size), 0.0);
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    double* own = memory.data() + task * size;
    engine().of<T>().fuzzy.add_sums(fuzzy_task(X, weights, model, block_range(X.rows, block, task)),
                                    {own, own + 1, own + 1 + model.n_clusters});
  });
  for (std::int64_t task = 0; task < n_tasks; ++task) {
    const double* own = memory.data() + task * size;
    *sums.objective += own[0];
    for (std::int64_t k = 0; k < model.n_clusters; ++k) sums.weight[k] += own[1 + k];
    for (std::int64_t i = 0; i < model.n_clusters * model.cols; ++i) sums.deviation[i] += own[1 + model.n_clusters + i];
  }
}

template <class T>
void fuzzy_rows(const MatrixView<T>& X, const FuzzyView& model, int threads, const FuzzyRows<T>& out) {
  parallel_for(block_count(X.rows, fuzzy_least_rows), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, fuzzy_least_rows, task);
    engine().of<T>().fuzzy.place_rows(fuzzy_task<T>(X, nullptr, model, range),
                                      {out.memberships == nullptr ? nullptr : out.memberships + range.begin * model.n_clusters,
                                       out.labels == nullptr ? nullptr : out.labels + range.begin});
  });
}

template void fuzzy_sums<float>(const MatrixView<float>&, const double*, const FuzzyView&, int, const FuzzySums&);
template void fuzzy_sums<double>(const MatrixView<double>&, const double*, const FuzzyView&, int, const FuzzySums&);
template void fuzzy_rows<float>(const MatrixView<float>&, const FuzzyView&, int, const FuzzyRows<float>&);
template void fuzzy_rows<double>(const MatrixView<double>&, const FuzzyView&, int, const FuzzyRows<double>&);

}  // namespace coterie
