// Seeding: what it keeps is true, on every instruction set, for any number of threads.
#include "kmeans/seeding/seeding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "tests/check.h"
#include "tests/instruction_sets.h"
#include "tests/point_sets.h"

namespace coterie {
namespace {

using testing::PointSet;

template <class T>
double obvious_potential(const PointSet<T>& points, const std::vector<std::int64_t>& picks) {
  double total = 0;
  for (std::int64_t i = 0; i < points.n; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::int64_t pick : picks) {
      double squared = 0;
      for (std::int64_t t = 0; t < points.dims; ++t) {
        const double difference = static_cast<double>(points.row(i)[t]) - static_cast<double>(points.row(pick)[t]);
        squared += difference * difference;
      }
      nearest = std::min(nearest, squared);
    }
    total += nearest;
  }
  return total;
}

template <class T>
void check_seeds(const PointSet<T>& points, std::int64_t n_candidates) {
  const Seeds seeds = seed_kmeans<T>(points.view(), nullptr, {90, n_candidates, 5, 1}, nullptr);
  const double expected = obvious_potential(points, seeds.rows);
  CHECK(std::abs(seeds.potential - expected) <= (sizeof(T) == 4 ? 1e-5 : 1e-12) * expected);
  CHECK(seeds.rows.size() == 90 || expected == 0);
  CHECK(std::set<std::int64_t>(seeds.rows.begin(), seeds.rows.end()).size() == seeds.rows.size());
  const Seeds threaded = seed_kmeans<T>(points.view(), nullptr, {90, n_candidates, 5, 3}, nullptr);
  CHECK(threaded.rows == seeds.rows && threaded.potential == seeds.potential);
  const Seeds fewer = seed_kmeans<T>(points.view(), nullptr, {41, n_candidates, 5, 2}, nullptr);
  CHECK(std::equal(fewer.rows.begin(), fewer.rows.end(), seeds.rows.begin()));
}

template <class T>
void check_all_sets() {
  for (const std::int64_t dims : {1, 3, 8, 13, 40})
    for (const PointSet<T>& points : testing::point_sets<T>(1500, dims)) {
      if (points.name == "huge" || points.name == "tiny") continue;  // squares overflow or vanish
      check_seeds(points, 1);
      check_seeds(points, 6);
    }
}

TEST(seeds_keep_true_distances_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    check_all_sets<float>();
    check_all_sets<double>();
  });
}

TEST(seeds_far_from_the_origin_keep_their_digits) {
  const auto points = testing::make_points<float>(
      "far", 4000, 20, [](std::int64_t i, std::int64_t, double u) { return 1e4 + static_cast<double>(i % 7) + u; });
  check_seeds(points, 5);
}

TEST(overflowing_squares_end_cleanly) {
  for (const PointSet<float>& points : testing::point_sets<float>(3000, 12))
    CHECK(seed_kmeans<float>(points.view(), nullptr, {50, 4, 1, 2}, nullptr).rows.size() <= 50);
}

}  // namespace
}  // namespace coterie
