#include "distance/barycentres.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "distance/powers.h"
#include "support/cpu_dispatch.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t features_per_task = 4;  // gathered together: a row's neighbours share a cache line
constexpr std::int64_t summed_features = 8;    // of a task that adds rows up
constexpr std::int64_t summed_rows = 1 << 16;  // between two looks at the clock

// Distinct values in rising order, each with the weight of all its copies.
struct Run {
  double value, weight;
};

std::vector<Run> runs_of(const WeightedValues& points) {
  std::vector<Run> runs(static_cast<std::size_t>(points.count));
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = {points.values[i], points.weights == nullptr ? 1 : points.weights[i]};
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return stands_before(a.value, b.value); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].value == runs[last].value)
      runs[last].weight += runs[i].weight;
    else
      runs[++last] = runs[i];
  }
  runs.resize(last + 1);
  return runs;
}

double median_of(const WeightedValues& points) {
  if (points.weights == nullptr) {
    std::vector<double> values(points.values, points.values + points.count);
    const auto middle = values.begin() + (points.count - 1) / 2;
    std::nth_element(values.begin(), middle, values.end(), [](double a, double b) { return stands_before(a, b); });
    return *middle;
  }
  const std::vector<Run> runs = runs_of(points);
  double all = 0, passed = 0;
  for (const Run& run : runs) all += run.weight;
  for (const Run& run : runs) {
    passed += run.weight;
    if (passed >= all / 2) return run.value;
  }
  return runs.back().value;
}

double mode_of(const WeightedValues& points) {
  const std::vector<Run> runs = runs_of(points);
  return std::max_element(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.weight < b.weight; })->value;
}

// Where the pull of the points changes sign: false position that halves the stale end (Illinois), a bisection in every
// third step. On values scaled to [0, 1], so that no power overflows.
double scaled_p_centre(const WeightedValues& points, double p) {
  const auto pull = engine().powers.pull;
  double low = 0, high = 1, low_pull = pull(points, 0, p - 1), high_pull = pull(points, 1, p - 1);
  constexpr int most_steps = 200;
  for (int step = 1, side = 0; step <= most_steps && high - low > std::numeric_limits<double>::epsilon() * high; ++step) {
    const double secant = (low * high_pull - high * low_pull) / (high_pull - low_pull);
    const double middle = step % 3 != 0 && secant > low && secant < high ? secant : low + (high - low) / 2;
    const double middle_pull = pull(points, middle, p - 1);
    if (middle_pull == 0 || middle == low || middle == high) return middle;
    if (middle_pull > 0) {
      high = middle, high_pull = middle_pull;
      low_pull = side == 1 ? low_pull / 2 : low_pull;
      side = 1;
    } else {
      low = middle, low_pull = middle_pull;
      high_pull = side == -1 ? high_pull / 2 : high_pull;
      side = -1;
    }
  }
  return low + (high - low) / 2;
}

double p_centre_of(const WeightedValues& points, double p) {
  const auto [least, greatest] = std::minmax_element(points.values, points.values + points.count);
  const double origin = *least, range = *greatest - origin;
  if (range == 0) return origin;
  std::vector<double> scaled(points.values, points.values + points.count);
  for (double& value : scaled) value = (value - origin) / range;
  return origin + range * scaled_p_centre({scaled.data(), points.weights, points.count}, p);
}

double barycentre_of(const WeightedValues& points, Barycentre kind, double p) {
  switch (kind) {
    case Barycentre::mean:
      break;  // means are sums of rows: see means_of
    case Barycentre::median:
      return median_of(points);
    case Barycentre::mode:
      return mode_of(points);
    case Barycentre::p_centre:
      return p_centre_of(points, p);
  }
  return 0;
}

template <class T>
bool counts(const LabelledRows<T>& rows, std::int64_t i) {
  return rows.labels[i] >= 0 && (rows.weights == nullptr || rows.weights[i] > 0);
}

// Rows that count, cluster by cluster, in their order.
struct Members {
  std::vector<std::int64_t> starts, rows;

  template <class T>
  Members(const LabelledRows<T>& from, std::int64_t n_clusters) : starts(static_cast<std::size_t>(n_clusters) + 1, 0) {
    for (std::int64_t i = 0; i < from.X.rows; ++i)
      if (counts(from, i)) ++starts[static_cast<std::size_t>(from.labels[i]) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    rows.resize(static_cast<std::size_t>(starts.back()));
    std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
    for (std::int64_t i = 0; i < from.X.rows; ++i)
      if (counts(from, i)) rows[static_cast<std::size_t>(next[static_cast<std::size_t>(from.labels[i])]++)] = i;
  }

  const std::int64_t* begin(std::int64_t cluster) const { return rows.data() + starts[static_cast<std::size_t>(cluster)]; }
  std::int64_t size(std::int64_t cluster) const {
    return starts[static_cast<std::size_t>(cluster) + 1] - starts[static_cast<std::size_t>(cluster)];
  }
};

// Each row is added to the sums of its cluster as it comes: nothing is gathered.
template <class T>
void means_of(const LabelledRows<T>& rows, int threads, const MutableMatrixView<T>& out) {
  std::vector<double> totals(static_cast<std::size_t>(out.rows));
  for (std::int64_t i = 0; i < rows.X.rows; ++i)
    if (counts(rows, i)) totals[static_cast<std::size_t>(rows.labels[i])] += rows.weights == nullptr ? 1 : rows.weights[i];
  parallel_for(block_count(out.cols, summed_features), threads, [&](std::int64_t task, int) {
    const Range features = block_range(out.cols, summed_features, task);
    std::vector<double> sums(static_cast<std::size_t>(out.rows * summed_features));
    for (std::int64_t i = 0; i < rows.X.rows; ++i) {
      if (i % summed_rows == 0) check_interrupt();
      if (!counts(rows, i)) continue;
      const double weight = rows.weights == nullptr ? 1 : rows.weights[i];
      const T* row = rows.X.row(i) + features.begin;
      double* sum = sums.data() + rows.labels[i] * summed_features;
      for (std::int64_t t = 0; t < features.size(); ++t) sum[t] += static_cast<double>(row[t]) * weight;
    }
    for (std::int64_t cluster = 0; cluster < out.rows; ++cluster)
      for (std::int64_t t = 0; t < features.size(); ++t)  // NaN without rows: 0 / 0
        out.row(cluster)[features.begin + t] =
            static_cast<T>(sums[static_cast<std::size_t>(cluster * summed_features + t)] / totals[static_cast<std::size_t>(cluster)]);
  });
}

}  // namespace

template <class T>
void barycentres(const LabelledRows<T>& rows, Barycentre kind, double p, int threads, const MutableMatrixView<T>& out) {
  if (kind == Barycentre::mean) return means_of(rows, threads, out);
  const Members members(rows, out.rows);
  const std::int64_t blocks = block_count(out.cols, features_per_task);
  parallel_for(out.rows * blocks, threads, [&](std::int64_t task, int) {
    const std::int64_t cluster = task / blocks, count = members.size(cluster);
    const Range features = block_range(out.cols, features_per_task, task % blocks);
    std::vector<double> values(static_cast<std::size_t>(features.size() * count)), weights;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = members.begin(cluster)[i];
      if (rows.weights != nullptr) weights.push_back(rows.weights[row]);
      for (std::int64_t t = 0; t < features.size(); ++t)
        values[static_cast<std::size_t>(t * count + i)] = static_cast<double>(rows.X.row(row)[features.begin + t]);
    }
    for (std::int64_t t = 0; t < features.size(); ++t) {
      check_interrupt();
      const WeightedValues points = {values.data() + t * count, rows.weights == nullptr ? nullptr : weights.data(), count};
      const double centre = count == 0 ? std::numeric_limits<double>::quiet_NaN() : barycentre_of(points, kind, p);
      out.row(cluster)[features.begin + t] = static_cast<T>(centre);
    }
  });
}

template void barycentres<float>(const LabelledRows<float>&, Barycentre, double, int, const MutableMatrixView<float>&);
template void barycentres<double>(const LabelledRows<double>&, Barycentre, double, int, const MutableMatrixView<double>&);

}  // namespace coterie
