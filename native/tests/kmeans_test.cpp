// All algorithms of k-means walk the same path as the slow, obvious one.
#include "kmeans/kmeans.h"

#include <cmath>
#include <limits>
#include <vector>

#include "kmeans/column_moments.h"
#include "support/random.h"
#include "tests/check.h"

namespace coterie {
namespace {

template <class T>
struct Data {
  std::int64_t n, cols;
  std::vector<T> numbers;
  MatrixView<T> view() const { return {numbers.data(), n, cols, cols}; }
};

// Blobs; `grid` rounds them so that ties and duplicates abound.
template <class T>
Data<T> blobs(std::int64_t n, std::int64_t cols, bool grid) {
  const CounterRandom random(static_cast<std::uint64_t>(n + cols));
  Data<T> data{n, cols, std::vector<T>(static_cast<std::size_t>(n * cols))};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t t = 0; t < cols; ++t) {
      const double value =
          50 + 4 * static_cast<double>(i % 5) + 3 * random.uniform(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(i));
      data.numbers[static_cast<std::size_t>(i * cols + t)] = static_cast<T>(grid ? std::round(value) : value);
    }
  return data;
}

template <class T>
struct Fit {
  std::vector<T> centres;
  std::vector<std::int32_t> labels;
  KMeansOutcome outcome;
};

template <class T>
Fit<T> fit(const Data<T>& data, std::int64_t k, KMeansAlgorithm algorithm, int threads, KeptTree<T>* kept = nullptr) {
  Fit<T> result{std::vector<T>(data.numbers.begin(), data.numbers.begin() + k * data.cols),
                std::vector<std::int32_t>(static_cast<std::size_t>(data.n)),
                {}};
  const ColumnMoments columns = column_moments(data.view(), nullptr, threads);
  result.outcome = run_kmeans<T>(data.view(), nullptr, columns, {result.centres.data(), k, data.cols, data.cols},
                                 {50, 0.0, -1.0, algorithm, false, threads}, {}, result.labels.data(), kept);
  return result;
}

template <class T>
void check_same(const Data<T>& data, std::int64_t k) {
  const Fit<T> plain = fit(data, k, KMeansAlgorithm::lloyd, 1);
  for (const KMeansAlgorithm algorithm :
       {KMeansAlgorithm::lloyd, KMeansAlgorithm::hamerly, KMeansAlgorithm::exponion, KMeansAlgorithm::filter})
    for (const int threads : {1, 3}) {
      const Fit<T> other = fit(data, k, algorithm, threads);
      CHECK(other.labels == plain.labels);
      CHECK(other.centres == plain.centres);
      CHECK(other.outcome.inertia == plain.outcome.inertia && other.outcome.n_iter == plain.outcome.n_iter);
    }
}

TEST(kmeans_algorithms_and_threads_agree_bit_for_bit) {
  for (const std::int64_t cols : {1, 2, 3, 7, 20})
    for (const bool grid : {false, true})
      for (const std::int64_t k : {2, 9, 33}) {
        check_same(blobs<float>(700, cols, grid), k);
        check_same(blobs<double>(700, cols, grid), k);
      }
}

TEST(kmeans_with_the_tree_of_another_run_walks_the_same_path) {
  const Data<double> data = blobs<double>(700, 2, false);
  KeptTree<double> kept;
  for (const std::int64_t k : {4, 9, 20})
    for (const KMeansAlgorithm algorithm : {KMeansAlgorithm::filter, KMeansAlgorithm::lloyd}) {
      const Fit<double> plain = fit(data, k, KMeansAlgorithm::lloyd, 1), other = fit(data, k, algorithm, 2, &kept);
      CHECK(kept != nullptr);
      CHECK(other.labels == plain.labels && other.centres == plain.centres);
    }
}

TEST(kmeans_labels_are_nearest_centres_and_centres_are_means) {
  const Data<double> data = blobs<double>(400, 3, false);
  const std::int64_t k = 6;
  const Fit<double> result = fit(data, k, KMeansAlgorithm::automatic, 2);
  CHECK(result.outcome.is_strict);
  std::vector<double> sums(static_cast<std::size_t>(k * 3), 0), counts(static_cast<std::size_t>(k), 0);
  double inertia = 0;
  for (std::int64_t i = 0; i < data.n; ++i) {
    double best = std::numeric_limits<double>::infinity();
    std::int64_t at = -1;
    for (std::int64_t c = 0; c < k; ++c) {
      double squared = 0;
      for (std::int64_t t = 0; t < 3; ++t) {
        const double difference = data.view().row(i)[t] - result.centres[static_cast<std::size_t>(c * 3 + t)];
        squared += difference * difference;
      }
      if (squared < best) {
        best = squared;
        at = c;
      }
    }
    CHECK(at == result.labels[static_cast<std::size_t>(i)]);
    inertia += best;
    counts[static_cast<std::size_t>(at)] += 1;
    for (std::int64_t t = 0; t < 3; ++t) sums[static_cast<std::size_t>(at * 3 + t)] += data.view().row(i)[t];
  }
  CHECK(std::abs(inertia - result.outcome.inertia) < 1e-9 * inertia);
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(std::abs(sums[i] / counts[i / 3] - result.centres[i]) < 1e-10);
}

TEST(kmeans_fills_every_cluster_while_rows_differ) {
  Data<double> data{40, 1, {}};
  for (int i = 0; i < 40; ++i) data.numbers.push_back(i < 20 ? 0.0 : static_cast<double>(i));
  const Fit<double> result = fit(data, 5, KMeansAlgorithm::lloyd, 1);  // five equal starts: four clusters begin empty
  std::vector<int> sizes(5, 0);
  for (const std::int32_t label : result.labels) ++sizes[static_cast<std::size_t>(label)];
  for (const int size : sizes) CHECK(size > 0);
}

}  // namespace
}  // namespace coterie
