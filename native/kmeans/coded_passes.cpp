// Decides by what codes leave in doubt whether they pay: on some rows before all are coded, and after every pass.
#include "kmeans/coded_passes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kmeans/fast_centres.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

constexpr std::int64_t fewest_clusters_for_codes = 32;  // estimates: with fewer clusters or columns, what is around the products
constexpr std::int64_t fewest_columns_for_codes = 8;    // takes longer than they do
constexpr std::int64_t rows_to_try = 8192;
constexpr int first_code_pause = 2, longest_code_pause = 64;

// What one whole number stands for: codes reach as far as the rows do, or as most of them where some are far away.
double step_of_codes(const ColumnMoments& columns) {
  double extent = 0, variance = 0;
  for (std::size_t t = 0; t < columns.mean.size(); ++t) {
    extent = std::max({extent, columns.high[t] - columns.mean[t], columns.mean[t] - columns.low[t]});
    variance = std::max(variance, columns.variance[t]);
  }
  constexpr double largest = 1e15, least = 1e-15;  // lengths are kept in float32, and squared
  const double reach = std::min(extent, 3.5 * std::sqrt(variance));
  return extent < largest && reach > least ? reach / 127 : 0;
}

}  // namespace

template <class T>
CodedPasses<T>::CodedPasses(const KMeansData<T>& data, std::int64_t n_clusters, const ColumnMoments& columns, double plain_cost)
    : data_(data), n_clusters_(n_clusters), plain_cost_(plain_cost), next_pause_(first_code_pause) {
  const bool has_kernel = engine().coded<T>().assign != nullptr;
  const bool is_wide = data.X.cols >= fewest_columns_for_codes && data.X.cols <= most_coded_columns;
  if (has_kernel && is_wide && n_clusters >= fewest_clusters_for_codes) step_ = step_of_codes(columns);
}

template <class T>
bool CodedPasses<T>::assign(const PackedColumns<T>& centres, const SumUnits& units, const RowBounds& bounds, const ClusterSums& deltas,
                            std::int64_t& changed) {
  if (!(step_ > 0) || engine().coded<T>().assign == nullptr) return false;  // blocks live on when the instruction set changes
  if (passes_missed_ > 0) {
    --passes_missed_;
    return false;
  }
  if (!are_in_use_ && data_.X.rows > rows_to_try) {
    KMeansData<T> some = data_;
    some.X.rows = rows_to_try;
    const CodedOutcome tried = assign_by(code(some), some, centres, units, bounds, deltas);
    changed += tried.changed;
    are_in_use_ = cost_after(tried, rows_to_try) < plain_cost_;
    if (!are_in_use_) {
      rest_for_a_while();
      return false;
    }
  }
  if (!codes_.groups) codes_ = code(data_);
  const CodedOutcome found = assign_by(codes_, data_, centres, units, bounds, deltas);
  changed += found.changed;
  cost_ = cost_after(found, data_.X.rows);
  are_in_use_ = cost_ < plain_cost_;
  if (!are_in_use_) rest_for_a_while();
  return found.uncertain >= 0;
}

template <class T>
void CodedPasses<T>::rest_for_a_while() {
  passes_missed_ = next_pause_;
  next_pause_ = std::min(4 * next_pause_, longest_code_pause);
}

template <class T>
typename CodedPasses<T>::Codes CodedPasses<T>::code(const KMeansData<T>& data) const {
  const std::int64_t groups = block_count(data.X.rows, coded_block) * coded_block * block_count(data.X.cols, codes_per_group);
  const auto n = static_cast<std::size_t>(data.X.rows);
  Codes codes{{allocate_aligned(static_cast<std::size_t>(groups) * sizeof(std::int32_t)), free_aligned},
              std::vector<float>(n),
              std::vector<float>(n)};
  engine().coded<T>().code_rows(data, step_, static_cast<std::int32_t*>(codes.groups.get()), codes.rest.data(), codes.term.data());
  return codes;
}

template <class T>
CodedOutcome CodedPasses<T>::assign_by(const Codes& codes, const KMeansData<T>& data, const PackedColumns<T>& centres,
                                       const SumUnits& units, const RowBounds& bounds, const ClusterSums& deltas) const {
  const KMeansCodes rows{static_cast<const std::int32_t*>(codes.groups.get()), codes.rest.data(), codes.term.data(),
                         block_count(data.X.cols, codes_per_group), step_};
  return engine().coded<T>().assign(data, rows, centres, units, bounds, deltas);
}

// Of the next pass, in panels per row, after one that found this.
template <class T>
double CodedPasses<T>::cost_after(const CodedOutcome& found, std::int64_t n_rows) const {
  if (found.uncertain < 0) return std::numeric_limits<double>::infinity();
  const auto width = static_cast<double>(engine().of<T>().tiles.panel_width), n = static_cast<double>(n_rows);
  const double in_doubt = static_cast<double>(found.uncertain) / n;
  const double met = static_cast<double>(found.met * chunk_centres) / (width * n);
  return std::ceil(static_cast<double>(n_clusters_) / width) * pass_cost::coded_panel + met * pass_cost::panel_in_doubt +
         pass_cost::overhead(data_.X.cols) * (pass_cost::coded_overhead + in_doubt * pass_cost::in_doubt);
}

template class CodedPasses<float>;
template class CodedPasses<double>;

}  // namespace coterie
