// Comparisons of one series with sixteen others, row by row of the table of their pairs of points.
#include "engine.h"
#include "series/elastic_rules.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t rows_between_looks = 64;  // whether the user asked to stop: a long row takes a tenth of a millisecond
constexpr std::int64_t narrow_band = 64;  // columns below which looking for cells to leave out costs more than they do

// The bands of the lanes, and the columns that any of them has.
struct LaneBands {
  Lanes low, high;  // j - i of a cell within the band
  std::int64_t below = 0, above = 0;
  bool are_equal = true;
};

LaneBands bands_of(const ElasticTask& task) {
  LaneBands bands;
  double low[series_lanes], high[series_lanes];
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) {
    const Band band = band_of(task.n, task.lengths[lane], task.options->radius);
    low[lane] = -static_cast<double>(band.below);
    high[lane] = static_cast<double>(band.above);
    bands.below = band.below > bands.below ? band.below : bands.below;
    bands.above = band.above > bands.above ? band.above : bands.above;
    bands.are_equal = bands.are_equal && task.lengths[lane] == task.lengths[0];
  }
  bands.low = load_lanes(low);
  bands.high = load_lanes(high);
  return bands;
}

COTERIE_INLINE void fill_lanes(double* row, std::int64_t begin, std::int64_t end, double value) {
  for (std::int64_t at = begin * series_lanes; at < end * series_lanes; ++at) row[at] = value;
}

// The table above its first row: entry 0 is the corner, entry j + 1 belongs to column j.
template <class Rule>
COTERIE_INLINE void begin_table(const ElasticTask& task, const Rule& rule, double* row) {
  fill_lanes(row, 0, task.longest + 1, Rule::infinite);
  fill_lanes(row, 0, 1, 0.0);
  rule.first_row(row, task.longest);
  const std::int64_t skipped = task.options->skip_begin[1];
  if (skipped > 0) fill_lanes(row, 1, (skipped < task.longest ? skipped : task.longest) + 1, 0.0);
}

// Beside column 0 of row i, after row i has been entered.
template <class Rule>
COTERIE_INLINE double beside(const ElasticTask& task, const Rule& rule, std::int64_t i) {
  const double cost = rule.first_column(i);
  return i < task.options->skip_begin[0] ? 0.0 : cost;
}

COTERIE_INLINE Cell cell_at(const ElasticTask& task, std::int64_t i, std::int64_t j) {
  const double* x = task.x + i * task.columns;
  const double* y = task.pack + j * task.columns * series_lanes;
  return {x, i > 0 ? x - task.columns : x, y, j > 0 ? y - task.columns * series_lanes : y, i, j};
}

// Whether any lane is at most its bound.
COTERIE_INLINE bool any_within(const Lanes& values, const Lanes& bounds) {
  std::uint32_t bits = 0;
  for (int v = 0; v < series_vectors; ++v) bits |= lane_bits<double>(values.part[v] <= bounds.part[v]);
  return bits != 0;
}

// Keeps the least of the cells in which a path may end; cells before column `begin` are those of earlier rows.
COTERIE_INLINE void end_paths(const ElasticTask& task, std::int64_t i, std::int64_t begin, const double* row, double* results) {
  const std::int64_t *skip = task.options->skip_end, last = task.n - 1;
  if (i < last - skip[0]) return;
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) {
    const std::int64_t end = task.lengths[lane];
    const double* cells = row + series_lanes + lane;
    results[lane] = lesser(results[lane], cells[(end - 1) * series_lanes]);
    for (std::int64_t j = end - 2; i == last && j >= begin && j >= end - 1 - skip[1]; --j)
      results[lane] = lesser(results[lane], cells[j * series_lanes]);
  }
}

// One row of the table, in place: columns [begin, end). Entries outside of its band stay as they are.
template <class Rule, bool masked>
COTERIE_INLINE void fill_row(const ElasticTask& task, const Rule& rule, const LaneBands& bands, std::int64_t i, std::int64_t begin,
                             std::int64_t end, Lanes diagonal, Lanes left, double* row) {
  for (std::int64_t j = begin; j < end; ++j) {
    double* at = row + (j + 1) * series_lanes;
    const Lanes above = load_lanes(at);
    const Cell cell = cell_at(task, i, j);
    for (int v = 0; v < series_vectors; ++v) {
      Doubles value = rule(diagonal.part[v], above.part[v], left.part[v], cell, v);
      if constexpr (masked) {
        const Doubles shift = broadcast(static_cast<double>(j - i));
        value = (shift >= bands.low.part[v]) & (shift <= bands.high.part[v]) ? value : broadcast(Rule::infinite);
      }
      left.part[v] = value;
    }
    store_lanes(at, left);
    diagonal = above;
  }
}

// The least of a row's cells in each lane.
COTERIE_INLINE Lanes least_of(const double* row, std::int64_t begin, std::int64_t end) {
  Lanes least = all_lanes(out_of_reach);
  for (std::int64_t j = begin; j < end; ++j) {
    const Lanes cells = load_lanes(row + (j + 1) * series_lanes);
    for (int v = 0; v < series_vectors; ++v) least.part[v] = minimum<double>(least.part[v], cells.part[v]);
  }
  return least;
}

// With `bounded`, rows end once no lane can end within its bound: costs only grow along a path.
template <class Rule, bool masked, bool bounded>
void compare_all(const ElasticTask& task, const LaneBands& bands, double* row) {
  const Rule rule(task);
  begin_table(task, rule, row);
  double corner = 0;
  for (std::int64_t i = 0; i < task.n; ++i) {
    if (i % rows_between_looks == rows_between_looks - 1) check_interrupt();
    const std::int64_t begin = greater<std::int64_t>(0, i - bands.below), end = lesser(task.longest, i + bands.above + 1);
    const Lanes diagonal = begin == 0 ? all_lanes(corner) : load_lanes(row + begin * series_lanes);
    corner = beside(task, rule, i);
    fill_row<Rule, masked>(task, rule, bands, i, begin, end, diagonal, all_lanes(begin == 0 ? corner : Rule::infinite), row);
    if (i == 0) fill_lanes(row, end + 1, task.longest + 1, Rule::infinite);
    if constexpr (bounded) {
      if (!any_within(least_of(row, begin, end), load_lanes(task.bounds))) return;
    }
    end_paths(task, i, begin, row, task.results);
  }
}

// The same for DTW of closed ends, leaving out cells from which no lane can end within its bound.
template <bool one_column, bool masked>
void compare_bounded(const ElasticTask& task, const LaneBands& bands, double* row) {
  const DtwRule<one_column> rule(task);
  begin_table(task, rule, row);
  const Lanes bounds = load_lanes(task.bounds), nowhere = all_lanes(out_of_reach);
  // columns of the row above that are within, and how many hold anything; above the first row there is the corner only
  std::int64_t first = 0, beyond = 0, written = 0;
  for (std::int64_t i = 0; i < task.n; ++i) {
    if (i % rows_between_looks == rows_between_looks - 1) check_interrupt();
    const std::int64_t begin = greater(first, i - bands.below), end = lesser(task.longest, i + bands.above + 1);
    Lanes diagonal = i == 0 ? all_lanes(0.0) : begin == 0 ? nowhere : load_lanes(row + begin * series_lanes), left = nowhere;
    std::int64_t next_first = end, next_beyond = begin, j = begin;
    for (; j < end; ++j) {
      double* at = row + (j + 1) * series_lanes;
      const Lanes above = load_lanes(at);
      const Cell cell = cell_at(task, i, j);
      for (int v = 0; v < series_vectors; ++v) {
        Doubles value = rule(diagonal.part[v], above.part[v], left.part[v], cell, v);
        if constexpr (masked) {
          const Doubles shift = broadcast(static_cast<double>(j - i));
          value = (shift >= bands.low.part[v]) & (shift <= bands.high.part[v]) ? value : broadcast(out_of_reach);
        }
        left.part[v] = value;
      }
      store_lanes(at, left);
      diagonal = above;
      if (any_within(left, bounds)) {
        if (next_first == end) next_first = j;
        next_beyond = j + 1;
      } else if (j >= beyond) {
        ++j;
        break;  // the row above has nothing here, and neither has this one
      }
    }
    if (next_beyond == begin && next_first == end) return;  // no lane is within its bound: results stay infinite
    fill_lanes(row, j + 1, written + 1, out_of_reach);
    written = j;
    first = next_first;
    beyond = next_beyond;
    end_paths(task, i, begin, row, task.results);
  }
}

template <class Rule, bool bounded>
void compare_by(const ElasticTask& task, const LaneBands& bands, double* row) {
  bands.are_equal ? compare_all<Rule, false, bounded>(task, bands, row) : compare_all<Rule, true, bounded>(task, bands, row);
}

template <bool one_column>
void compare_columns(const ElasticTask& task, const LaneBands& bands, double* row) {
  switch (task.options->kind) {
    case Elastic::dtw:
      if (task.bounds == nullptr) return compare_by<DtwRule<one_column>, false>(task, bands, row);
      if (bands.below + bands.above < narrow_band) return compare_by<DtwRule<one_column>, true>(task, bands, row);
      return bands.are_equal ? compare_bounded<one_column, false>(task, bands, row)
                             : compare_bounded<one_column, true>(task, bands, row);
    case Elastic::erp:
      return compare_by<ErpRule<one_column>, false>(task, bands, row);
    case Elastic::msm:
      return compare_by<MsmRule<one_column>, false>(task, bands, row);
    case Elastic::soft_dtw:
      return compare_by<SoftDtwRule<one_column>, false>(task, bands, row);
  }
}

void compare(const ElasticTask& task) {
  const Scratch<double> row((task.longest + 1) * series_lanes);
  for (std::int64_t lane = 0; lane < series_lanes; ++lane) task.results[lane] = out_of_reach;
  const LaneBands bands = bands_of(task);
  task.columns == 1 ? compare_columns<true>(task, bands, row.data()) : compare_columns<false>(task, bands, row.data());
}

double leave_envelope(const double* values, const double* low, const double* high, std::int64_t count) {
  WideSum<double> sum = {};
  const std::int64_t whole = count - count % WideSum<double>::width;
  for (std::int64_t t = 0; t < whole; t += lanes<double>) {
    const Doubles value = load(values + t);
    const Doubles gap = maximum<double>(maximum<double>(value - load(high + t), load(low + t) - value), Doubles{});
    sum.vector(t / lanes<double>) += gap * gap;
  }
  double total = sum.total();
  for (std::int64_t t = whole; t < count; ++t) {
    const double gap = greater(greater(values[t] - high[t], low[t] - values[t]), 0.0);
    total += gap * gap;
  }
  return total;
}

}  // namespace

void install_elastic(Engine& engine) {
  engine.series.compare = compare;
  engine.series.leave_envelope = leave_envelope;
}

}  // namespace coterie::COTERIE_ISA
