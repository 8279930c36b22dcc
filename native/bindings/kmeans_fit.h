// What a k-means run looks like from Python, whatever its rows are.
#pragma once

#include <algorithm>

#include "bindings/checks.h"
#include "kmeans/column_moments.h"
#include "kmeans/kmeans.h"

namespace coterie {

struct KMeansFit {
  nb::object labels, centres;
  KMeansOutcome outcome;
};

inline void check_moments(const ColumnMoments& moments, std::int64_t n_cols) {
  for (const std::vector<double>* part : {&moments.mean, &moments.variance, &moments.low, &moments.high})
    check_size("columns", part->size(), n_cols);
}

inline KMeansProgress report_to(const nb::object& callback) {
  if (callback.is_none()) return {};
  return [&callback](std::int64_t iteration, double inertia) {
    const nb::gil_scoped_acquire gil;
    callback(iteration, inertia);
  };
}

// Calls run(centres, progress, labels) with a copy of `start` to move and room for labels.
template <class T, class Run>
KMeansFit fit_for_python(const Matrix<T>& start, std::int64_t n, const nb::object& progress, const Run& run) {
  const std::int64_t k = view(start).rows, cols = view(start).cols;
  auto centres = new_matrix<T>(k, cols);
  auto labels = new_vector<std::int32_t>(n);
  std::copy(start.data(), start.data() + k * cols, centres.data());
  KMeansFit fit;
  const KMeansProgress report = report_to(progress);
  without_gil([&] { fit.outcome = run(MutableMatrixView<T>{centres.data(), k, cols, cols}, report, labels.data()); });
  fit.labels = nb::cast(labels);
  fit.centres = nb::cast(centres);
  return fit;
}

}  // namespace coterie
