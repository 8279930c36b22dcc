// K-means on CSR rows walks the path of k-means on the same rows written out.
#include "kmeans/sparse/sparse_kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kmeans/seeding/seeding.h"
#include "support/random.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

// The same rows twice: written out, and as CSR with columns in any order.
template <class T>
struct TwoForms {
  std::int64_t n, cols;
  std::vector<T> dense, values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};

  TwoForms(std::int64_t n, std::int64_t cols) : n(n), cols(cols), dense(static_cast<std::size_t>(n * cols), T(0)) {
    const CounterRandom random(static_cast<std::uint64_t>(n + cols));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t t = cols - 1; t >= 0; --t) {
        const double u = random.uniform(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(i));
        if (u > 0.2 && (t + i) % 5 != 0) continue;
        const T value = static_cast<T>(u * 8 - 1 + static_cast<double>((i + t) % 3));
        dense[static_cast<std::size_t>(i * cols + t)] = value;
        values.push_back(value);
        columns.push_back(static_cast<std::int32_t>(t));
      }
      starts.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  MatrixView<T> rows() const { return {dense.data(), n, cols, cols}; }
  SparseView<T> csr() const { return {values.data(), columns.data(), starts.data(), n, cols}; }
};

template <class T>
void check_same_path(std::int64_t cols, std::int64_t k, bool unit_centres) {
  const TwoForms<T> data(600, cols);
  std::vector<T> centres(data.dense.begin(), data.dense.begin() + k * cols), sparse_centres = centres;
  std::vector<std::int32_t> labels(600), sparse_labels(600);
  const KMeansOptions options{30, 0.0, -1.0, KMeansAlgorithm::lloyd, unit_centres, 2};
  const ColumnMoments columns = column_moments(data.rows(), nullptr, 2);
  const KMeansOutcome outcome =
      run_kmeans<T>(data.rows(), nullptr, columns, {centres.data(), k, cols, cols}, options, {}, labels.data());
  const KMeansOutcome sparse =
      run_kmeans<T>(data.csr(), nullptr, {sparse_centres.data(), k, cols, cols}, options, {}, sparse_labels.data());
  CHECK(labels == sparse_labels);
  CHECK(outcome.n_iter == sparse.n_iter && outcome.is_strict == sparse.is_strict);
  CHECK(std::abs(outcome.inertia - sparse.inertia) <= (sizeof(T) == 4 ? 1e-5 : 1e-12) * outcome.inertia);
}

TEST(sparse_kmeans_equals_dense_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    for (const std::int64_t cols : {1, 7, 60})
      for (const std::int64_t k : {1, 2, 9, 70}) {
        check_same_path<double>(cols, k, false);
        if (k < 10) check_same_path<float>(cols, k, false);  // with more, float32 decides near ties by its rounding
      }
    check_same_path<double>(30, 5, true);
  });
}

template <class T>
void check_sparse_seeds(std::int64_t n_candidates) {
  const TwoForms<T> data(2000, 50);
  const Seeds seeds = seed_kmeans<T>(data.csr(), nullptr, {30, n_candidates, 3, 2}, nullptr);
  double total = 0;
  for (std::int64_t i = 0; i < data.n; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::int64_t pick : seeds.rows) {
      double squared = 0;
      for (std::int64_t t = 0; t < data.cols; ++t) {
        const double difference = static_cast<double>(data.rows().row(i)[t]) - static_cast<double>(data.rows().row(pick)[t]);
        squared += difference * difference;
      }
      nearest = std::min(nearest, squared);
    }
    total += nearest;
  }
  CHECK(seeds.rows.size() == 30);
  CHECK(std::abs(seeds.potential - total) <= (sizeof(T) == 4 ? 1e-6 : 1e-12) * total);
}

TEST(sparse_seeds_keep_true_distances_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    for (const std::int64_t n_candidates : {1, 3, 5, 9, 16, 20}) {
      check_sparse_seeds<float>(n_candidates);
      check_sparse_seeds<double>(n_candidates);
    }
  });
}

}  // namespace
}  // namespace coterie
