#include "mixture/mixture.h"

#include <algorithm>
#include <vector>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t least_rows_per_task = 1024;
constexpr std::int64_t rows_per_placement = 4096;
constexpr std::int64_t most_tasks = 256, least_tasks = 8;
constexpr std::int64_t doubles_for_sums = 16 << 20;  // 128 MiB for the sums of all tasks, unless eight tasks need more

// The sums of one task, one after the other.
struct Layout {
  std::int64_t entropy, weight, deviation, scatter, scatter_size;

  explicit Layout(const MixtureView& model)
      : entropy(1),
        weight(2),
        deviation(weight + model.n_components),
        scatter(deviation + model.n_components * model.cols),
        scatter_size(model.n_components * model.cols * (model.shape == CovarianceShape::diagonal ? 1 : model.cols)) {}

  std::int64_t size() const { return scatter + scatter_size; }
  MixtureSums at(double* memory) const { return {memory, memory + weight, memory + deviation, memory + scatter, memory + entropy}; }
};

void mirror(double* scatter, std::int64_t n_components, std::int64_t cols) {
  for (std::int64_t k = 0; k < n_components; ++k, scatter += cols * cols)
    for (std::int64_t i = 0; i < cols; ++i)
      for (std::int64_t j = 0; j < i; ++j) scatter[i * cols + j] = scatter[j * cols + i];
}

void hand_over(const double* totals, const Layout& layout, const MixtureView& model, const MixtureSums& sums) {
  *sums.log_likelihood = totals[0];
  *sums.entropy = totals[layout.entropy];
  std::copy(totals + layout.weight, totals + layout.deviation, sums.weight);
  std::copy(totals + layout.deviation, totals + layout.scatter, sums.deviation);
  std::copy(totals + layout.scatter, totals + layout.size(), sums.scatter);
  if (model.shape != CovarianceShape::diagonal) mirror(sums.scatter, model.n_components, model.cols);
}

template <class T>
MatrixView<T> part(const MatrixView<T>& X, const Range& range) {
  return {X.row(range.begin), range.size(), X.cols, X.stride};
}

}  // namespace

template <class T>
void mixture_sums(const MatrixView<T>& X, const double* weights, const MixtureView& model, int threads, const MixtureSums& sums) {
  const Layout layout(model);
  const std::int64_t wanted = std::clamp(doubles_for_sums / layout.size(), least_tasks, most_tasks);
  const std::int64_t block = std::max(least_rows_per_task, block_count(X.rows, wanted)), n_tasks = block_count(X.rows, block);
  std::vector<double> memory(static_cast<std::size_t>(n_tasks * layout.size()), 0.0);
  parallel_for(n_tasks, threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, block, task);
    const double* own_weights = weights == nullptr ? nullptr : weights + range.begin;
    engine().of<T>().mixture.add_sums({part(X, range), own_weights, &model}, layout.at(memory.data() + task * layout.size()));
  });
  for (std::int64_t task = 1; task < n_tasks; ++task)
    for (std::int64_t i = 0; i < layout.size(); ++i)
      memory[static_cast<std::size_t>(i)] += memory[static_cast<std::size_t>(task * layout.size() + i)];
  hand_over(memory.data(), layout, model, sums);
}

template <class T>
void mixture_rows(const MatrixView<T>& X, const MixtureView& model, int threads, const MixtureRows<T>& out) {
  parallel_for(block_count(X.rows, rows_per_placement), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_placement, task);
    const MixtureRows<T> own = {out.log_likelihood == nullptr ? nullptr : out.log_likelihood + range.begin,
                                out.shares == nullptr ? nullptr : out.shares + range.begin * model.n_components,
                                out.labels == nullptr ? nullptr : out.labels + range.begin};
    engine().of<T>().mixture.place_rows({part(X, range), nullptr, &model}, own);
  });
}

template void mixture_sums<float>(const MatrixView<float>&, const double*, const MixtureView&, int, const MixtureSums&);
template void mixture_sums<double>(const MatrixView<double>&, const double*, const MixtureView&, int, const MixtureSums&);
template void mixture_rows<float>(const MatrixView<float>&, const MixtureView&, int, const MixtureRows<float>&);
template void mixture_rows<double>(const MatrixView<double>&, const MixtureView&, int, const MixtureRows<double>&);

}  // namespace coterie
