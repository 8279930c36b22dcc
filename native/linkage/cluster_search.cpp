#include "linkage/cluster_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linkage/neighbourhood.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t tree_most_columns = 16;  // beyond, comparing all pairs by products is faster
constexpr std::int64_t pairs_per_packing = 32;  // that take the time of packing a cluster, roughly
constexpr std::int64_t answers_per_task = 256;
constexpr double endless = std::numeric_limits<double>::infinity();
constexpr Metric by_products{Kernel::dot, Finish::squared_norm, 2.0};

// Of rows no longer than 1: by products, and by rounding them to float32.
float product_error(std::int64_t cols) { return 4 * static_cast<float>(cols + 16) * std::numeric_limits<float>::epsilon(); }

// Bounds were computed in float32.
constexpr double bound_rounding = 1 - 1e-5;

}  // namespace

ClusterSearch::ClusterSearch(const Clusters& clusters, int threads)
    : clusters_(clusters), threads_(threads), tree_(clusters, threads), uses_products_(clusters.cols() > tree_most_columns) {
  if (uses_products_) scale();
}

// Means of rows stay where the rows are: what holds for the rows holds for all clusters.
void ClusterSearch::scale() {
  const std::int64_t n = clusters_.n_slots(), cols = clusters_.cols();
  centre_.assign(static_cast<std::size_t>(cols), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t t = 0; t < cols; ++t)
      centre_[static_cast<std::size_t>(t)] += clusters_.centroid(static_cast<std::int32_t>(i))[t] / static_cast<double>(n);
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    double squared = 0;
    for (std::int64_t t = 0; t < cols; ++t) {
      const double difference = clusters_.centroid(static_cast<std::int32_t>(i))[t] - centre_[static_cast<std::size_t>(t)];
      squared += difference * difference;
    }
    largest = std::max(largest, squared);
  }
  factor_ = 1 / std::sqrt(largest);
  uses_products_ = largest > 0 && std::isfinite(factor_) && factor_ * factor_ > 0 && std::isfinite(factor_ * factor_);
}

void ClusterSearch::shrink(std::int32_t slot, float* row) const {
  for (std::int64_t t = 0; t < clusters_.cols(); ++t)
    row[t] = static_cast<float>((clusters_.centroid(slot)[t] - centre_[static_cast<std::size_t>(t)]) * factor_);
}

float ClusterSearch::weight(std::int32_t slot) const {
  return static_cast<float>(clusters_.rule() == CentroidRule::ward ? 1 / clusters_.size(slot)
                                                                   : clusters_.spread(slot) * factor_ * factor_);
}

// Once asking the dead costs more than leaving them out.
bool ClusterSearch::is_worth_packing(std::int64_t n_asked) const {
  return !columns_ || (static_cast<std::int64_t>(slots_.size()) - n_live_) * n_asked > pairs_per_packing * n_live_;
}

void ClusterSearch::pack(const std::vector<std::int32_t>& live) {
  slots_.clear();
  std::copy_if(live.begin(), live.end(), std::back_inserter(slots_), [&](std::int32_t slot) { return clusters_.is_live(slot); });
  n_live_ = static_cast<std::int64_t>(slots_.size());
  const std::int64_t cols = clusters_.cols();
  std::vector<float> rows(static_cast<std::size_t>(n_live_ * cols));
  position_of_slot_.assign(static_cast<std::size_t>(clusters_.n_slots()), -1);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    shrink(slots_[i], rows.data() + static_cast<std::int64_t>(i) * cols);
    position_of_slot_[static_cast<std::size_t>(slots_[i])] = static_cast<std::int32_t>(i);
  }
  columns_ = std::make_unique<ColumnPack<float>>(MatrixView<float>{rows.data(), n_live_, cols, cols}, nullptr, by_products, threads_);
  weights_.assign(static_cast<std::size_t>(columns_->columns().n_panels * engine().float32.tiles.panel_width), 1.0F);
  for (std::size_t i = 0; i < slots_.size(); ++i) weights_[i] = weight(slots_[i]);
}

// The whole takes the column of its first part.
void ClusterSearch::merged(std::int32_t first, std::int32_t second) {
  tree_.merged(first, second);
  if (!columns_) return;
  const PackedColumns<float>& columns = columns_->columns();
  const std::int64_t gone = position_of_slot_[static_cast<std::size_t>(second)],
                     kept = position_of_slot_[static_cast<std::size_t>(first)];
  columns.start[gone] = std::numeric_limits<float>::infinity();
  --n_live_;
  const std::int64_t width = engine().float32.tiles.panel_width, cols = columns.cols;
  std::vector<float> row(static_cast<std::size_t>(cols));
  shrink(first, row.data());
  float* column = columns.panels + kept / width * cols * width + kept % width;
  float squared = 0;
  for (std::int64_t t = 0; t < cols; ++t) {
    column[t * width] = row[static_cast<std::size_t>(t)];
    squared += row[static_cast<std::size_t>(t)] * row[static_cast<std::size_t>(t)];
  }
  columns.term[kept] = squared;
  columns.start[kept] = squared / 2;
  weights_[static_cast<std::size_t>(kept)] = weight(first);
}

void ClusterSearch::ask_tree(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked, std::int64_t k,
                             NearestClusters& out) {
  tree_.nearest(live, asked, k, out.nearest);
  out.others.resize(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Candidate& last = out.nearest[(i + 1) * static_cast<std::size_t>(k) - 1];
    out.others[i] = last.slot < 0 ? endless : last.distance;
  }
}

std::vector<CloseColumn> ClusterSearch::ask_products(const std::vector<std::int32_t>& asked, std::int64_t k) const {
  const auto n = static_cast<std::int64_t>(asked.size()), cols = clusters_.cols();
  std::vector<float> rows(asked.size() * static_cast<std::size_t>(cols)), weights(asked.size());
  std::vector<std::int32_t> own(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    shrink(asked[i], rows.data() + static_cast<std::int64_t>(i) * cols);
    weights[i] = weight(asked[i]);
    own[i] = position_of_slot_[static_cast<std::size_t>(asked[i])];
  }
  std::vector<CloseColumn> close(asked.size() * static_cast<std::size_t>(k));
  const TileProblem<float> tiles{{rows.data(), n, cols, cols}, nullptr, columns_->columns(), by_products, threads_};
  engine().products.nearest({tiles, weights_.data(), weights.data(), own.data(), product_error(cols), k, close.data()},
                            clusters_.rule());
  return close;
}

// Writes those who are nearer than anyone who was left out can be; false when there is none.
bool ClusterSearch::take(const CloseColumn* close, std::int64_t k, std::int32_t slot, Candidate* nearest, double& others) const {
  const bool is_all = close[k - 1].column < 0;
  others = is_all ? endless : static_cast<double>(close[k - 1].bound) / (factor_ * factor_) * bound_rounding;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < k && close[i].column >= 0; ++i) {
    const std::int32_t other = slots_[static_cast<std::size_t>(close[i].column)];
    const Candidate candidate{clusters_.distance(slot, other), other, clusters_.version(other)};
    if (candidate.distance < others) nearest[count++] = candidate;
  }
  std::sort(nearest, nearest + count, is_nearer);
  std::fill(nearest + count, nearest + k, Candidate{endless, -1, 0});
  return count > 0;
}

void ClusterSearch::ask_again(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked,
                              const std::vector<std::uint8_t>& is_certain, std::int64_t k, NearestClusters& out) {
  std::vector<std::int32_t> again;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (is_certain[i] == 0) {
      again.push_back(asked[i]);
      places.push_back(i);
    }
  if (again.empty()) return;
  uses_products_ = 2 * again.size() < asked.size();  // far outliers leave float32 no digits for the others
  NearestClusters answers;
  ask_tree(live, again, k, answers);
  for (std::size_t i = 0; i < again.size(); ++i) {
    std::copy_n(answers.nearest.data() + i * static_cast<std::size_t>(k), k,
                out.nearest.data() + places[i] * static_cast<std::size_t>(k));
    out.others[places[i]] = answers.others[i];
  }
}

void ClusterSearch::nearest(const std::vector<std::int32_t>& live, const std::vector<std::int32_t>& asked, std::int64_t k,
                            NearestClusters& out) {
  if (!uses_products_) return ask_tree(live, asked, k, out);
  if (is_worth_packing(static_cast<std::int64_t>(asked.size()))) pack(live);
  const std::vector<CloseColumn> close = ask_products(asked, k);
  out.nearest.resize(close.size());
  out.others.resize(asked.size());
  std::vector<std::uint8_t> is_certain(asked.size());
  const auto n = static_cast<std::int64_t>(asked.size());
  parallel_for(block_count(n, answers_per_task), n < answers_per_task ? 1 : threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n, answers_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      is_certain[at] = take(close.data() + i * k, k, asked[at], out.nearest.data() + i * k, out.others[at]);
    }
  });
  ask_again(live, asked, is_certain, k, out);
}

}  // namespace coterie
