// Approximate neighbours: lists hold true keys, whatever the threads and the instruction set, and most of the nearest rows.
#include "neighbours/descent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

struct Cloud {
  std::int64_t n, cols;
  std::vector<float> values;

  // Groups of about fifty rows.
  Cloud(std::int64_t n, std::int64_t cols) : n(n), cols(cols) {
    const CounterRandom random(5);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t t = 0; t < cols; ++t) {
        const auto row = static_cast<std::uint64_t>(i), column = static_cast<std::uint64_t>(t);
        const double centre = random.uniform(1000000 + row % static_cast<std::uint64_t>(n / 50), column);
        values.push_back(static_cast<float>(4 * centre + random.uniform(row, column)));
      }
  }
  MatrixView<float> view() const { return {values.data(), n, cols, cols}; }
  double squared(std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t t = 0; t < cols; ++t) {
      const double difference = static_cast<double>(view().row(i)[t]) - static_cast<double>(view().row(j)[t]);
      sum += difference * difference;
    }
    return sum;
  }
};

constexpr const float* no_shift = nullptr;
constexpr Coding euclidean{CodeKind::product, 256.0, 80.0, true};
constexpr Coding small{CodeKind::product, 25.0, 80.0, true, true};

std::vector<std::int32_t> lists_of(const NeighbourDescent& descent) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(descent.n() * descent.list_size()));
  for (std::int64_t i = 0; i < descent.n(); ++i) descent.copy_list(i, out.data() + i * descent.list_size());
  return out;
}

std::vector<std::int32_t> descend(const Cloud& cloud, int threads, const Coding& coding = euclidean) {
  const CodedMatrix rows(cloud.view(), no_shift, coding, threads);
  NeighbourDescent descent(rows, 12, 40, 9, threads);
  for (int i = 0; i < 3; ++i) descent.plant(threads);
  CHECK(descent.has_cells());
  descent.probe(3, threads);
  for (int i = 0; i < 3; ++i) descent.improve(12, threads);
  descent.widen(15, threads);
  descent.improve(15, threads);
  return lists_of(descent);
}

}  // namespace

TEST(descent_finds_most_of_the_nearest_rows) {
  const Cloud cloud(1200, 21);
  const std::vector<std::int32_t> found = descend(cloud, 2);
  constexpr std::int64_t k = 10, size = 15;
  std::int64_t hits = 0;
  for (std::int64_t i = 0; i < cloud.n; ++i) {
    std::vector<std::pair<double, std::int32_t>> order;
    for (std::int64_t j = 0; j < cloud.n; ++j)
      if (j != i) order.push_back({cloud.squared(i, j), static_cast<std::int32_t>(j)});
    std::partial_sort(order.begin(), order.begin() + k, order.end());
    const auto begin = found.begin() + i * size;
    CHECK(std::find(begin, begin + size, static_cast<std::int32_t>(i)) == begin + size);
    for (std::int64_t e = 0; e < k; ++e)
      hits += std::find(begin, begin + size, order[static_cast<std::size_t>(e)].second) != begin + size;
  }
  CHECK(static_cast<double>(hits) > 0.95 * static_cast<double>(k * cloud.n));
}

TEST(descent_is_the_same_for_any_threads_and_instruction_set) {
  const Cloud cloud(900, 37);
  const std::vector<std::int32_t> expected = descend(cloud, 1), coarse = descend(cloud, 1, small);
  testing::on_every_instruction_set([&] {
    for (const int threads : {1, 4}) CHECK(descend(cloud, threads) == expected && descend(cloud, threads, small) == coarse);
  });
}

TEST(descent_of_equal_rows_fills_every_list) {
  Cloud cloud(500, 8);
  std::fill(cloud.values.begin(), cloud.values.end(), 1.0f);
  const std::vector<std::int32_t> found = descend(cloud, 3);
  for (std::int64_t i = 0; i < cloud.n; ++i)
    for (std::int64_t e = 0; e < 10; ++e) {
      const std::int32_t row = found[static_cast<std::size_t>(i * 15 + e)];
      CHECK(row >= 0 && row < cloud.n && row != i);
    }
}

// The m nearest of all rows by their codes, equal ones by their number.
std::vector<std::int32_t> nearest_one_by_one(const CodedRows& rows, std::int32_t row, std::size_t m) {
  const auto code = [&](std::int64_t i, std::int64_t t) -> std::int64_t {
    return rows.is_small ? codes_of<std::int8_t>(rows, i)[t] : codes_of<std::int16_t>(rows, i)[t];
  };
  std::vector<std::pair<std::int64_t, std::int32_t>> order;
  for (std::int32_t j = 0; j < rows.n; ++j) {
    std::int64_t key = 0;
    for (std::int64_t t = 0; t < rows.cols; ++t) key += (code(row, t) - code(j, t)) * (code(row, t) - code(j, t));
    order.push_back({key, j});
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> nearest;
  for (std::size_t e = 0; e < m; ++e) nearest.push_back(order[e].second);
  return nearest;
}

TEST(nearest_by_codes_are_those_of_all_rows) {
  Cloud cloud(9000, 19);  // more than one block
  const std::vector<std::int32_t> members{0, 5, 8999};
  const auto check_all = [&](std::size_t m) {
    for (const Coding& coding : {euclidean, small}) {
      const CodedMatrix coded(cloud.view(), no_shift, coding, 1);
      std::vector<std::int32_t> found(members.size() * m);
      nearest_by_codes(coded.rows(), members, static_cast<std::int64_t>(m), found.data(), 2);
      for (std::size_t i = 0; i < members.size(); ++i) {
        const auto begin = found.begin() + static_cast<std::int64_t>(i * m), end = begin + static_cast<std::int64_t>(m);
        CHECK(std::vector<std::int32_t>(begin, end) == nearest_one_by_one(coded.rows(), members[i], m));
      }
    }
  };
  check_all(9);
  for (std::size_t at = 0; at < cloud.values.size(); ++at) cloud.values[at] = static_cast<float>(at / 19 % 7);  // seven different rows
  for (const std::size_t m : {1, 70, 2000}) testing::on_every_instruction_set([&] { check_all(m); });
}

TEST(reranked_lists_are_sorted_by_distances_of_the_rows) {
  const Cloud cloud(600, 23);
  const CodedMatrix rows(cloud.view(), no_shift, small, 1);
  NeighbourDescent descent(rows, 12, 40, 9, 1);
  descent.probe(6, 1);
  std::vector<std::int64_t> index(600 * 5);
  std::vector<float> squares(600 * 5);
  descent.rerank(cloud.view(), 12, 5, index.data(), squares.data(), 2);
  for (std::int64_t i = 0; i < 600; ++i)
    for (std::int64_t e = 0; e < 5; ++e) {
      const auto at = static_cast<std::size_t>(i * 5 + e);
      CHECK(index[at] >= 0 && index[at] != i);
      const double expected = cloud.squared(i, index[at]);
      CHECK(std::abs(static_cast<double>(squares[at]) - expected) <= 1e-5 * expected);
      CHECK(e == 0 || squares[at - 1] <= squares[at]);
    }
}

TEST(search_of_a_graph_finds_the_rows_themselves) {
  const Cloud cloud(800, 16);
  const CodedMatrix rows(cloud.view(), no_shift, euclidean, 1);
  NeighbourDescent descent(rows, 12, 40, 9, 1);
  descent.plant(1);
  descent.improve(12, 1);
  std::vector<std::int32_t> graph(static_cast<std::size_t>(800 * 20)), doors, one(800 * 16), two(800 * 16);
  descent.copy_graph(20, graph.data(), 2);
  for (std::int32_t door = 0; door < 800; door += 7) doors.push_back(door);
  const auto n_doors = static_cast<std::int64_t>(doors.size());
  search_graph(rows, rows, graph.data(), 20, doors.data(), n_doors, 16, one.data(), 1);
  search_graph(rows, rows, graph.data(), 20, doors.data(), n_doors, 16, two.data(), 4);
  CHECK(one == two);
  int hits = 0;
  for (std::int32_t i = 0; i < 800; ++i) hits += one[static_cast<std::size_t>(i) * 16] == i;
  CHECK(hits > 780);
}

TEST(sparse_rows_are_compared_as_the_same_rows_written_out) {
  const Cloud cloud(400, 30);
  std::vector<float> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  std::vector<float> dense(cloud.values.size(), 0.0f);
  for (std::int64_t i = 0; i < cloud.n; ++i) {
    for (std::int64_t t = 0; t < cloud.cols; ++t) {
      if ((i * 7 + t) % 3 != 0) continue;
      const auto at = static_cast<std::size_t>(i * cloud.cols + t);
      dense[at] = cloud.values[at] / 64;
      values.push_back(dense[at]);
      columns.push_back(static_cast<std::int32_t>(t));
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  const CodedMatrix one(MatrixView<float>{dense.data(), cloud.n, cloud.cols, cloud.cols}, no_shift,
                        {CodeKind::product, 4096.0, 5.0, true}, 1);
  const CodedMatrix two(SparseView<float>{values.data(), columns.data(), starts.data(), cloud.n, cloud.cols},
                        {CodeKind::sparse, 4096.0, 5.0, true});
  NeighbourDescent by_rows(one, 8, cloud.n, 4, 2), by_entries(two, 8, cloud.n, 4, 2);  // one leaf: all pairs
  by_rows.plant(2);
  by_entries.plant(2);
  // squared distances in codes: equally near rows may come in any order
  const auto keys_of = [&](const NeighbourDescent& descent) {
    std::vector<std::int64_t> keys;
    const std::vector<std::int32_t> lists = lists_of(descent);
    for (std::size_t at = 0; at < lists.size(); ++at) {
      const std::int16_t* a = one.rows().values + static_cast<std::int64_t>(at) / 8 * one.rows().stride;
      const std::int16_t* b = one.rows().values + lists[at] * one.rows().stride;
      std::int64_t key = 0;
      for (std::int64_t t = 0; t < cloud.cols; ++t) key += (a[t] - b[t]) * (a[t] - b[t]);
      keys.push_back(key);
    }
    return keys;
  };
  CHECK(keys_of(by_rows) == keys_of(by_entries));
}

}  // namespace coterie
