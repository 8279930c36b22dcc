#include "density/mean_shift.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr double shift_tolerance = 1e-3;  // share of the bandwidth below which a seed stands, as in scikit-learn
constexpr std::int64_t seeds_per_task = 256;

// Power of two p with |value| * p <= 2^bits for all |value| <= extent.
double unit_scale(double extent, int bits) {
  int exponent = 0;
  if (extent > 0) std::frexp(extent, &exponent);
  return std::ldexp(1.0, std::clamp(bits - exponent, -1000, 1000));
}

void choose_units(const KDTreeView<double>& tree, RowUnits& units) {
  // the sum of n numbers of `bits` bits must fit in 63
  const int bits = std::min(50, 61 - static_cast<int>(std::ceil(std::log2(static_cast<double>(tree.n_points) + 1))));
  units.fine_scale = std::ldexp(1.0, bits);
  for (std::int64_t j = 0; j < tree.dims; ++j)
    units.scale.push_back(unit_scale(std::max(-tree.box_low(0)[j], tree.box_high(0)[j]), bits));
}

void count_rows_in_units(const KDTreeView<double>& tree, RowUnits& units, int threads) {
  const std::int64_t capacity = tree.leaf_capacity, block = capacity * tree.dims;
  units.coarse.assign(static_cast<std::size_t>(tree.n_leaves * block), 0);
  units.fine.assign(units.coarse.size(), 0);
  parallel_for(tree.n_leaves, threads, [&](std::int64_t leaf, int) {
    const std::int64_t size = std::min(capacity, tree.n_points - leaf * capacity);
    for (std::int64_t j = 0; j < tree.dims; ++j)
      for (std::int64_t i = 0; i < size; ++i) {
        const double scaled = tree.leaf_points(leaf)[j * capacity + i] * units.scale[j], whole = std::nearbyint(scaled);
        const std::int64_t at = leaf * block + j * capacity + i;
        units.coarse[at] = static_cast<std::int64_t>(whole);
        units.fine[at] = static_cast<std::int64_t>(std::nearbyint((scaled - whole) * units.fine_scale));
      }
  });
}

void sum_nodes(const KDTreeView<double>& tree, const std::vector<std::int64_t>& units, std::vector<std::int64_t>& sums) {
  const std::int64_t capacity = tree.leaf_capacity, dims = tree.dims;
  sums.assign(static_cast<std::size_t>(tree.n_nodes() * dims), 0);
  const auto visit = [&](auto&& self, TreeNode node) -> void {
    std::int64_t* own = sums.data() + node.id * dims;
    if (node.is_leaf()) {
      for (std::int64_t j = 0; j < dims; ++j) {
        const std::int64_t* column = units.data() + (node.first_leaf * dims + j) * capacity;
        own[j] = std::accumulate(column, column + capacity, std::int64_t{0});
      }
      return;
    }
    self(self, node.left());
    self(self, node.right());
    for (std::int64_t j = 0; j < dims; ++j)
      own[j] = sums[static_cast<std::size_t>(node.left().id * dims + j)] + sums[static_cast<std::size_t>(node.right().id * dims + j)];
  };
  visit(visit, tree.root());
}

// The mean of `count` numbers from their sums in units: exact where the mean of the units is whole, as that of equal rows is.
double mean_of_units(std::int64_t coarse, std::int64_t fine, std::int64_t count, double scale, double fine_scale) {
  const double left = static_cast<double>(coarse % count) * fine_scale + static_cast<double>(fine % count);
  const double below = static_cast<double>(fine / count) + left / static_cast<double>(count);
  return (static_cast<double>(coarse / count) + below / fine_scale) / scale;
}

}  // namespace

MovingSeeds::MovingSeeds(const KDTree<double>& tree, MatrixView<double> seeds, double bandwidth, bool is_single, int threads)
    : tree_(tree),
      bandwidth_(bandwidth),
      is_single_(is_single),
      columns_(seeds.cols),
      places_(static_cast<std::size_t>(seeds.rows * seeds.cols)),
      count_(static_cast<std::size_t>(seeds.rows), 0),
      steps_(count_.size(), 0),
      leader_(count_.size()),
      moving_(count_.size()) {
  for (std::int64_t i = 0; i < seeds.rows; ++i) std::copy(seeds.row(i), seeds.row(i) + columns_, places_.data() + i * columns_);
  std::iota(leader_.begin(), leader_.end(), 0);
  std::iota(moving_.begin(), moving_.end(), 0);
  choose_units(tree.view(), units_);
  count_rows_in_units(tree.view(), units_, threads);
  sum_nodes(tree.view(), units_.coarse, units_.node_coarse);
  sum_nodes(tree.view(), units_.fine, units_.node_fine);
  merge_equal();
}

// Seeds at one place have one future: the first of them goes on for all.
void MovingSeeds::merge_equal() {
  const auto place = [&](std::int64_t seed) { return places_.data() + seed * columns_; };
  std::sort(moving_.begin(), moving_.end(), [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t j = 0; j < columns_; ++j)
      if (place(a)[j] != place(b)[j]) return place(a)[j] < place(b)[j];
    return a < b;
  });
  std::size_t n_kept = 0;
  for (const std::int64_t seed : moving_) {
    if (n_kept > 0 && std::equal(place(seed), place(seed) + columns_, place(moving_[n_kept - 1])))
      leader_[seed] = moving_[n_kept - 1];
    else
      moving_[n_kept++] = seed;
  }
  moving_.resize(n_kept);
}

void MovingSeeds::write_mean(std::int64_t query, double* mean) const {
  for (std::int64_t j = 0; j < columns_; ++j) {
    const std::int64_t at = query * columns_ + j;
    const double exact = mean_of_units(coarse_[at], fine_[at], found_[query], units_.scale[j], units_.fine_scale);
    mean[j] = is_single_ ? static_cast<double>(static_cast<float>(exact)) : exact;
  }
}

std::int64_t MovingSeeds::step(bool is_last, int threads) {
  const auto n_moving = static_cast<std::int64_t>(moving_.size());
  std::vector<double> rows(static_cast<std::size_t>(n_moving * columns_));
  for (std::int64_t i = 0; i < n_moving; ++i)
    std::copy_n(places_.data() + moving_[i] * columns_, columns_, rows.data() + i * columns_);
  found_.resize(moving_.size());
  coarse_.resize(rows.size());
  fine_.resize(rows.size());
  const TreeQueries<double> queries(tree_, {rows.data(), n_moving, columns_, columns_}, threads);
  const ShiftJob job{queries.groups(), bandwidth_, units_.view(), found_.data(), coarse_.data(), fine_.data()};
  engine().mean_shift.sum_within(tree_.view(), job, threads);
  std::vector<std::uint8_t> stands(moving_.size());
  parallel_for(block_count(n_moving, seeds_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n_moving, seeds_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t seed = moving_[i];
      count_[seed] = found_[i];
      steps_[seed] = n_steps_;
      stands[i] = 1;
      if (found_[i] == 0) continue;
      double* place = places_.data() + seed * columns_;
      write_mean(i, place);
      double moved = 0;
      for (std::int64_t j = 0; j < columns_; ++j) moved += (place[j] - rows[i * columns_ + j]) * (place[j] - rows[i * columns_ + j]);
      stands[i] = is_last || std::sqrt(moved) <= shift_tolerance * bandwidth_;
    }
  });
  std::size_t n_kept = 0;
  for (std::size_t i = 0; i < moving_.size(); ++i)
    if (stands[i] == 0) moving_[n_kept++] = moving_[i];
  moving_.resize(n_kept);
  merge_equal();
  ++n_steps_;
  return static_cast<std::int64_t>(moving_.size());
}

void MovingSeeds::read(double* places, std::int64_t* counts, std::int64_t* steps) const {
  for (std::int64_t seed = 0; seed < n_seeds(); ++seed) {
    std::int64_t leader = seed;
    while (leader_[leader] != leader) leader = leader_[leader];
    std::copy_n(places_.data() + leader * columns_, columns_, places + seed * columns_);
    counts[seed] = count_[leader];
    steps[seed] = steps_[leader];
  }
}

}  // namespace coterie
