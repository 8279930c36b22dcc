#include "evaluate/valleys.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "trees/union_find.h"

namespace coterie {
namespace {

constexpr std::int64_t most_rows = 128;    // of two groups, in which neighbours are counted
constexpr std::int64_t most_anchors = 16;  // of each group, which count them
constexpr std::int64_t least_rows = 16;
constexpr std::int64_t far_share = 3;         // distances of a third of the rows tell the extent, against those of half as many
constexpr double at_border = 0.15;            // share of the rows that are next to the border,
constexpr std::int64_t least_at_border = 5;   // and least number
constexpr double most_share = 0.9;            // beyond, a border is as wide as its groups
constexpr double unknown = std::numeric_limits<double>::infinity();

double square_between(const double* one, const double* other, std::int64_t cols) {
  double sum = 0;
  for (std::int64_t t = 0; t < cols; ++t) sum += (one[t] - other[t]) * (one[t] - other[t]);
  return sum;
}

// The mean of the two in the middle where numbers are even.
double median(std::vector<double>& values) {
  const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[static_cast<std::size_t>(half)];
  return values.size() % 2 ? upper : (upper + *std::max_element(values.begin(), values.begin() + half)) / 2;
}

// The columns of some rows, one after the other: rows are compared side by side.
std::vector<double> columns_of(const std::vector<const double*>& rows, std::int64_t cols) {
  std::vector<double> columns(rows.size() * static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t t = 0; t < cols; ++t) columns[static_cast<std::size_t>(t) * rows.size() + i] = rows[i][t];
  return columns;
}

// The squares of the distances from one row to those with these columns.
void squares_from(const double* row, const std::vector<double>& columns, std::int64_t cols, std::vector<double>& squares) {
  std::fill(squares.begin(), squares.end(), 0.0);
  for (std::int64_t t = 0; t < cols; ++t) {
    const double own = row[t];
    const double* column = columns.data() + static_cast<std::size_t>(t) * squares.size();
    for (std::size_t j = 0; j < squares.size(); ++j) squares[j] += (own - column[j]) * (own - column[j]);
  }
}

double extent_from(const GroupMembers& groups, std::int64_t group, const std::vector<double>& columns, std::size_t n_rows) {
  const auto n = static_cast<std::ptrdiff_t>(n_rows), far = n / far_share, near = far / 2;
  std::vector<double> squares(n_rows), growths;
  for (std::int64_t a = 0; a < std::min(most_anchors, groups.size(group)); ++a) {
    squares_from(groups.row(group, a), columns, groups.rows.cols, squares);
    std::nth_element(squares.begin(), squares.begin() + far, squares.end());
    std::nth_element(squares.begin(), squares.begin() + near, squares.begin() + far);
    if (squares[near] > 0) growths.push_back(std::log(squares[far] / squares[near]));
  }
  if (growths.empty()) return unknown;
  const double growth = median(growths) / 2;  // the logarithms of squares are twice those of distances
  return growth > 0 ? std::log(static_cast<double>(far) / static_cast<double>(near)) / growth : unknown;
}

// Sum over the columns of the variance of some rows; their mean is left in `mean`.
double spread_of(const std::vector<const double*>& rows, std::vector<double>& mean) {
  const auto n = static_cast<double>(rows.size());
  double spread = 0;
  for (std::size_t t = 0; t < mean.size(); ++t) {
    double sum = 0, squares = 0;
    for (const double* row : rows) sum += row[t];
    mean[t] = sum / n;
    for (const double* row : rows) squares += (row[t] - mean[t]) * (row[t] - mean[t]);
    spread += squares / n;
  }
  return spread;
}

// The share of the spread of some rows that those next to the border have; 1 if these are not at an end.
double share_at_border(const std::vector<const double*>& rows, const std::vector<double>& away, std::int64_t cols) {
  const auto n_near =
      std::max(least_at_border, static_cast<std::int64_t>(std::nearbyint(at_border * static_cast<double>(rows.size()))));
  if (n_near >= static_cast<std::int64_t>(rows.size())) return 1;
  std::vector<std::int32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + n_near, order.end(),
                   [&](std::int32_t a, std::int32_t b) { return away[a] != away[b] ? away[a] < away[b] : a < b; });
  std::sort(order.begin(), order.begin() + n_near);  // sums in the order of the rows
  std::vector<const double*> near;
  for (std::int64_t i = 0; i < n_near; ++i) near.push_back(rows[order[i]]);
  std::vector<double> middle(static_cast<std::size_t>(cols)), end(middle);
  const double spread = spread_of(rows, middle), of_near = spread_of(near, end);
  return square_between(end.data(), middle.data(), cols) > spread ? of_near / spread : 1;
}

std::vector<const double*> first_rows(const GroupMembers& groups, std::int64_t group, std::int64_t most) {
  std::vector<const double*> rows;
  for (std::int64_t i = 0; i < std::min(most, groups.size(group)); ++i) rows.push_back(groups.row(group, i));
  return rows;
}

}  // namespace

double joint_extent(const GroupMembers& groups, std::int64_t low, std::int64_t high) {
  const double share = std::min(1.0, static_cast<double>(most_rows) / static_cast<double>(groups.size(low) + groups.size(high)));
  std::vector<const double*> rows;
  for (const std::int64_t group : {low, high}) {
    const auto wanted = static_cast<std::int64_t>(std::nearbyint(share * static_cast<double>(groups.size(group))));
    const auto own = first_rows(groups, group, std::max<std::int64_t>(1, wanted));
    rows.insert(rows.end(), own.begin(), own.end());
  }
  if (static_cast<std::int64_t>(rows.size()) < least_rows) return unknown;
  const std::vector<double> columns = columns_of(rows, groups.rows.cols);
  return std::max(extent_from(groups, low, columns, rows.size()), extent_from(groups, high, columns, rows.size()));
}

double border_extent(const GroupMembers& groups, std::int64_t low, std::int64_t high) {
  const auto one = first_rows(groups, low, most_rows), other = first_rows(groups, high, most_rows);
  std::vector<double> from_one(one.size(), unknown), from_other(other.size(), unknown);
  const std::vector<double> columns = columns_of(other, groups.rows.cols);
  std::vector<double> squares(other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    squares_from(one[i], columns, groups.rows.cols, squares);
    for (std::size_t j = 0; j < other.size(); ++j) {
      from_one[i] = std::min(from_one[i], squares[j]);
      from_other[j] = std::min(from_other[j], squares[j]);
    }
  }
  const double share =
      std::max(share_at_border(one, from_one, groups.rows.cols), share_at_border(other, from_other, groups.rows.cols));
  return 1 / (1 - std::min(share, most_share));
}

double mean_log_reach(const MatrixView<double>& rows, std::int64_t near, double least_square) {
  const std::int64_t n = rows.rows;
  std::vector<const double*> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(rows.row(i));
  const std::vector<double> columns = columns_of(all, rows.cols);
  std::vector<double> squares(all.size());
  std::vector<double> nearest(static_cast<std::size_t>(near) + 1);  // rising; the row itself is at 0
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    squares_from(rows.row(i), columns, rows.cols, squares);
    std::fill(nearest.begin(), nearest.end(), unknown);
    for (const double square : squares) {
      if (square >= nearest.back()) continue;
      std::size_t at = nearest.size() - 1;
      for (; at > 0 && nearest[at - 1] > square; --at) nearest[at] = nearest[at - 1];
      nearest[at] = square;
    }
    sum += std::log(std::max(nearest.back(), least_square));
  }
  return sum / static_cast<double>(n) / 2;
}

double line_valley(const double* along, std::int64_t n, double first, double last, std::int64_t window, double nothing) {
  // the density is the inverse of the gap that `window` numbers take: peaks are the least gaps on either side
  const std::int64_t n_gaps = n - window;
  std::vector<double> gaps(static_cast<std::size_t>(std::max<std::int64_t>(n_gaps, 0))), right(gaps);
  double least = unknown;
  for (std::int64_t i = n_gaps - 1; i >= 0; --i) {
    gaps[i] = std::max(along[i + window] - along[i], std::numeric_limits<double>::min());
    right[i] = least = std::min(least, gaps[i]);
  }
  double left = unknown, deepest = 0;
  for (std::int64_t i = 0; i < n_gaps; ++i) {
    left = std::min(left, gaps[i]);
    const double place = along[i] + along[i + window];
    if (place >= 2 * first && place <= 2 * last) deepest = std::max(deepest, gaps[i] / std::max(left, right[i]));
  }
  return deepest > 0 ? std::log(deepest) * std::sqrt(static_cast<double>(window) / 2) : nothing;
}

namespace {

constexpr std::int64_t rows_at_once = 4;  // so that a cell of the scatter is read and written once for all of them

// Adds the products of so many rows to the upper triangle of a scatter, one row after the other in each cell.
template <std::int64_t Count>
void add_products(const double* centred, std::int64_t d, double* scatter) {
  for (std::int64_t t = 0; t < d; ++t) {
    double* cells = scatter + t * d;
    for (std::int64_t u = t; u < d; ++u) {
      double sum = cells[u];
      for (std::int64_t r = 0; r < Count; ++r) sum += centred[r * d + t] * centred[r * d + u];
      cells[u] = sum;
    }
  }
}

// The scatter of the rows of one half about their mean.
void add_scatter(const MatrixView<double>& rows, const std::uint8_t* is_first, std::int64_t half, const double* mean,
                 double* scatter) {
  const std::int64_t d = rows.cols;
  std::vector<double> centred(static_cast<std::size_t>(rows_at_once * d));
  std::int64_t n_waiting = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if ((is_first[i] ? 0 : 1) != half) continue;
    for (std::int64_t t = 0; t < d; ++t) centred[n_waiting * d + t] = rows.row(i)[t] - mean[t];
    if (++n_waiting < rows_at_once) continue;
    add_products<rows_at_once>(centred.data(), d, scatter);
    n_waiting = 0;
  }
  for (std::int64_t r = 0; r < n_waiting; ++r) add_products<1>(centred.data() + r * d, d, scatter);
  for (std::int64_t t = 0; t < d; ++t)
    for (std::int64_t u = 0; u < t; ++u) scatter[t * d + u] = scatter[u * d + t];
}

}  // namespace

void sum_halves(const MatrixView<double>& rows, const std::uint8_t* is_first, const HalfSums& sums) {
  const std::int64_t d = rows.cols;
  std::fill_n(sums.counts, 2, 0.0);
  std::fill_n(sums.means, 2 * d, 0.0);
  std::fill_n(sums.scatters, 2 * d * d, 0.0);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::int64_t half = is_first[i] ? 0 : 1;
    sums.counts[half] += 1;
    for (std::int64_t t = 0; t < d; ++t) sums.means[half * d + t] += rows.row(i)[t];
  }
  for (std::int64_t half = 0; half < 2; ++half)
    for (std::int64_t t = 0; t < d; ++t) sums.means[half * d + t] /= std::max(sums.counts[half], 1.0);
  for (std::int64_t half = 0; half < 2; ++half) add_scatter(rows, is_first, half, sums.means + half * d, sums.scatters + half * d * d);
}

std::vector<double> hill_rises(const std::int64_t* edges, const double* heights, std::int64_t n_edges, const double* peaks,
                               std::int64_t n_rows) {
  std::vector<std::int64_t> parent(static_cast<std::size_t>(n_rows));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int64_t row) {
    while (parent[row] != row) row = parent[row] = parent[parent[row]];
    return row;
  };
  std::vector<double> rises(static_cast<std::size_t>(n_edges));
  for (std::int64_t i = 0; i < n_edges; ++i) {
    std::int64_t high = root(edges[2 * i]), low = root(edges[2 * i + 1]);
    if (peaks[high] < peaks[low]) std::swap(high, low);  // the name of a hill is its peak
    rises[i] = std::max(peaks[low] - heights[i], 0.0);
    parent[low] = high;
  }
  return rises;
}

std::vector<std::int32_t> forest_parts(const std::int64_t* edges, const std::uint8_t* is_kept, std::int64_t n_edges,
                                       std::int64_t n_rows) {
  UnionFind sets(n_rows);
  for (std::int64_t e = 0; e < n_edges; ++e)
    if (is_kept[e]) sets.unite(static_cast<std::int32_t>(edges[2 * e]), static_cast<std::int32_t>(edges[2 * e + 1]));
  std::vector<std::int32_t> part(static_cast<std::size_t>(n_rows));
  std::int32_t n_parts = 0;
  for (std::int32_t i = 0; i < n_rows; ++i) {  // the lowest row of a set is its name, and comes first
    const std::int32_t first = sets.find(i);
    part[i] = first == i ? n_parts++ : part[first];
  }
  return part;
}

}  // namespace coterie
