#include "spectral/affinity.h"

#include <algorithm>
#include <vector>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_task = 64;

std::int64_t round_up(std::int64_t count, std::int64_t step) { return block_count(count, step) * step; }

// The columns of a problem, padded as the kernel wants them.
template <class T>
struct Columns {
  std::int64_t padded, padded_width;
  std::vector<T> features, scales, values;

  Columns(const AffinityProblem<T>& problem, const T* given, std::int64_t width)
      : padded(round_up(problem.Y.rows, affinity_chunk)), padded_width(round_up(width, affinity_width)) {
    const auto n = static_cast<std::size_t>(padded);
    features.assign(n * static_cast<std::size_t>(problem.Y.cols), T(0));
    values.assign(n * static_cast<std::size_t>(padded_width), T(0));
    if (problem.Y_scales != nullptr) {
      scales.assign(problem.Y_scales, problem.Y_scales + problem.Y.rows);
      scales.resize(n, T(0));
    }
    for (std::int64_t i = 0; i < problem.Y.rows; ++i) {
      for (std::int64_t t = 0; t < problem.Y.cols; ++t) features[static_cast<std::size_t>(t * padded + i)] = problem.Y.row(i)[t];
      std::copy_n(given + i * width, width, values.begin() + i * padded_width);
    }
  }
};

}  // namespace

template <class T>
void multiply_affinities(const AffinityProblem<T>& problem, const T* values, std::int64_t width, int threads, double* product) {
  const Columns<T> columns(problem, values, width);
  const bool is_same = problem.X.data == problem.Y.data;
  parallel_for(block_count(problem.X.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(problem.X.rows, rows_per_task, task);
    std::vector<double> own(static_cast<std::size_t>(range.size() * columns.padded_width), 0.0);
    AffinityTask<T> work{};
    work.rows = {problem.X.row(range.begin), range.size(), problem.X.cols, problem.X.stride};
    work.row_scales = problem.X_scales == nullptr ? nullptr : problem.X_scales + range.begin;
    work.columns = columns.features.data();
    work.column_scales = columns.scales.empty() ? nullptr : columns.scales.data();
    work.n_columns = problem.Y.rows;
    work.padded = columns.padded;
    work.first_row = is_same ? range.begin : -1;
    work.gamma = static_cast<T>(problem.gamma);
    work.values = columns.values.data();
    work.width = columns.padded_width;
    work.product = own.data();
    engine().of<T>().affinity.multiply(work);
    for (std::int64_t i = 0; i < range.size(); ++i)
      std::copy_n(own.begin() + i * columns.padded_width, width, product + (range.begin + i) * width);
  });
}

template void multiply_affinities<float>(const AffinityProblem<float>&, const float*, std::int64_t, int, double*);
template void multiply_affinities<double>(const AffinityProblem<double>&, const double*, std::int64_t, int, double*);

}  // namespace coterie
