// Rows, matrices and weights of any bits: every loop ends, and no index comes from a comparison that a NaN spoils. What they answer does
// not matter; the sanitizers under which these tests run say whether they touched what is not theirs.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "birch/cf_tree.h"
#include "density/prim_tree.h"
#include "distance/barycentres.h"
#include "distance/ranks.h"
#include "linkage/first_rounds.h"
#include "linkage/linkage.h"
#include "medoids/medoids.h"
#include "support/not_finite.h"
#include "support/number_order.h"
#include "support/random.h"
#include "tests/check.h"
#include "tiles/tiles.h"
#include "trees/hit_order.h"
#include "trees/spanning_tree.h"

namespace coterie {
namespace {

constexpr std::int64_t n_rows = 70;
constexpr Metric metrics[] = {
    {Kernel::dot, Finish::norm, 2},           {Kernel::dot, Finish::cosine, 2},         {Kernel::squared_difference, Finish::root, 2},
    {Kernel::manhattan, Finish::identity, 2}, {Kernel::chebyshev, Finish::identity, 2}, {Kernel::minkowski, Finish::power_root, 3},
    {Kernel::canberra, Finish::identity, 2},  {Kernel::braycurtis, Finish::identity, 2}};

// Kind 0: NaN; 1: infinite; 2: the largest; 3: some of each among ordinary numbers.
template <class T>
T odd_number(int kind, double uniform) {
  using Limits = std::numeric_limits<T>;
  const T odd[] = {Limits::quiet_NaN(), Limits::infinity(), Limits::max(),
                   -Limits::infinity(), Limits::lowest(),   Limits::denorm_min()};
  if (kind < 3) return uniform < 0.5 ? odd[kind] : -odd[kind];
  const auto at = static_cast<std::size_t>(uniform * 18);
  return at < 6 ? odd[at] : static_cast<T>(at) - T(12);
}

template <class T>
std::vector<T> odd_numbers(int kind, std::int64_t count, std::uint64_t seed) {
  const CounterRandom random(seed);
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(odd_number<T>(kind, random.uniform(0, static_cast<std::uint64_t>(i))));
  return numbers;
}

template <class T>
std::vector<T> odd_matrix(int kind) {
  std::vector<T> D = odd_numbers<T>(kind, n_rows * n_rows, 7);
  for (std::int64_t i = 0; i < n_rows; ++i) {
    for (std::int64_t j = 0; j < i; ++j) D[i * n_rows + j] = D[j * n_rows + i] = std::abs(D[i * n_rows + j]);
    D[i * n_rows + i] = 0;
  }
  return D;
}

// An answer or a refusal; nothing else leaves.
template <class Ask>
void ask(Ask&& question) {
  try {
    question();
  } catch (const NotFinite&) {
  } catch (const std::invalid_argument&) {
  }
}

template <class T, class Body>
void for_odd_rows(Body&& body) {
  for (int kind = 0; kind < 4; ++kind)
    for (const std::int64_t cols : {std::int64_t{2}, std::int64_t{20}}) {
      const std::vector<T> numbers = odd_numbers<T>(kind, n_rows * cols, 3);
      body(MatrixView<T>{numbers.data(), n_rows, cols, cols});
    }
}

template <class T>
void span_odd_rows() {
  for_odd_rows<T>([](const MatrixView<T>& rows) {
    for (const Metric& metric : metrics)
      for (int threads : {1, 3}) ask([&] { spanning_tree<T>(rows, metric, {}, threads); });
  });
  for (int kind = 0; kind < 4; ++kind) {
    const std::vector<T> D = odd_matrix<T>(kind), core = odd_numbers<T>(kind, n_rows, 5);
    ask([&] { spanning_tree<T>(MatrixView<T>{D.data(), n_rows, n_rows, n_rows}, Reachability<T>{}); });
    ask([&] { spanning_tree<T>(MatrixView<T>{D.data(), n_rows, n_rows, n_rows}, Reachability<T>{core.data(), 1}); });
  }
}

TEST(any_bits_in_spanning_trees) {
  span_odd_rows<float>();
  span_odd_rows<double>();
}

template <class T>
void link_odd_rows() {
  constexpr LinkageRule rules[] = {LinkageRule::single,   LinkageRule::complete,       LinkageRule::average,
                                   LinkageRule::weighted, LinkageRule::ward,           LinkageRule::centroid,
                                   LinkageRule::median,   LinkageRule::average_merged, LinkageRule::minimax};
  std::vector<double> out(static_cast<std::size_t>(4 * n_rows));
  for (const LinkageRule rule : rules) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<T> D = odd_matrix<T>(kind), uneven = odd_numbers<T>(kind, n_rows * n_rows, 11);
      ask([&] { link_matrix<T>(D.data(), n_rows, rule, 3, out.data()); });
      ask([&] { link_matrix<T>(uneven.data(), n_rows, rule, 3, out.data()); });
    }
    for_odd_rows<T>([&](const MatrixView<T>& rows) {
      if (is_linked_by_rows(rule)) ask([&] { link_rows<T>(rows, rule, 3, out.data()); });
      if (rule == LinkageRule::average) ask([&] { FirstRounds<T>(rows, metrics[2], rule, 3).link(out.data()); });
    });
  }
}

TEST(any_bits_in_linkage) {
  link_odd_rows<float>();
  link_odd_rows<double>();
  std::vector<double> out(static_cast<std::size_t>(4 * n_rows));
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i + 1 < n_rows; ++i) edges.insert(edges.end(), {i, i + 1});
  for (int kind = 0; kind < 4; ++kind) link_edges(edges.data(), odd_numbers<double>(kind, n_rows, 2).data(), n_rows, out.data());
}

template <class T>
void find_odd_medoids() {
  std::vector<std::int64_t> everything(static_cast<std::size_t>(n_rows)), start{0, 1, 2, 3};
  std::iota(everything.begin(), everything.end(), 0);
  for (int kind = 0; kind < 4; ++kind) {
    const std::vector<T> D = odd_matrix<T>(kind);
    const std::vector<double> weights = odd_numbers<double>(kind, n_rows, 9);
    for (const double* own : {static_cast<const double*>(nullptr), weights.data()})
      for (const MedoidObjective objective : {MedoidObjective::distance, MedoidObjective::silhouette})
        for (const SwapRule rule : {SwapRule::first, SwapRule::best}) {
          GivenRows<T> rows({D.data(), n_rows, n_rows, n_rows});
          ask([&] { build_medoids<T>(rows, everything, own, 4, 3); });
          ask([&] { swap_medoids<T>(rows, everything, own, {start, {4, 3, 2, 1}}, {objective, rule, 20, 3}, {}); });
        }
  }
}

TEST(any_bits_in_medoids) {
  find_odd_medoids<float>();
  find_odd_medoids<double>();
}

template <class T>
void measure_odd_rows() {
  std::vector<std::int32_t> groups, index(static_cast<std::size_t>(n_rows * 5));
  for (std::int64_t i = 0; i < n_rows; ++i) groups.push_back(static_cast<std::int32_t>(i % 3));
  std::vector<T> value(index.size()), means(static_cast<std::size_t>(3 * 20)), ranks(static_cast<std::size_t>(n_rows * 20));
  for_odd_rows<T>([&](const MatrixView<T>& rows) {
    for (const Metric& metric : metrics) {
      smallest<T>(rows, rows, metric, 3, {5, index.data(), value.data(), true});
      for (const std::int32_t found : index) CHECK(found >= -1 && found < n_rows);
      if (is_recomputable(metric)) own_and_other<T>(rows, rows, metric, 3, {groups.data(), value.data(), value.data() + n_rows});
      nearest<T>(rows, rows, metric, 3, {index.data(), value.data()});
      nearest_exact<T>(rows, rows, metric, 3, {index.data(), value.data()});
      for (std::int64_t i = 0; i < n_rows; ++i) CHECK(index[i] >= 0 && index[i] < n_rows);
    }
    for (const Barycentre kind : {Barycentre::mean, Barycentre::median, Barycentre::mode, Barycentre::p_centre})
      barycentres<T>({rows, groups.data(), nullptr}, kind, 3.0, 3, {means.data(), 3, rows.cols, rows.cols});
    row_ranks<T>(rows, 3, {ranks.data(), n_rows, rows.cols, rows.cols});
  });
}

TEST(any_bits_in_pairs_of_rows) {
  measure_odd_rows<float>();
  measure_odd_rows<double>();
}

TEST(any_bits_in_feature_trees) {
  for_odd_rows<double>([](const MatrixView<double>& rows) {
    for (const std::int64_t branching : {std::int64_t{2}, std::int64_t{50}}) {
      CFTree tree(rows.cols);
      tree.add<double>(rows, nullptr, {0.5, branching});
    }
  });
}

TEST(any_bits_in_grown_trees) {
  for (int kind = 0; kind < 4; ++kind) {
    const std::vector<double> D = odd_matrix<double>(kind), core = odd_numbers<double>(kind, n_rows, 5);
    const auto row_of = [&](std::int64_t i) { return D.data() + i * n_rows; };
    CHECK(grow_from_first_row(n_rows, row_of, core.data(), 1.0).distance.size() == static_cast<std::size_t>(n_rows - 1));
  }
}

TEST(nan_stand_last) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(stands_before(1.0, 2.0) && !stands_before(2.0, 1.0) && !stands_before(1.0, 1.0));
  CHECK(stands_before(1.0, nan) && !stands_before(nan, 1.0) && !stands_before(nan, nan));
  CHECK(stands_before(1.0, 0, 1.0, 1) && !stands_before(1.0, 1, 1.0, 0));
  CHECK(stands_before(nan, 0, nan, 1) && !stands_before(nan, 0, 1.0, 1) && stands_before(1.0, 1, nan, 0));
}

TEST(hits_of_any_bits_are_kept) {
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<double> distances = odd_numbers<double>(kind, n_rows, 4), workspace(distances.size());
    std::vector<std::int32_t> indices(distances.size());
    std::iota(indices.begin(), indices.end(), 0);
    keep_nearest(n_rows, 10, indices.data(), distances.data(), workspace.data());
    for (std::size_t i = 0; i < 10; ++i) CHECK(indices[i] >= 0 && indices[i] < n_rows);
    std::vector<std::int64_t> hits(distances.size());
    std::iota(hits.begin(), hits.end(), 0);
    sort_hits(HitOrder::distance, n_rows, hits.data(), distances.data());
    for (const std::int64_t hit : hits) CHECK(hit >= 0 && hit < n_rows);
  }
}

}  // namespace
}  // namespace coterie
