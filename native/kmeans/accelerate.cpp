// Chooses the pass of each iteration (Lloyd, Hamerly, Exponion or filtering) by what it is expected to cost, and runs it.
#include "kmeans/accelerate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kmeans/choose_algorithm.h"
#include "support/cpu_dispatch.h"
#include "support/number_order.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr std::int64_t fewest_rows_per_block = 16384;     // a block's rows and bounds stay in the second-level cache
constexpr std::int64_t rows_per_cluster = 256;            // enough failing rows of one cluster in a block to share a pack
constexpr int longest_pause = 8;
constexpr float fewest_passes_spared = 3;                 // estimate: new bounds cost half a pass more than none
constexpr double most_crowded_for_balls = 0.5;            // estimate: balls that hold more spare too little

// In panels per row, as all costs.
template <class T>
double cost_of_plain_pass(const KMeansData<T>& data, std::int64_t n_clusters) {
  const auto width = static_cast<double>(engine().of<T>().tiles.panel_width);
  return std::ceil(static_cast<double>(n_clusters) / width) + pass_cost::overhead(data.X.cols) * pass_cost::plain_overhead;
}

}  // namespace

template <class T>
Accelerator<T>::Accelerator(const KMeansData<T>& data, std::int64_t n_clusters, KMeansAlgorithm wanted, const ColumnMoments& columns,
                            KeptTree<T> kept)
    : data_(data),
      n_clusters_(n_clusters),
      algorithm_(choose_algorithm(wanted, data.X.rows, n_clusters, columns)),
      tree_(std::move(kept)),
      codes_(data, n_clusters, columns, cost_of_plain_pass(data, n_clusters)) {
  if (!has_bounds()) return;
  const auto n = static_cast<std::size_t>(data.X.rows), k = static_cast<std::size_t>(n_clusters);
  block_ = std::max<std::int64_t>(fewest_rows_per_block, rows_per_cluster * n_clusters);
  upper_.resize(n);
  lower_.resize(n);
  failing_.resize(n);
  failing_upper_.resize(k);
  failing_starts_.resize(static_cast<std::size_t>(block_count(data.X.rows, block_)) * (k + 1));
  drift_ = CentreDrift(n_clusters, algorithm_ == KMeansAlgorithm::exponion, data.threads);
}

template <class T>
std::string Accelerator<T>::name() const {
  switch (algorithm_) {
    case KMeansAlgorithm::hamerly:
      return "hamerly";
    case KMeansAlgorithm::exponion:
      return "exponion";
    case KMeansAlgorithm::filter:
      return "filter";
    default:
      return "lloyd";
  }
}

template <class T>
void Accelerator<T>::forget(std::int64_t row) {
  if (!has_bounds()) return;
  upper_[static_cast<std::size_t>(row)] = std::numeric_limits<float>::infinity();
  lower_[static_cast<std::size_t>(row)] = 0;
}

// Lets rows meet the fastest centres one by one, where that pays: the bounds then suffer from the drift of the others alone.
template <class T>
FastCentres<T> Accelerator<T>::single_out_fast(const MatrixView<T>& centres) {
  fast_pack_.reset();
  if (fast_.ids.empty()) return {{}, drift_.fast_column()};
  const auto cols = static_cast<std::size_t>(centres.cols);
  std::vector<T> rows(fast_.ids.size() * cols);
  for (std::size_t j = 0; j < fast_.ids.size(); ++j) std::copy_n(centres.row(fast_.ids[j]), cols, rows.data() + j * cols);
  const MatrixView<T> fast_rows{rows.data(), static_cast<std::int64_t>(fast_.ids.size()), centres.cols, centres.cols};
  fast_pack_ = std::make_unique<ColumnPack<T>>(fast_rows, nullptr, squared_metric, data_.threads);
  drift_.leave_out(fast_.ids);
  return {fast_pack_->columns(), drift_.fast_column()};
}

template <class T>
bool Accelerator<T>::assign(const MatrixView<T>& centres, const std::vector<T>& previous, std::int32_t* labels, ExactSums<T>& sums) {
  if (algorithm_ == KMeansAlgorithm::filter) return assign_by_filter(centres, sums);
  const ColumnPack<T> pack(centres, nullptr, squared_metric, data_.threads);
  const std::int64_t changed = has_bounds() ? assign_by_bounds(centres, previous, pack.columns(), sums.units(), labels, sums.deltas())
                                            : assign_all(pack.columns(), sums.units(), {labels, nullptr, nullptr}, sums.deltas());
  sums.absorb_deltas();
  return changed > 0;
}

// The labels change if and only if the sums do: they are exact, and a function of the labels.
template <class T>
bool Accelerator<T>::assign_by_filter(const MatrixView<T>& centres, ExactSums<T>& sums) {
  if (!tree_) tree_ = std::make_shared<FilterTree<T>>(data_, sums.units());
  const ColumnPack<T> pack(centres, nullptr, squared_metric, data_.threads);
  engine().of<T>().kmeans.filter_rows(tree_->view(), data_, sums.units(), centres, pack.columns(), nullptr, sums.deltas());
  return sums.replace_by_deltas();
}

template <class T>
void Accelerator<T>::write_labels(const MatrixView<T>& centres, std::int32_t* labels, ExactSums<T>& sums) const {
  if (algorithm_ != KMeansAlgorithm::filter) return;
  const ColumnPack<T> pack(centres, nullptr, squared_metric, data_.threads);
  engine().of<T>().kmeans.filter_rows(tree_->view(), data_, sums.units(), centres, pack.columns(), labels, sums.deltas());
}

template <class T>
std::int64_t Accelerator<T>::assign_by_bounds(const MatrixView<T>& centres, const std::vector<T>& previous,
                                              const PackedColumns<T>& packed, const SumUnits& units, std::int32_t* labels,
                                              const ClusterSums& deltas) {
  const KMeansKernels<T>& kernels = engine().of<T>().kmeans;
  const RowBounds bounds{labels, upper_.data(), lower_.data()};
  if (plain_passes_left_ > 0) {
    --plain_passes_left_;
    return assign_all(packed, units, {labels, nullptr, nullptr}, deltas);
  }
  if (is_fresh_) return renew_bounds(packed, units, bounds, deltas);
  drift_.measure(centres, previous);
  if (!drift_.keeps_distances() || drift_.crowding() > most_crowded_for_balls)
    return hamerly_pass(centres, packed, units, bounds, deltas);
  const auto width = engine().of<T>().tiles.panel_width;
  fast_ = choose_fast_centres({drift_.moved(), drift_.between(), drift_.per_cluster(), n_clusters_, width, data_.X.cols}, bounds,
                              data_.X.rows);
  const FastCentres<T> fast = single_out_fast(centres);
  const FailingRows failing{failing_.data(), failing_starts_.data(), block_, drift_.largest_upper(), failing_upper_.data()};
  const std::int64_t n_failing = kernels.find_failing(data_.X.rows, n_clusters_, drift_.per_cluster(), bounds, failing, data_.threads);
  if (n_failing == 0) return 0;
  const Neighbourhoods around = drift_.neighbourhoods(failing_upper_.data());
  if (cost_of_exponion_pass(around) > codes_.cost()) return assign_plainly(packed, units, labels, deltas);
  return kernels.exponion_pass(data_, {packed, centres, around, fast, drift_.per_cluster()}, units, bounds, failing, deltas);
}

// Rows in their order: each meets the centres that moved most, as many as its bounds ask for.
template <class T>
std::int64_t Accelerator<T>::hamerly_pass(const MatrixView<T>& centres, const PackedColumns<T>& packed, const SumUnits& units,
                                          const RowBounds& bounds, const ClusterSums& deltas) {
  const auto k = static_cast<std::size_t>(n_clusters_), cols = static_cast<std::size_t>(centres.cols);
  const float* moved_of = drift_.moved();
  std::vector<std::int32_t> order(k), column_of(k);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return stands_before(-moved_of[a], a, -moved_of[b], b); });
  std::vector<T> rows(k * cols);
  std::vector<float> moved(k);
  for (std::size_t j = 0; j < k; ++j) {
    std::copy_n(centres.row(order[j]), cols, rows.data() + j * cols);
    column_of[static_cast<std::size_t>(order[j])] = static_cast<std::int32_t>(j);
    moved[j] = moved_of[order[j]];
  }
  const HamerlyLevels levels =
      plan_hamerly_levels(moved.data(), n_clusters_, engine().of<T>().tiles.panel_width, centres.cols, new_slack_);
  if (algorithm_ == KMeansAlgorithm::exponion &&
      cost_of_hamerly_pass(levels, drift_.per_cluster(), bounds, data_.X.rows, centres.cols) > codes_.cost())
    return !codes_.are_in_use() && new_slack_ > fewest_passes_spared * moved[0] ? renew_bounds(packed, units, bounds, deltas)
                                                                                : assign_plainly(packed, units, bounds.label, deltas);
  const ColumnPack<T> sorted({rows.data(), n_clusters_, centres.cols, centres.cols}, nullptr, squared_metric, data_.threads);
  const std::int64_t changed = engine().of<T>().kmeans.hamerly_pass(
      data_, {packed, centres, sorted.columns(), column_of.data(), levels, drift_.per_cluster()}, units, bounds, deltas);
  if (drift_.keeps_distances()) drift_.follow_largest_upper(upper_, bounds.label);
  return changed;
}

template <class T>
std::int64_t Accelerator<T>::renew_bounds(const PackedColumns<T>& packed, const SumUnits& units, const RowBounds& bounds,
                                          const ClusterSums& deltas) {
  is_fresh_ = false;
  const std::int64_t changed = assign_all(packed, units, bounds, deltas);
  drift_.note_largest_upper(upper_, bounds.label);
  new_slack_ = lesser_slack(bounds, data_.X.rows);
  return changed;
}

// Bounds that do not pay rest for a while.
template <class T>
std::int64_t Accelerator<T>::assign_plainly(const PackedColumns<T>& packed, const SumUnits& units, std::int32_t* labels,
                                            const ClusterSums& deltas) {
  is_fresh_ = true;
  plain_passes_left_ = next_pause_ - 1;
  next_pause_ = std::min(2 * next_pause_, longest_pause);
  return assign_all(packed, units, {labels, nullptr, nullptr}, deltas);
}

// All rows meet all centres; with new bounds if there is room for them.
template <class T>
std::int64_t Accelerator<T>::assign_all(const PackedColumns<T>& packed, const SumUnits& units, const RowBounds& bounds,
                                        const ClusterSums& deltas) {
  std::int64_t changed = 0;
  if (codes_.assign(packed, units, bounds, deltas, changed)) return changed;
  const KMeansKernels<T>& kernels = engine().of<T>().kmeans;
  return changed + (bounds.upper == nullptr ? kernels.assign(data_, packed, units, bounds.label, deltas)
                                            : kernels.assign_with_bounds(data_, packed, units, bounds, deltas));
}

// Panels that the failing rows will meet, now that they are known.
template <class T>
double Accelerator<T>::cost_of_exponion_pass(const Neighbourhoods& around) const {
  const auto width = static_cast<double>(engine().of<T>().tiles.panel_width);
  const auto k = static_cast<std::size_t>(n_clusters_);
  const double for_fast = std::ceil(static_cast<double>(fast_.ids.size()) / width) * pass_cost::panel;
  double panels = 0;
  for (std::size_t first = 0; first < failing_starts_.size(); first += k + 1)
    for (std::size_t a = 0; a < k; ++a) {
      const auto rows = static_cast<double>(failing_starts_[first + a + 1] - failing_starts_[first + a]);
      const double for_all = std::ceil(static_cast<double>(around.starts[a + 1] - around.starts[a]) / width) * pass_cost::panel;
      const double meeting = fast_.share_of_full * for_all + (1 - fast_.share_of_full) * for_fast;
      panels += rows * (pass_cost::overhead(data_.X.cols) * (pass_cost::own_distance + pass_cost::gathering) + meeting);
    }
  return panels / static_cast<double>(data_.X.rows);
}

template class Accelerator<float>;
template class Accelerator<double>;

}  // namespace coterie
