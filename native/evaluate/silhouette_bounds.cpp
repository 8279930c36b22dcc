#include "evaluate/silhouette_bounds.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "evaluate/group_moments.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_task = 256;
constexpr std::int64_t rows_per_column = 4;  // of a group: with fewer, its whole scatter costs too much to be asked row by row
constexpr double least_excess = 1e-2;        // of a square over the mean square: below, c would be rounding
constexpr double infinity = std::numeric_limits<double>::infinity();
// Higher moments are asked where they are far above rounding: of u^2, of the largest 1 + u, of the least 1 + u that stands for many.
constexpr double least_variance = 1e-3, most_excess = 50, least_ratio = 0.02;

// A term of a higher moment takes as long as so many products of pairs: measured with AVX-512.
template <class T>
constexpr double products_per_term = sizeof(T) == 8 ? 8 : 16;

// Bounds are widened by more than rounding can change them.
template <class T>
constexpr double slack = sizeof(T) == 8 ? 1e-9 : 1e-3;

struct Bounds {
  double lower, upper;
};

// From D and the mean V of u^2, or more.
template <bool is_wide>
Bounds bounds_of_two(const DistanceMoments& of) {
  const double root = std::sqrt(of.mean), square = of.mean * of.mean, v = square > 0 ? of.second / square : infinity;
  const double lower = std::max(of.distance, root / std::sqrt(1 + v));
  const double most = of.largest / of.mean - 1;
  if (is_wide || !(most > least_excess) || !(v < infinity)) return {lower, root};
  return {lower, root * (1 - v * (1 + most / 2 - std::sqrt(1 + most)) / (most * most))};
}

// The mean of f over the two numbers that have the same mean, second and third central moments as a distribution.
template <class F>
double two_point_mean(double mean, double second, double third, const F& f) {
  const double skew = third / second, apart = std::sqrt(skew * skew + 4 * second);
  const double farther = (skew < 0 ? skew - apart : skew + apart) / 2, nearer = -second / farther;
  return (farther * f(mean + nearer) - nearer * f(mean + farther)) / (farther - nearer);
}

// From the means of u^2, u^3 and u^4, where rounding does not matter to them.
Bounds bounds_of_four(const DistanceMoments& of) {
  const Bounds known = bounds_of_two<false>(of);
  const double square = of.mean * of.mean, v = of.second / square, third = of.third / (square * of.mean),
               fourth = of.fourth / square / square;
  const double second_of_weighted = v + third - v * v;
  const double third_of_weighted = third + fourth - 3 * v * (v + third) + 2 * v * v * v;
  const bool is_sound = v > least_variance && of.largest < most_excess * of.mean && second_of_weighted > least_variance * v;
  if (!is_sound) return known;
  const double root = std::sqrt(of.mean);
  const double upper = root * two_point_mean(0, v, third, [](double u) { return std::sqrt(std::max(0.0, 1 + u)); });
  const double lower = root * two_point_mean(v, second_of_weighted, third_of_weighted,
                                             [](double u) { return 1 / std::sqrt(std::max(least_ratio, 1 + u)); });
  if (!(lower <= upper)) return known;
  return {std::max(lower, known.lower), std::min(upper, known.upper)};
}

// The largest coordinate: rounding of means is a share of it.
template <class T>
double reach(const MatrixView<T>& rows) {
  T most = 0;
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t t = 0; t < rows.cols; ++t) most = std::max(most, std::abs(rows.row(i)[t]));
  return static_cast<double>(most) * std::sqrt(static_cast<double>(rows.cols));
}

template <class T>
MatrixView<T> rows_of_group(const GroupedRows<T>& given, std::int64_t group) {
  return {given.rows.row(given.starts[group]), given.starts[group + 1] - given.starts[group], given.rows.cols, given.rows.stride};
}

// Of every group.
template <class M, class T, class Make>
std::vector<M> moments_of(const GroupedRows<T>& given, int threads, const Make& make) {
  std::vector<std::vector<M>> parts(static_cast<std::size_t>(given.n_groups));
  parallel_for(given.n_groups, threads, [&](std::int64_t g, int) { parts[static_cast<std::size_t>(g)].push_back(make(g)); });
  std::vector<M> moments;
  for (std::vector<M>& part : parts) moments.push_back(std::move(part.front()));
  return moments;
}

// Of the groups that are possible for one row, leaves those that the bounds allow; bounds of group g are at bounds[g * stride].
void mark(const Bounds* bounds, std::int64_t stride, std::int64_t n_groups, double slack, double rounding, std::uint8_t* possible) {
  double limit = infinity;
  for (std::int64_t g = 0; g < n_groups; ++g)
    if (possible[g] != 0) limit = std::min(limit, bounds[g * stride].upper);
  limit = limit * (1 + slack) + rounding;
  for (std::int64_t g = 0; g < n_groups; ++g) possible[g] = possible[g] != 0 && bounds[g * stride].lower <= limit;
}

template <class T>
class Possible {
 public:
  Possible(const GroupedRows<T>& given, int threads)
      : given_(given),
        threads_(threads),
        k_(given.n_groups),
        is_wide_(given.rows.cols * rows_per_column * given.n_groups > given.rows.rows),
        rounding_(4 * std::numeric_limits<T>::epsilon() * reach(given.rows)),
        moments_(moments_of<Moments>(given, threads, [&](std::int64_t g) { return Moments(rows_of_group(given, g), is_wide_); })),
        possible_(static_cast<std::size_t>(given.rows.rows * k_), std::uint8_t{1}) {}

  std::vector<std::uint8_t> find() {
    for_all_tasks([&](Range range) { is_wide_ ? ask_all<true>(range) : ask_all<false>(range); });
    if (!is_wide_ && is_narrowing_worthwhile()) {
      higher_ = moments_of<HigherMoments>(given_, threads_, [&](std::int64_t g) {
        return HigherMoments(rows_of_group(given_, g), moments_[static_cast<std::size_t>(g)]);
      });
      for_all_tasks([&](Range range) { ask_undecided(range); });
    }
    return std::move(possible_);
  }

 private:
  template <class Body>
  void for_all_tasks(const Body& body) const {
    parallel_for(block_count(given_.rows.rows, rows_per_task), threads_,
                 [&](std::int64_t task, int) { body(block_range(given_.rows.rows, rows_per_task, task)); });
  }

  std::uint8_t* possible(std::int64_t row) { return possible_.data() + row * k_; }
  std::size_t cols() const { return static_cast<std::size_t>(given_.rows.cols); }

  // Numbers of `count` rows, the last of which fills the lanes that are left.
  void load(const std::int64_t* rows, int count, std::vector<Lanes>& at) const {
    for (int lane = 0; lane < row_lanes; ++lane) {
      const T* row = given_.rows.row(rows[std::min(lane, count - 1)]);
      for (std::size_t t = 0; t < at.size(); ++t) at[t].set(lane, static_cast<double>(row[t]));
    }
  }

  template <bool is_wide>
  void ask_all(Range range) {
    std::vector<Lanes> at(cols()), away(cols());
    std::vector<Bounds> bounds(static_cast<std::size_t>(k_ * row_lanes));
    DistanceMoments measured[row_lanes];
    std::int64_t rows[row_lanes];
    for (std::int64_t first = range.begin; first < range.end; first += row_lanes) {
      const int count = static_cast<int>(std::min<std::int64_t>(row_lanes, range.end - first));
      for (int lane = 0; lane < count; ++lane) rows[lane] = first + lane;
      load(rows, count, at);
      for (std::int64_t g = 0; g < k_; ++g) {
        moments_[static_cast<std::size_t>(g)].measure(at, away, measured);
        for (int lane = 0; lane < row_lanes; ++lane)
          bounds[static_cast<std::size_t>(g * row_lanes + lane)] = bounds_of_two<is_wide>(measured[lane]);
      }
      for (int lane = 0; lane < count; ++lane) {
        possible(first + lane)[std::upper_bound(given_.starts, given_.starts + k_, first + lane) - given_.starts - 1] = 0;
        mark(bounds.data() + lane, row_lanes, k_, slack<T>, rounding_, possible(first + lane));
      }
    }
  }

  std::int64_t n_possible(std::int64_t row) { return std::accumulate(possible(row), possible(row) + k_, std::int64_t{0}); }

  // Whether all pairs of rows and groups that are possible, but for the largest of a row, take longer than higher moments.
  bool is_narrowing_worthwhile() {
    double pairs = 0, asked = 0;
    for (std::int64_t i = 0; i < given_.rows.rows; ++i) {
      const std::int64_t count = n_possible(i);
      if (count < 2) continue;
      asked += static_cast<double>(count);
      double largest = 0;
      for (std::int64_t g = 0; g < k_; ++g) {
        const double size = possible(i)[g] != 0 ? static_cast<double>(given_.starts[g + 1] - given_.starts[g]) : 0;
        pairs += size;
        largest = std::max(largest, size);
      }
      pairs -= largest;
    }
    const double terms = HigherMoments::terms(given_.rows.cols), rows = static_cast<double>(given_.rows.rows),
                 columns = static_cast<double>(given_.rows.cols);
    return terms * static_cast<double>(k_) <= rows * columns && pairs * columns > products_per_term<T> * terms * (rows + asked);
  }

  // Rows of several possible groups again.
  void ask_undecided(Range range) {
    std::vector<Lanes> at(cols()), away(cols());
    std::vector<Bounds> bounds(static_cast<std::size_t>(range.size() * k_));
    DistanceMoments measured[row_lanes];
    std::vector<std::int64_t> undecided, asking;
    for (std::int64_t i = range.begin; i < range.end; ++i)
      if (n_possible(i) > 1) undecided.push_back(i);
    for (std::int64_t g = 0; g < k_; ++g) {
      asking.clear();
      std::copy_if(undecided.begin(), undecided.end(), std::back_inserter(asking),
                   [&](std::int64_t i) { return possible(i)[g] != 0; });
      for (std::size_t first = 0; first < asking.size(); first += row_lanes) {
        const int count = static_cast<int>(std::min<std::size_t>(row_lanes, asking.size() - first));
        load(asking.data() + first, count, at);
        moments_[static_cast<std::size_t>(g)].measure(at, away, measured);
        higher_[static_cast<std::size_t>(g)].measure(away, measured);
        for (int lane = 0; lane < count; ++lane)
          bounds[static_cast<std::size_t>((asking[first + static_cast<std::size_t>(lane)] - range.begin) * k_ + g)] =
              bounds_of_four(measured[lane]);
      }
    }
    for (const std::int64_t i : undecided) mark(bounds.data() + (i - range.begin) * k_, 1, k_, slack<T>, rounding_, possible(i));
  }

  const GroupedRows<T>& given_;
  int threads_;
  std::int64_t k_;
  bool is_wide_;
  double rounding_;
  std::vector<Moments> moments_;
  std::vector<HigherMoments> higher_;
  std::vector<std::uint8_t> possible_;
};

}  // namespace

template <class T>
std::vector<std::uint8_t> possible_neighbours(const GroupedRows<T>& given, int threads) {
  return Possible<T>(given, threads).find();
}

template std::vector<std::uint8_t> possible_neighbours<float>(const GroupedRows<float>&, int);
template std::vector<std::uint8_t> possible_neighbours<double>(const GroupedRows<double>&, int);

}  // namespace coterie
