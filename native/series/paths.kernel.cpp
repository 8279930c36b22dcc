// The steps of best DTW paths, and the derivative of soft-DTW: what a table of pairs of points gives when it is walked back.
#include "engine.h"
#include "series/elastic_rules.h"
#include "support/scratch.h"

namespace coterie::COTERIE_ISA {
namespace {

// Lanes are told apart by their lengths when the table is walked; bands are those of each lane.
COTERIE_INLINE void lane_bands(const ElasticTask& task, Lanes& low, Lanes& high) {
  double below[series_lanes], above[series_lanes];
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) {
    const Band band = band_of(task.n, task.lengths[lane], task.options->radius);
    below[lane] = -static_cast<double>(band.below);
    above[lane] = static_cast<double>(band.above);
  }
  low = load_lanes(below);
  high = load_lanes(above);
}

template <bool one_column>
void find_steps_of(const PathTask& path, double* row) {
  const ElasticTask& task = path.elastic;
  const DtwRule<one_column> rule(task);
  Lanes low, high;
  lane_bands(task, low, high);
  for (std::int64_t at = 0; at < (task.longest + 1) * series_lanes; ++at) row[at] = at < series_lanes ? 0.0 : out_of_reach;
  for (std::int64_t i = 0; i < task.n; ++i) {
    Lanes diagonal = load_lanes(row), left = all_lanes(out_of_reach);
    store_lanes(row, left);
    for (std::int64_t j = 0; j < task.longest; ++j) {
      double* at = row + (j + 1) * series_lanes;
      const Lanes above = load_lanes(at);
      const double* y = task.pack + j * task.columns * series_lanes;
      const double* x = task.x + i * task.columns;
      const Cell cell = {x, x, y, y, i, j};
      const Doubles shift = broadcast(static_cast<double>(j - i));
      std::uint32_t steps = 0;
      for (int v = 0; v < series_vectors; ++v) {
        // of equal ways the diagonal comes first, then the row above
        const Mask<double> is_diagonal = (diagonal.part[v] <= above.part[v]) & (diagonal.part[v] <= left.part[v]);
        const Mask<double> is_above = above.part[v] <= left.part[v];
        steps |= lane_bits<double>(is_diagonal) << (v * lanes<double>);
        steps |= lane_bits<double>(is_above) << (series_lanes + v * lanes<double>);
        const Doubles value = rule(diagonal.part[v], above.part[v], left.part[v], cell, v);
        left.part[v] = (shift >= low.part[v]) & (shift <= high.part[v]) ? value : broadcast(out_of_reach);
      }
      store_lanes(at, left);
      path.steps[i * task.longest + j] = steps;
      diagonal = above;
    }
  }
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) task.results[lane] = row[task.lengths[lane] * series_lanes + lane];
}

void find_steps(const PathTask& path) {
  const Scratch<double> row((path.elastic.longest + 1) * series_lanes);
  path.elastic.columns == 1 ? find_steps_of<true>(path, row.data()) : find_steps_of<false>(path, row.data());
}

// Soft minima of all cells, forwards: value[i][j], with a border above and to the left.
template <bool one_column>
COTERIE_INLINE void fill_values(const ElasticTask& task, const SoftDtwRule<one_column>& rule, double* values) {
  const std::int64_t stride = (task.longest + 1) * series_lanes;
  for (std::int64_t at = 0; at < stride; ++at) values[at] = at < series_lanes ? 0.0 : far_away;
  for (std::int64_t i = 0; i < task.n; ++i) {
    const double* above = values + i * stride;
    double* row = values + (i + 1) * stride;
    store_lanes(row, all_lanes(far_away));
    const double* x = task.x + i * task.columns;
    for (std::int64_t j = 0; j < task.longest; ++j) {
      const double* y = task.pack + j * task.columns * series_lanes;
      const Cell cell = {x, x, y, y, i, j};
      const std::int64_t at = j * series_lanes;
      for (int v = 0; v < series_vectors; ++v) {
        const std::int64_t part = at + v * lanes<double>;
        store(row + part + series_lanes, rule(load(above + part), load(above + part + series_lanes), load(row + part), cell, v));
      }
    }
  }
}

// The share of a cell in the soft minimum of a later one, times that one's weight.
template <bool one_column>
COTERIE_INLINE Doubles passed_on(const SoftDtwRule<one_column>& rule, Doubles weight, Doubles later, Doubles own, Doubles cost) {
  const Doubles exponent = ((later - cost) - own) * rule.inverse;
  return weight * exponential(minimum<double>(exponent, Doubles{}));
}

// Weights of the cells, backwards, a row at a time, and with them the derivative.
template <bool one_column>
COTERIE_INLINE void walk_back(const GradientTask& job, const SoftDtwRule<one_column>& rule, const double* values, double* weights) {
  const ElasticTask& task = job.elastic;
  const std::int64_t stride = (task.longest + 1) * series_lanes;
  double lengths[series_lanes];
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) lengths[lane] = static_cast<double>(task.lengths[lane]);
  const Lanes ends = load_lanes(lengths);
  for (std::int64_t at = 0; at < 2 * stride; ++at) weights[at] = 0;
  for (std::int64_t i = task.n - 1; i >= 0; --i) {
    const double* own = values + (i + 1) * stride;
    const double* below = own + stride;  // not read in the last row, whose weights below are zero
    double* row = weights + (i % 2) * stride;
    const double* next = weights + ((i + 1) % 2) * stride;
    const double *x = task.x + i * task.columns, *x_next = i + 1 < task.n ? x + task.columns : x;
    store_lanes(row + task.longest * series_lanes, all_lanes(0));
    for (std::int64_t j = task.longest - 1; j >= 0; --j) {
      const bool is_last_row = i + 1 == task.n, is_last_column = j + 1 == task.longest;
      const double* y = task.pack + j * task.columns * series_lanes;
      const double* y_next = is_last_column ? y : y + task.columns * series_lanes;
      for (int v = 0; v < series_vectors; ++v) {
        const std::int64_t at = (j + 1) * series_lanes + v * lanes<double>, after = at + series_lanes;
        const Doubles value = load(own + at);
        Doubles weight = {};
        if (!is_last_row)
          weight +=
              passed_on(rule, load(next + at - series_lanes), load(below + at), value, rule.cost({x_next, x_next, y, y, i, j}, v));
        if (!is_last_column) {
          weight += passed_on(rule, load(row + at), load(own + after), value, rule.cost({x, x, y_next, y, i, j}, v));
          if (!is_last_row)
            weight += passed_on(rule, load(next + at), load(below + after), value, rule.cost({x_next, x, y_next, y, i, j}, v));
        }
        const Doubles column = broadcast(static_cast<double>(j + 1));
        if (is_last_row) weight = column == ends.part[v] ? Doubles{} + 1.0 : weight;
        weight = column <= ends.part[v] ? weight : Doubles{};
        store(row + at - series_lanes, weight);
        for (std::int64_t c = 0; c < task.columns; ++c) {
          double* sum = job.gradient + (i * task.columns + c) * series_lanes + v * lanes<double>;
          store(sum, load(sum) + 2.0 * weight * (broadcast(x[c]) - load(y + c * series_lanes + v * lanes<double>)));
        }
      }
    }
  }
}

template <bool one_column>
void differentiate_of(const GradientTask& job) {
  const ElasticTask& task = job.elastic;
  const SoftDtwRule<one_column> rule(task);
  const std::int64_t stride = (task.longest + 1) * series_lanes;
  const Scratch<double> values((task.n + 1) * stride), weights(2 * stride);
  for (std::int64_t at = 0; at < task.n * task.columns * series_lanes; ++at) job.gradient[at] = 0;
  fill_values(task, rule, values.data());
  for (std::int64_t lane = 0; lane < series_lanes; ++lane)
    task.results[lane] = values[task.n * stride + task.lengths[lane] * series_lanes + lane];
  walk_back(job, rule, values.data(), weights.data());
}

void differentiate(const GradientTask& job) { job.elastic.columns == 1 ? differentiate_of<true>(job) : differentiate_of<false>(job); }

}  // namespace

void install_paths(Engine& engine) {
  engine.series.find_steps = find_steps;
  engine.series.differentiate = differentiate;
}

}  // namespace coterie::COTERIE_ISA
