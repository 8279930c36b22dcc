// Blocks of a k-means run: nearest centres, sums that add up to those of the whole, whatever came before.
#include "kmeans/block.h"

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
struct Nearest {
  std::vector<std::int32_t> labels;
  std::vector<double> sums, counts, squared;
};

// One row, one centre after the other; ties to the lower centre.
template <class T>
Nearest<T> nearest_of(const PointSet<T>& points, const std::vector<double>& weights, const std::vector<T>& centres) {
  const std::int64_t k = static_cast<std::int64_t>(centres.size()) / points.dims;
  Nearest<T> found{{}, std::vector<double>(static_cast<std::size_t>(k * points.dims)), std::vector<double>(static_cast<std::size_t>(k)), {}};
  for (std::int64_t i = 0; i < points.n; ++i) {
    double best = std::numeric_limits<double>::infinity();
    std::int64_t at = -1;
    for (std::int64_t c = 0; c < k; ++c) {
      double squared = 0;
      for (std::int64_t j = 0; j < points.dims; ++j) {
        const double difference = static_cast<double>(points.row(i)[j]) - static_cast<double>(centres[static_cast<std::size_t>(c * points.dims + j)]);
        squared += difference * difference;
      }
      if (squared < best) {
        best = squared;
        at = c;
      }
    }
    found.labels.push_back(static_cast<std::int32_t>(at));
    found.squared.push_back(best);
    const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
    found.counts[static_cast<std::size_t>(at)] += 1;
    for (std::int64_t j = 0; j < points.dims; ++j)
      found.sums[static_cast<std::size_t>(at * points.dims + j)] += weight * static_cast<double>(points.row(i)[j]);
  }
  return found;
}

// Two clouds of small whole numbers: distances are exact, so that nobody may differ by rounding.
template <class T>
PointSet<T> whole_numbers(std::int64_t n, std::int64_t dims) {
  return testing::make_points<T>("whole numbers", n, dims, [](std::int64_t i, std::int64_t, double u) {
    return std::floor(u * 16) + (i % 3 == 0 ? 24 : 0);
  });
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
std::vector<std::unique_ptr<KMeansBlock<T>>> cut(const PointSet<T>& points, const std::vector<double>& weights, const KMeansWhole& whole,
                                                 const std::vector<std::int64_t>& ends, std::int64_t k, KMeansAlgorithm algorithm) {
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

template <class T>
void check_blocks(std::int64_t n, std::int64_t dims, std::int64_t k, bool is_weighted) {
  const PointSet<T> points = whole_numbers<T>(n, dims);
  std::vector<double> weights;
  for (std::int64_t i = 0; is_weighted && i < n; ++i) weights.push_back(static_cast<double>(i % 4) / 2);
  const KMeansWhole whole = whole_of(points, weights);
  for (const KMeansAlgorithm algorithm : algorithms) {
    const auto one = cut(points, weights, whole, {n}, k, algorithm);
    const auto three = cut(points, weights, whole, {1, n / 3, n}, k, algorithm);  // a block of one row among them
    for (const std::vector<T>& centres : some_centres(points, k, 5)) {
      const MatrixView<T> view{centres.data(), k, dims, dims};
      const Nearest<T> expected = nearest_of(points, weights, centres);
      const Totals totals = totals_of(one, view);
      CHECK(totals == totals_of(three, view));
      CHECK(totals == totals_of(cut(points, weights, whole, {n}, k, KMeansAlgorithm::lloyd), view));  // made anew in this pass
      CHECK(one[0]->labels() == expected.labels);
      for (std::size_t c = 0; c < expected.counts.size(); ++c) CHECK(static_cast<double>(totals.count[c]) == expected.counts[c]);
      std::vector<T> own(static_cast<std::size_t>(n));
      double inertia = 0, expected_inertia = 0;
      for (const double part : one[0]->own_distances(own.data())) inertia += part;
      for (std::size_t i = 0; i < own.size(); ++i) {
        CHECK(std::abs(static_cast<double>(own[i]) - expected.squared[i]) <= 1e-4 * (1 + expected.squared[i]));
        expected_inertia += expected.squared[i] * (weights.empty() ? 1 : weights[i]);
      }
      CHECK(std::abs(inertia - expected_inertia) <= 1e-5 * (1 + expected_inertia));
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
  const PointSet<double> points = whole_numbers<double>(200, 3);
  const std::vector<double> none;
  const KMeansWhole whole = whole_of(points, none);
  const std::vector<double> centres = some_centres(points, 5, 1)[0];
  const Nearest<double> expected = nearest_of(points, none, centres);
  const auto blocks = cut(points, none, whole, {70, 200}, 5, KMeansAlgorithm::automatic);
  const Totals totals = totals_of(blocks, {centres.data(), 5, 3, 3});
  const ExactSums<double> units(whole.rows, 5, whole.columns, whole.columns.mean, 1.0, 1);
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t cell = c * 4 + j;
      const double scaled = static_cast<double>(totals.coarse[cell]) + static_cast<double>(totals.fine[cell]) / units.units().fine_scale;
      const double sum = scaled / units.units().scale[j] + expected.counts[c] * whole.columns.mean[j];
      CHECK(std::abs(sum - expected.sums[c * 3 + j]) <= 1e-9 * (1 + std::abs(sum)));
    }
}

}  // namespace
}  // namespace coterie
