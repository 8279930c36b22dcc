#include "silhouette_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

// More sets cost more than they save: 4e4 x 16, 20 groups that overlap.
template <class T>
constexpr std::int64_t rows_per_set = sizeof(T) == 8 ? 160 : 320;
constexpr std::int64_t most_sets_per_group = 32;
constexpr std::int64_t most_sets = 2048;
constexpr std::int64_t rows_per_task = 256;

// Bounds are widened by more than rounding can change them.
template <class T>
constexpr double slack = sizeof(T) == 8 ? 1e-9 : 1e-3;

template <class T>
class Sets {
 public:
  explicit Sets(const GroupedRows<T>& given) : given_(given) {
    const std::int64_t n = given.rows.rows;
    const std::int64_t wanted = std::clamp(n / rows_per_set<T>, given.n_groups, std::min(most_sets_per_group * given.n_groups, most_sets));
    const std::int64_t most_rows = std::max<std::int64_t>(n / std::max<std::int64_t>(wanted, 1), 2);
    std::vector<std::int64_t> members(static_cast<std::size_t>(n));
    std::iota(members.begin(), members.end(), 0);
    starts_.push_back(0);
    for (std::int64_t g = 0; g < given.n_groups; ++g) {
      cut(members.data() + given.starts[g], given.starts[g + 1] - given.starts[g], most_rows);
      starts_.push_back(share_.size());
    }
  }

  std::int64_t size() const { return static_cast<std::int64_t>(share_.size()); }
  MatrixView<T> means() const { return {means_.data(), size(), given_.rows.cols, given_.rows.cols}; }

  // Bounds of the mean distance of a row to a group, from its distances to the means.
  double lower(std::int64_t group, const T* distances) const {
    double sum = 0;
    for (std::size_t s = first(group); s < first(group + 1); ++s) sum += share_[s] * static_cast<double>(distances[s]);
    return sum;
  }

  double upper(std::int64_t group, const T* distances) const {
    double sum = 0;
    for (std::size_t s = first(group); s < first(group + 1); ++s) {
      const auto distance = static_cast<double>(distances[s]);
      sum += share_[s] * std::sqrt(distance * distance + variance_[s]);
    }
    return sum;
  }

 private:
  std::size_t first(std::int64_t group) const { return starts_[static_cast<std::size_t>(group)]; }

  // Halves the largest part along its widest column, until all are small.
  void cut(std::int64_t* members, std::int64_t count, std::int64_t most_rows) {
    std::vector<std::pair<std::int64_t*, std::int64_t>> open{{members, count}};
    while (!open.empty()) {
      const auto [first, size] = open.back();
      open.pop_back();
      const std::int64_t column = size > most_rows ? widest_column(first, size) : -1;
      if (column < 0) {
        add(first, size, static_cast<double>(size) / static_cast<double>(count));
        continue;
      }
      const auto is_less = [&](std::int64_t i, std::int64_t j) { return given_.rows.row(i)[column] < given_.rows.row(j)[column]; };
      std::nth_element(first, first + size / 2, first + size, is_less);
      open.emplace_back(first, size / 2);
      open.emplace_back(first + size / 2, size - size / 2);
    }
  }

  // -1: all rows are equal.
  std::int64_t widest_column(const std::int64_t* members, std::int64_t size) const {
    std::int64_t widest = -1;
    double most = 0;
    for (std::int64_t t = 0; t < given_.rows.cols; ++t) {
      double sum = 0, squares = 0;
      for (std::int64_t i = 0; i < size; ++i) {
        const double value = static_cast<double>(given_.rows.row(members[i])[t] - given_.rows.row(members[0])[t]);
        sum += value;
        squares += value * value;
      }
      const double spread = squares - sum * sum / static_cast<double>(size);
      if (spread <= most) continue;
      most = spread;
      widest = t;
    }
    return widest;
  }

  void add(const std::int64_t* members, std::int64_t size, double share) {
    std::vector<double> mean(static_cast<std::size_t>(given_.rows.cols), 0.0);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::size_t t = 0; t < mean.size(); ++t) mean[t] += static_cast<double>(given_.rows.row(members[i])[t]) / static_cast<double>(size);
    double squares = 0;
    for (std::int64_t i = 0; i < size; ++i)
      for (std::size_t t = 0; t < mean.size(); ++t) {
        const double difference = static_cast<double>(given_.rows.row(members[i])[t]) - mean[t];
        squares += difference * difference;
      }
    for (const double value : mean) means_.push_back(static_cast<T>(value));
    variance_.push_back(squares / static_cast<double>(size));
    share_.push_back(share);
  }

  GroupedRows<T> given_;
  std::vector<T> means_;
  std::vector<double> variance_, share_;
  std::vector<std::size_t> starts_;  // per group: its first set
};

// The largest coordinate: rounding of means is a share of it.
template <class T>
double reach(const MatrixView<T>& rows) {
  T most = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t t = 0; t < rows.cols; ++t) most = std::max(most, std::abs(rows.row(i)[t]));
  return static_cast<double>(most) * std::sqrt(static_cast<double>(rows.cols));
}

// Marks the groups of one row; of a group that is too far at least, it need not be known how far it is at most.
template <class T>
void mark(const Sets<T>& sets, std::int64_t own, const T* distances, double rounding, std::vector<double>& lower, std::uint8_t* possible) {
  const auto k = static_cast<std::int64_t>(lower.size());
  std::int64_t nearest = -1;
  for (std::int64_t g = 0; g < k; ++g) {
    lower[static_cast<std::size_t>(g)] = g == own ? std::numeric_limits<double>::infinity() : sets.lower(g, distances);
    if (nearest < 0 || lower[static_cast<std::size_t>(g)] < lower[static_cast<std::size_t>(nearest)]) nearest = g;
  }
  double limit = sets.upper(nearest, distances);
  for (std::int64_t g = 0; g < k; ++g)
    if (lower[static_cast<std::size_t>(g)] < limit) limit = std::min(limit, sets.upper(g, distances));
  limit = limit * (1 + slack<T>) + rounding;
  for (std::int64_t g = 0; g < k; ++g) possible[g] = lower[static_cast<std::size_t>(g)] <= limit;
}

}  // namespace

template <class T>
std::vector<std::uint8_t> possible_neighbours(const GroupedRows<T>& given, int threads) {
  const Sets<T> sets(given);
  const std::int64_t n = given.rows.rows, k = given.n_groups;
  const double rounding = 4 * std::numeric_limits<T>::epsilon() * reach(given.rows);
  std::vector<std::uint8_t> possible(static_cast<std::size_t>(n * k));
  parallel_for(block_count(n, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, rows_per_task, task);
    std::vector<T> distances(static_cast<std::size_t>(range.size() * sets.size()));
    const MatrixView<T> rows = {given.rows.row(range.begin), range.size(), given.rows.cols, given.rows.stride};
    store<T>(rows, sets.means(), {Kernel::dot, Finish::norm, 2}, 1, {distances.data(), range.size(), sets.size(), sets.size()});
    std::vector<double> lower(static_cast<std::size_t>(k));
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t own = std::upper_bound(given.starts, given.starts + k, i) - given.starts - 1;
      mark(sets, own, distances.data() + (i - range.begin) * sets.size(), rounding, lower, possible.data() + i * k);
    }
  });
  return possible;
}

template std::vector<std::uint8_t> possible_neighbours<float>(const GroupedRows<float>&, int);
template std::vector<std::uint8_t> possible_neighbours<double>(const GroupedRows<double>&, int);

}  // namespace coterie
