#include "kmeans/seeding.h"

#include <algorithm>
#include <limits>

#include "kmeans/row_sampler.h"
#include "support/parallel.h"
#include "support/random.h"

namespace coterie {

template <class T>
Seeds seed_kmeans(const MatrixView<T>& X, const double* weights, const SeedingOptions& options, double* probabilities) {
  const CounterRandom random(options.seed);
  RowSampler<T> sampler(weights, X.rows, options.threads);
  std::vector<T> nearest(static_cast<std::size_t>(X.rows), std::numeric_limits<T>::infinity());
  Seeds seeds{{}, 0};
  for (std::int64_t pick = 0; pick < options.n_clusters; ++pick) {
    const double total = sampler.measure(pick == 0 ? nullptr : nearest.data());
    if (!(total > 0)) break;
    if (probabilities != nullptr) sampler.write_probabilities(probabilities + pick, options.n_clusters);
    std::vector<T> best;
    std::int64_t best_row = -1;
    double best_potential = std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < (pick == 0 ? 1 : options.n_candidates); ++c) {
      const std::int64_t row = sampler.draw(random.uniform(static_cast<std::uint64_t>(pick), static_cast<std::uint64_t>(c)));
      std::vector<T> now = nearest;
      double potential = 0;
      for (std::int64_t i = 0; i < X.rows; ++i) {
        T sum = 0;
        for (std::int64_t t = 0; t < X.cols; ++t) sum += (X.row(i)[t] - X.row(row)[t]) * (X.row(i)[t] - X.row(row)[t]);
        now[i] = std::min(now[i], sum);
        potential += (weights == nullptr ? 1.0 : weights[i]) * static_cast<double>(now[i]);
      }
      if (potential < best_potential || best_row < 0) {
        best_potential = potential;
        best_row = row;
        best.swap(now);
      }
    }
    nearest.swap(best);
    seeds.rows.push_back(best_row);
    seeds.potential = best_potential;
    check_interrupt();
  }
  return seeds;
}

template <class T>
Seeds seed_kmeans(const SparseView<T>& X, const double* weights, const SeedingOptions& options, double* probabilities) {
  std::vector<T> dense(static_cast<std::size_t>(X.rows * X.cols), T(0));
  for (std::int64_t i = 0; i < X.rows; ++i)
    for (std::int64_t p = X.row_starts[i]; p < X.row_starts[i + 1]; ++p) dense[i * X.cols + X.columns[p]] += X.values[p];
  return seed_kmeans<T>(MatrixView<T>{dense.data(), X.rows, X.cols, X.cols}, weights, options, probabilities);
}

template Seeds seed_kmeans<float>(const MatrixView<float>&, const double*, const SeedingOptions&, double*);
template Seeds seed_kmeans<double>(const MatrixView<double>&, const double*, const SeedingOptions&, double*);
template Seeds seed_kmeans<float>(const SparseView<float>&, const double*, const SeedingOptions&, double*);
template Seeds seed_kmeans<double>(const SparseView<double>&, const double*, const SeedingOptions&, double*);

}  // namespace coterie
