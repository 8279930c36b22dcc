// Elastic distances are those of their tables, on every instruction set; searches are brute force; any bits end.
#include "series/series.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/random.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

struct Series {
  std::vector<double> values;
  std::vector<std::int64_t> starts = {0};
  std::int64_t columns = 1;
  SeriesView view() const { return {values.data(), starts.data(), static_cast<std::int64_t>(starts.size()) - 1, columns}; }
};

Series some_series(std::int64_t count, std::int64_t longest, std::int64_t columns, std::uint64_t seed, bool equal) {
  const CounterRandom random(seed);
  Series series;
  series.columns = columns;
  std::uint64_t drawn = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t length =
        equal ? longest : 1 + static_cast<std::int64_t>(random.uniform(drawn++, 1) * static_cast<double>(longest));
    for (std::int64_t t = 0; t < length * columns; ++t) series.values.push_back(random.uniform(drawn++, 2) * 4 - 2);
    series.starts.push_back(series.starts.back() + length);
  }
  return series;
}

double table_dtw(const SeriesView& series, std::int64_t a, std::int64_t b, std::int64_t radius) {
  return find_warping_path(series.at(a), series.length(a), series.at(b), series.length(b), series.columns,
                           {Elastic::dtw, radius, 1, {}, {}})
      .distance;
}

TEST(dtw_of_all_pairs_is_that_of_the_table) {
  testing::on_every_instruction_set([] {
    for (const bool equal : {true, false})
      for (const std::int64_t columns : {1, 3})
        for (const std::int64_t radius : {-1, 0, 2}) {
          const Series made = some_series(37, 14, columns, 7, equal);
          const SeriesView series = made.view();
          std::vector<double> distances(37 * 37, -1.0);
          compare_all_pairs(series, series, true, {Elastic::dtw, radius, 1, {}, {}}, 2, distances.data());
          for (std::int64_t i = 0; i < 37; ++i)
            for (std::int64_t j = 0; j < 37; ++j)
              CHECK(distances[static_cast<std::size_t>(i * 37 + j)] == table_dtw(series, i, j, radius));
        }
  });
}

TEST(nearest_series_are_those_of_all_pairs) {
  testing::on_every_instruction_set([] {
    for (const bool equal : {true, false})
      for (const std::int64_t radius : {-1, 1}) {
        const Series made = some_series(60, 20, 2, 3, equal);  // without a radius wide enough to leave cells out
        const SeriesView series = made.view();
        std::vector<double> all(60 * 60), distances(60 * 5);
        std::vector<std::int64_t> indices(60 * 5);
        compare_all_pairs(series, series, true, {Elastic::dtw, radius, 1, {}, {}}, 2, all.data());
        find_nearest_series(series, series, 5, radius, 2, distances.data(), indices.data());
        for (std::size_t i = 0; i < 60; ++i) {
          std::vector<std::pair<double, std::int64_t>> row;
          for (std::size_t j = 0; j < 60; ++j) row.emplace_back(all[i * 60 + j], static_cast<std::int64_t>(j));
          std::sort(row.begin(), row.end());
          for (std::size_t at = 0; at < 5; ++at)
            CHECK(distances[i * 5 + at] == row[at].first && indices[i * 5 + at] == row[at].second);
        }
      }
  });
}

TEST(envelopes_hold_the_points_near_by) {
  const Series made = some_series(1, 30, 2, 5, true);
  for (const std::int64_t radius : {0, 3, 40}) {
    std::vector<double> low(60), high(60);
    find_envelope(made.values.data(), 30, 2, radius, low.data(), high.data());
    for (std::int64_t t = 0; t < 60; ++t) {
      double least = made.values[static_cast<std::size_t>(t)], most = least;
      for (std::int64_t s = t % 2; s < 60; s += 2)
        if (std::abs(s / 2 - t / 2) <= radius) {
          least = std::min(least, made.values[static_cast<std::size_t>(s)]);
          most = std::max(most, made.values[static_cast<std::size_t>(s)]);
        }
      CHECK(low[static_cast<std::size_t>(t)] == least && high[static_cast<std::size_t>(t)] == most);
    }
  }
}

TEST(soft_dtw_falls_along_its_derivative) {
  testing::on_every_instruction_set([] {
    const Series made = some_series(19, 10, 2, 11, false);
    std::vector<double> centre(made.values.begin(), made.values.begin() + 16), weights(19, 1.0), gradient(16), unused(16);
    const double before = differentiate_soft_dtw(centre.data(), 8, made.view(), weights.data(), 0.5, 2, gradient.data());
    double square = 0;
    for (std::size_t t = 0; t < 16; ++t) {
      centre[t] -= 1e-6 * gradient[t];
      square += gradient[t] * gradient[t];
    }
    const double after = differentiate_soft_dtw(centre.data(), 8, made.view(), weights.data(), 0.5, 2, unused.data());
    CHECK(std::abs((before - after) - 1e-6 * square) < 1e-3 * 1e-6 * square);
  });
}

// Whatever the numbers are, every loop ends within its memory: what they give does not matter.
TEST(series_of_any_bits_end) {
  testing::on_every_instruction_set([] {
    for (const std::int64_t columns : {1, 2}) {
      Series made = some_series(40, 9, columns, 13, false);
      const CounterRandom random(17);
      for (std::size_t t = 0; t < made.values.size(); ++t) {
        const auto bits = static_cast<std::uint64_t>(random.uniform(t, 3) * 18446744073709549568.0);
        std::memcpy(&made.values[t], &bits, sizeof(bits));
      }
      const SeriesView series = made.view();
      std::vector<double> distances(40 * 40), nearest(40 * 3), sums(static_cast<std::size_t>(9 * columns)), totals(9);
      std::vector<std::int64_t> indices(40 * 3);
      for (const Elastic kind : {Elastic::dtw, Elastic::erp, Elastic::msm, Elastic::soft_dtw})
        compare_all_pairs(series, series, true, {kind, 2, 0.5, {}, {}}, 2, distances.data());
      for (const std::int64_t radius : {-1, 1}) find_nearest_series(series, series, 3, radius, 2, nearest.data(), indices.data());
      CHECK(*std::max_element(indices.begin(), indices.end()) < 40);
      const std::vector<double> weights(40, 1.0);
      const std::int64_t length = series.length(0);
      sum_matched_points(series.at(0), length, series, weights.data(), -1, 2, sums.data(), totals.data());
      differentiate_soft_dtw(series.at(0), length, series, weights.data(), 1.0, 2, sums.data());
      find_warping_path(series.at(0), length, series.at(1), series.length(1), columns, {});
      CHECK(distances.size() == 1600);
    }
  });
}

}  // namespace
}  // namespace coterie
