// Blocks of a k-means run: nearest centres, sums that add up to those of the whole, whatever came before.
#include "kmeans/kmeans_block.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "support/random.h"
#include "tests/check.h"
#include "tests/point_sets.h"

namespace coterie {
namespace {

using testing::PointSet;

const std::vector<KMeansAlgorithm> algorithms = {KMeansAlgorithm::lloyd, KMeansAlgorithm::hamerly, KMeansAlgorithm::exponion,
                                                 KMeansAlgorithm::filter};

template <class T>
double squared_distance(const T* row, const T* centre, std::int64_t dims) {
  double squared = 0;
  for (std::int64_t j = 0; j < dims; ++j) {
    const double difference = static_cast<double>(row[j]) - static_cast<double>(centre[j]);
    squared += difference * difference;
  }
  return squared;
}

// Squared distance of every row to its nearest centre, one centre after the other.
template <class T>
std::vector<double> nearest_of(const PointSet<T>& points, const std::vector<T>& centres) {
  std::vector<double> nearest;
  for (std::int64_t i = 0; i < points.n; ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres.size(); c += static_cast<std::size_t>(points.dims))
      best = std::min(best, squared_distance(points.row(i), centres.data() + c, points.dims));
    nearest.push_back(best);
  }
  return nearest;
}

// Two clouds, far from zero.
template <class T>
PointSet<T> clouds(std::int64_t n, std::int64_t dims) {
  return testing::make_points<T>("clouds", n, dims,
                                 [](std::int64_t i, std::int64_t, double u) { return 100 + u * 16 + (i % 3 == 0 ? 24 : 0); });
}

template <class T>
std::vector<std::vector<T>> some_centres(const PointSet<T>& points, std::int64_t k, int passes) {
  std::vector<std::vector<T>> all;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<T> centres;
    for (std::int64_t c = 0; c < k; ++c)
      for (std::int64_t j = 0; j < points.dims; ++j) centres.push_back(points.row((c * 13 + pass * (c % 3)) % points.n)[j]);
    all.push_back(centres);
  }
  return all;
}

template <class T>
KMeansWhole whole_of(const PointSet<T>& points, const std::vector<double>& weights) {
  const double* given = weights.empty() ? nullptr : weights.data();
  double largest = 1;
  for (const double weight : weights) largest = std::max(largest, weight);
  return {points.n, column_moments(points.view(), given, 1), largest};
}

struct Totals {
  std::vector<std::int64_t> coarse, fine, count;
  bool operator==(const Totals&) const = default;
};

void add(Totals& totals, const ClusterSums& sums) {
  const auto cells = static_cast<std::size_t>(sums.n_clusters * (sums.cols + 1));
  totals.coarse.resize(cells);
  totals.fine.resize(cells);
  totals.count.resize(static_cast<std::size_t>(sums.n_clusters));
  for (std::size_t i = 0; i < cells; ++i) {
    totals.coarse[i] += sums.coarse[i];
    if (sums.fine != nullptr) totals.fine[i] += sums.fine[i];
  }
  for (std::size_t c = 0; c < totals.count.size(); ++c) totals.count[c] += sums.count[c];
}

// Blocks of the rows up to each of `ends`.
template <class T>
std::vector<std::unique_ptr<KMeansBlock<T>>> cut(const PointSet<T>& points, const std::vector<double>& weights,
                                                 const KMeansWhole& whole, const std::vector<std::int64_t>& ends, std::int64_t k,
                                                 KMeansAlgorithm algorithm) {
  std::vector<std::unique_ptr<KMeansBlock<T>>> blocks;
  std::int64_t first = 0;
  for (const std::int64_t end : ends) {
    const MatrixView<T> rows{points.row(first), end - first, points.dims, points.dims};
    blocks.push_back(std::make_unique<KMeansBlock<T>>(rows, weights.empty() ? nullptr : weights.data() + first, whole, k, algorithm));
    first = end;
  }
  return blocks;
}

template <class T>
Totals totals_of(const std::vector<std::unique_ptr<KMeansBlock<T>>>& blocks, const MatrixView<T>& centres) {
  Totals totals;
  for (const auto& block : blocks) {
    block->assign(centres);
    add(totals, block->sums());
  }
  return totals;
}

// Up to the rounding of T, which may decide where two centres are equally near.
template <class T>
bool is_close(double found, double expected) {
  return std::abs(found - expected) <= (sizeof(T) == 4 ? 1e-3 : 1e-9) * (1 + std::abs(expected));
}

template <class T>
void check_labels(KMeansBlock<T>& block, const PointSet<T>& points, const std::vector<double>& weights, const std::vector<T>& centres,
                  const Totals& totals) {
  const std::vector<double> nearest = nearest_of(points, centres);
  std::vector<T> own(static_cast<std::size_t>(points.n));
  double inertia = 0, expected_inertia = 0;
  for (const double part : block.own_distances(own.data())) inertia += part;
  std::vector<std::int64_t> counts(totals.count.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int32_t label = block.labels()[i];
    ++counts[static_cast<std::size_t>(label)];
    const double squared =
        squared_distance(points.row(static_cast<std::int64_t>(i)), centres.data() + label * points.dims, points.dims);
    CHECK(is_close<T>(squared, nearest[i]));
    CHECK(is_close<T>(static_cast<double>(own[i]), nearest[i]));
    expected_inertia += nearest[i] * (weights.empty() ? 1 : weights[i]);
  }
  CHECK(counts == totals.count);
  CHECK(is_close<T>(inertia, expected_inertia));
}

template <class T>
void check_blocks(std::int64_t n, std::int64_t dims, std::int64_t k, bool is_weighted) {
  const PointSet<T> points = clouds<T>(n, dims);
  std::vector<double> weights;
  for (std::int64_t i = 0; is_weighted && i < n; ++i) weights.push_back(static_cast<double>(i % 4) / 2);
  const KMeansWhole whole = whole_of(points, weights);
  for (const KMeansAlgorithm algorithm : algorithms) {
    const auto one = cut(points, weights, whole, {n}, k, algorithm);
    const auto three = cut(points, weights, whole, {1, n / 3, n}, k, algorithm);  // a block of one row among them
    for (const std::vector<T>& centres : some_centres(points, k, 5)) {
      const MatrixView<T> view{centres.data(), k, dims, dims};
      const Totals totals = totals_of(one, view);
      CHECK(totals == totals_of(three, view));
      CHECK(totals == totals_of(cut(points, weights, whole, {n}, k, KMeansAlgorithm::lloyd), view));  // made anew in this pass
      check_labels(*one[0], points, weights, centres, totals);
    }
  }
}

TEST(kmeans_blocks_find_nearest_centres_and_add_up_to_the_whole) {
  for (const std::int64_t dims : {1, 2, 3, 9})
    for (const bool is_weighted : {false, true}) {
      check_blocks<float>(300, dims, 7, is_weighted);
      check_blocks<double>(300, dims, 7, is_weighted);
      check_blocks<double>(90, dims, 40, is_weighted);
    }
}

// The sums in units of the whole are the sums of the rows, taken relative to the mean.
TEST(kmeans_block_sums_are_the_sums_of_rows) {
  const PointSet<double> points = clouds<double>(200, 3);
  const std::vector<double> none;
  const KMeansWhole whole = whole_of(points, none);
  const std::vector<double> centres = some_centres(points, 5, 1)[0];
  const auto blocks = cut(points, none, whole, {200}, 5, KMeansAlgorithm::automatic);
  const Totals totals = totals_of(blocks, {centres.data(), 5, 3, 3});
  std::vector<double> sums(15);
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      sums[static_cast<std::size_t>(blocks[0]->labels()[i]) * 3 + j] += points.numbers[i * 3 + j] - whole.columns.mean[j];
  const ExactSums<double> like(whole.rows, 5, whole.columns, whole.columns.mean, 1.0, 1);
  const SumUnits units = like.units();
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t j = 0; j < 3; ++j) {
      const double whole_units =
          static_cast<double>(totals.coarse[c * 4 + j]) + static_cast<double>(totals.fine[c * 4 + j]) / units.fine_scale;
      CHECK(is_close<double>(whole_units / units.scale[j], sums[c * 3 + j]));
    }
}

}  // namespace
}  // namespace coterie
