// Nearest series by DTW: cheap lower bounds first, then comparisons that stop once they cannot win.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "series/series.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {

void find_envelope(const double* values, std::int64_t n, std::int64_t columns, std::int64_t radius, double* low, double* high) {
  if (radius < 0 || radius > n) radius = n;
  std::deque<std::int64_t> least, greatest;  // candidates for either end of the window, best first
  for (std::int64_t c = 0; c < columns; ++c) {
    least.clear();
    greatest.clear();
    const auto value = [&](std::int64_t t) { return values[t * columns + c]; };
    for (std::int64_t t = 0; t < n + radius; ++t) {
      if (t < n) {
        while (!least.empty() && value(least.back()) >= value(t)) least.pop_back();
        while (!greatest.empty() && value(greatest.back()) <= value(t)) greatest.pop_back();
        least.push_back(t);
        greatest.push_back(t);
      }
      const std::int64_t middle = t - radius;
      if (middle < 0 || middle >= n) continue;
      while (least.front() < middle - radius) least.pop_front();
      while (greatest.front() < middle - radius) greatest.pop_front();
      low[middle * columns + c] = value(least.front());
      high[middle * columns + c] = value(greatest.front());
    }
  }
}

namespace {

constexpr double rounding = 1e-9;  // by so much of itself a bound may be too high

struct Envelopes {
  std::vector<double> low, high;
};

Envelopes envelopes_of(const SeriesView& series, std::int64_t radius, int threads) {
  const auto size = static_cast<std::size_t>(series.starts[series.count] * series.columns);
  Envelopes found{std::vector<double>(size), std::vector<double>(size)};
  parallel_for(series.count, threads, [&](std::int64_t i, int) {
    const std::int64_t at = series.starts[i] * series.columns;
    find_envelope(series.at(i), series.length(i), series.columns, radius, found.low.data() + at, found.high.data() + at);
  });
  return found;
}

double squared_gap(const double* a, const double* b, std::int64_t columns) {
  double sum = 0;
  for (std::int64_t c = 0; c < columns; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

// First points are matched, and last ones.
double bound_by_ends(const double* x, std::int64_t n, const double* y, std::int64_t m, std::int64_t columns) {
  const double first = squared_gap(x, y, columns);
  return n == 1 && m == 1 ? first : first + squared_gap(x + (n - 1) * columns, y + (m - 1) * columns, columns);
}

// The best so far, nearest first, of equals the lowest index.
class Best {
 public:
  explicit Best(std::int64_t k) : k_(static_cast<std::size_t>(k)) {}

  // The largest accumulated cost whose root may still belong to the list.
  double bound() const {
    if (list_.size() < k_) return std::numeric_limits<double>::infinity();
    return list_.back().first * list_.back().first * (1 + 4 * std::numeric_limits<double>::epsilon());
  }
  void offer(double distance, std::int64_t index) {
    const std::pair<double, std::int64_t> entry(distance, index);
    if (list_.size() == k_ && !(entry < list_.back())) return;
    list_.insert(std::upper_bound(list_.begin(), list_.end(), entry), entry);
    if (list_.size() > k_) list_.pop_back();
  }
  const std::vector<std::pair<double, std::int64_t>>& list() const { return list_; }

 private:
  std::size_t k_;
  std::vector<std::pair<double, std::int64_t>> list_;
};

// What is not a number has no place in an order.
double number_or_0(double bound) { return std::isnan(bound) ? 0.0 : bound; }

struct Candidate {
  double bound, ends;
  std::int64_t index;
};

struct Search {
  const SeriesView &X, &Y;
  const ElasticOptions& options;
  const Envelopes &of_x, &of_y;

  double bound_by_envelopes(std::int64_t i, std::int64_t j) const {
    const std::int64_t size = X.length(i) * X.columns, x = X.starts[i] * X.columns, y = Y.starts[j] * Y.columns;
    const auto& leave = engine().series.leave_envelope;
    return std::max(leave(X.at(i), of_y.low.data() + y, of_y.high.data() + y, size),
                    leave(Y.at(j), of_x.low.data() + x, of_x.high.data() + x, size));
  }

  // Candidates by their bounds, the least first: the nearest are likely to come early, and rule out the others.
  std::vector<Candidate> candidates(std::int64_t i) const {
    std::vector<Candidate> found;
    found.reserve(static_cast<std::size_t>(Y.count));
    for (std::int64_t j = 0; j < Y.count; ++j) {
      const double ends = bound_by_ends(X.at(i), X.length(i), Y.at(j), Y.length(j), X.columns);
      const double bound = X.length(i) == Y.length(j) ? std::max(ends, bound_by_envelopes(i, j)) : ends;
      found.push_back({number_or_0(bound) * (1 - rounding), number_or_0(ends) * (1 - rounding), j});
    }
    std::sort(found.begin(), found.end(),
              [](const Candidate& a, const Candidate& b) { return a.bound != b.bound ? a.bound < b.bound : a.index < b.index; });
    return found;
  }

  void compare(std::int64_t i, const std::vector<std::int64_t>& pending, Best& best) const {
    SeriesPack pack;
    pack.fill(Y, pending.data(), static_cast<std::int64_t>(pending.size()));
    double results[series_lanes], bounds[series_lanes];
    std::fill(bounds, bounds + series_lanes, best.bound());
    ElasticTask task = pack.against(X.at(i), X.length(i), options, results);
    if (bounds[0] < std::numeric_limits<double>::infinity()) task.bounds = bounds;
    engine().series.compare(task);
    for (std::size_t lane = 0; lane < pending.size(); ++lane)
      if (results[lane] <= bounds[lane]) best.offer(std::sqrt(results[lane]), pending[lane]);
  }

  SearchCounts run(std::int64_t i, Best& best) const {
    SearchCounts counts;
    std::vector<std::int64_t> pending;
    for (const Candidate& candidate : candidates(i)) {
      ++counts.pairs;
      if (candidate.bound > best.bound()) {
        ++(candidate.ends > best.bound() ? counts.by_ends : counts.by_envelope);
      } else {
        ++counts.compared;
        pending.push_back(candidate.index);
      }
      if (static_cast<std::int64_t>(pending.size()) < series_lanes) continue;
      compare(i, pending, best);
      pending.clear();
    }
    if (!pending.empty()) compare(i, pending, best);
    return counts;
  }
};

}  // namespace

SearchCounts find_nearest_series(const SeriesView& X, const SeriesView& Y, std::int64_t k, std::int64_t radius, int threads,
                                 double* distances, std::int64_t* indices) {
  ElasticOptions options;
  options.radius = radius;
  const Envelopes of_x = envelopes_of(X, radius, threads), of_y = envelopes_of(Y, radius, threads);
  const Search search{X, Y, options, of_x, of_y};
  std::vector<SearchCounts> counts(static_cast<std::size_t>(X.count));
  parallel_for(X.count, threads, [&](std::int64_t i, int) {
    Best best(k);
    counts[static_cast<std::size_t>(i)] = search.run(i, best);
    for (std::int64_t at = 0; at < k; ++at) {  // fewer than k are there only if distances are not numbers
      const auto place = static_cast<std::size_t>(at);
      const bool is_there = place < best.list().size();
      distances[i * k + at] = is_there ? best.list()[place].first : std::numeric_limits<double>::infinity();
      indices[i * k + at] = is_there ? best.list()[place].second : 0;
    }
    check_interrupt();
  });
  SearchCounts total;
  for (const SearchCounts& one : counts)
    total = {total.pairs + one.pairs, total.by_ends + one.by_ends, total.by_envelope + one.by_envelope, total.compared + one.compared};
  return total;
}

}  // namespace coterie
