#include "kmeans/accelerate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr Metric squared_metric = {Kernel::dot, Finish::squared_norm, 2};
constexpr std::int64_t fewest_clusters_for_bounds = 8;     // estimate: half a panel of float32
constexpr std::int64_t most_clusters_for_matrix = 4096;   // 64 MiB of distances between centres
constexpr std::int64_t most_columns_for_filter = 2;       // the tree holds a copy of the rows
constexpr std::int64_t fewest_rows_per_block = 16384;     // a block's rows and bounds stay in the second-level cache
constexpr std::int64_t rows_per_cluster = 256;            // enough failing rows of one cluster in a block to share a pack
constexpr int longest_pause = 8;
constexpr int passes_per_look = 4;
constexpr double most_crowded_for_balls = 0.5;            // estimate: balls that hold more spare too little
constexpr double largest_extent = 1e15;                   // bounds are float32: their squares must neither overflow nor vanish
constexpr float round_up = 1 + 0x1.0p-21f, round_down = 1 - 0x1.0p-21f;
constexpr float infinity = std::numeric_limits<float>::infinity();

KMeansAlgorithm choose(KMeansAlgorithm wanted, std::int64_t n_clusters, const ColumnMoments& columns) {
  double extent = 0;
  for (std::size_t t = 0; t < columns.low.size(); ++t) extent = std::max(extent, columns.high[t] - columns.low[t]);
  if (n_clusters < 2 || !(extent < largest_extent) || extent < 1 / largest_extent) return KMeansAlgorithm::lloyd;
  if (wanted == KMeansAlgorithm::automatic && n_clusters < fewest_clusters_for_bounds) return KMeansAlgorithm::lloyd;
  if (wanted == KMeansAlgorithm::lloyd || wanted == KMeansAlgorithm::hamerly) return wanted;
  const auto cols = static_cast<std::int64_t>(columns.low.size());
  if (wanted == KMeansAlgorithm::filter && cols <= filter_max_cols) return wanted;
  if (wanted == KMeansAlgorithm::automatic && cols <= most_columns_for_filter) return KMeansAlgorithm::filter;
  return n_clusters <= most_clusters_for_matrix ? KMeansAlgorithm::exponion : KMeansAlgorithm::hamerly;
}

}  // namespace

template <class T>
Accelerator<T>::Accelerator(const KMeansData<T>& data, std::int64_t n_clusters, KMeansAlgorithm wanted, const ColumnMoments& columns,
                            KeptTree<T> kept)
    : data_(data), n_clusters_(n_clusters), algorithm_(choose(wanted, n_clusters, columns)), tree_(std::move(kept)) {
  if (!has_bounds()) return;
  const auto n = static_cast<std::size_t>(data.X.rows), k = static_cast<std::size_t>(n_clusters);
  block_ = std::max<std::int64_t>(fewest_rows_per_block, rows_per_cluster * n_clusters);
  upper_.resize(n);
  lower_.resize(n);
  failing_.resize(n);
  moved_.resize(k);
  drift_.resize(k);
  fast_column_.resize(k, -1);
  largest_upper_.resize(k);
  failing_upper_.resize(k);
  failing_starts_.resize(static_cast<std::size_t>(block_count(data.X.rows, block_)) * (k + 1));
  if (algorithm_ != KMeansAlgorithm::exponion) return;
  beyond_.resize(k);
  neighbour_starts_.resize(k + 1);
  between_.resize(k * k);
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

template <class T>
void Accelerator<T>::note_largest_upper(const std::int32_t* labels) {
  std::fill(largest_upper_.begin(), largest_upper_.end(), 0.0f);
  for (std::size_t i = 0; i < upper_.size(); ++i) {
    float& largest = largest_upper_[static_cast<std::size_t>(labels[i])];
    largest = std::max(largest, upper_[i]);
  }
}

// Passes in order do not keep the largest bounds: they grow by what the centres moved, and are looked up now and then.
template <class T>
void Accelerator<T>::follow_largest_upper(const std::int32_t* labels) {
  if (++passes_in_order_ % passes_per_look == 0) return note_largest_upper(labels);
  for (std::size_t a = 0; a < largest_upper_.size(); ++a) largest_upper_[a] = (largest_upper_[a] + moved_[a]) * round_up;
}

// How far each centre went, and lower bounds of the distances between centres.
template <class T>
void Accelerator<T>::measure_centres(const MatrixView<T>& centres, const std::vector<T>& previous) {
  const auto cols = static_cast<std::size_t>(centres.cols), k = static_cast<std::size_t>(n_clusters_);
  std::vector<double> squares(k, 0);
  for (std::size_t a = 0; a < k; ++a) {
    double step = 0;
    for (std::size_t t = 0; t < cols; ++t) {
      const double now = static_cast<double>(centres.data[a * cols + t]);
      const double difference = now - static_cast<double>(previous[a * cols + t]);
      step += difference * difference;
      squares[a] += now * now;
    }
    moved_[a] = static_cast<float>(std::sqrt(step)) * round_up;
  }
  const ColumnPack<T> pack(centres, nullptr, squared_metric, data_.threads);
  const double unit = static_cast<double>(centres.cols + 8) * std::numeric_limits<T>::epsilon();
  constexpr std::int64_t rows_per_task = 32;
  parallel_for(block_count(n_clusters_, rows_per_task), data_.threads, [&](std::int64_t task, int) {
    const Range range = block_range(n_clusters_, rows_per_task, task);
    std::vector<T> squared(static_cast<std::size_t>(range.size()) * k);
    std::vector<float> kept(between_.empty() ? k : 0);
    const MatrixView<T> some{centres.row(range.begin), range.size(), centres.cols, centres.stride};
    engine().of<T>().tiles.store({some, nullptr, pack.columns(), squared_metric, 1}, {squared.data(), range.size(), n_clusters_, n_clusters_});
    for (std::int64_t a = range.begin; a < range.end; ++a) {
      float* row = between_.empty() ? kept.data() : between_.data() + a * n_clusters_;
      const T* values = squared.data() + (a - range.begin) * n_clusters_;
      for (std::size_t b = 0; b < k; ++b) {
        const double error = unit * (squares[static_cast<std::size_t>(a)] + squares[b]);
        const double low = static_cast<double>(values[b]) - error;
        row[b] = low > 0 ? static_cast<float>(std::sqrt(low)) * round_down : 0.0f;
      }
      measure_drift(a, row);
    }
  });
}

// Only centres within reach of the cluster's farthest row can take rows from it; the drift of the others does not matter.
template <class T>
void Accelerator<T>::measure_drift(std::int64_t cluster, const float* distances) {
  const auto a = static_cast<std::size_t>(cluster), k = static_cast<std::size_t>(n_clusters_);
  constexpr float generosity = 4;  // 2 is enough for this iteration, more keeps bounds alive for the next ones
  const float reach = generosity * (largest_upper_[a] + moved_[a]);
  float nearest = infinity, beyond = nearest, fast = nearest, others = 0;
  for (std::size_t b = 0; b < k; ++b) {
    if (b == a) continue;
    nearest = std::min(nearest, distances[b]);
    if (fast_column_[b] >= 0)
      fast = std::min(fast, distances[b]);
    else if (distances[b] > reach)
      beyond = std::min(beyond, distances[b]);
    else
      others = std::max(others, moved_[b]);
  }
  drift_[a] = {moved_[a], nearest / 2, others, beyond, fast};
}

// Lets rows meet the fastest centres one by one, where that pays: the bounds then suffer from the drift of the others alone.
template <class T>
FastCentres<T> Accelerator<T>::single_out_fast(const MatrixView<T>& centres) {
  fast_pack_.reset();
  std::fill(fast_column_.begin(), fast_column_.end(), -1);
  if (fast_.ids.empty()) return {{}, fast_column_.data()};
  const auto cols = static_cast<std::size_t>(centres.cols);
  std::vector<T> rows(fast_.ids.size() * cols);
  for (std::size_t j = 0; j < fast_.ids.size(); ++j) {
    std::copy_n(centres.row(fast_.ids[j]), cols, rows.data() + j * cols);
    fast_column_[static_cast<std::size_t>(fast_.ids[j])] = static_cast<std::int32_t>(j);
  }
  const MatrixView<T> fast_rows{rows.data(), static_cast<std::int64_t>(fast_.ids.size()), centres.cols, centres.cols};
  fast_pack_ = std::make_unique<ColumnPack<T>>(fast_rows, nullptr, squared_metric, data_.threads);
  leave_fast_out();
  return {fast_pack_->columns(), fast_column_.data()};
}

template <class T>
void Accelerator<T>::leave_fast_out() {
  parallel_for(n_clusters_, n_clusters_ < 256 ? 1 : data_.threads,
               [&](std::int64_t a, int) { measure_drift(a, between_.data() + a * n_clusters_); });
}

template <class T>
bool Accelerator<T>::assign(const MatrixView<T>& centres, const std::vector<T>& previous, std::int32_t* labels, ExactSums<T>& sums) {
  if (algorithm_ == KMeansAlgorithm::filter) return assign_by_filter(centres, sums);
  const ColumnPack<T> pack(centres, nullptr, squared_metric, data_.threads);
  const std::int64_t changed =
      has_bounds() ? assign_by_bounds(centres, previous, pack.columns(), sums.units(), labels, sums.deltas())
                   : engine().of<T>().kmeans.assign(data_, pack.columns(), sums.units(), labels, sums.deltas());
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
std::int64_t Accelerator<T>::assign_by_bounds(const MatrixView<T>& centres, const std::vector<T>& previous, const PackedColumns<T>& packed,
                                              const SumUnits& units, std::int32_t* labels, const ClusterSums& deltas) {
  const KMeansKernels<T>& kernels = engine().of<T>().kmeans;
  const RowBounds bounds{labels, upper_.data(), lower_.data()};
  if (plain_passes_left_ > 0) {
    --plain_passes_left_;
    return kernels.assign(data_, packed, units, labels, deltas);
  }
  if (is_fresh_) {
    is_fresh_ = false;
    const std::int64_t changed = kernels.assign_with_bounds(data_, packed, units, bounds, deltas);
    note_largest_upper(labels);
    return changed;
  }
  std::fill(fast_column_.begin(), fast_column_.end(), -1);
  measure_centres(centres, previous);
  if (between_.empty() || crowding() > most_crowded_for_balls) return follow(centres, packed, units, bounds, deltas);
  const auto width = engine().of<T>().tiles.panel_width;
  fast_ = choose_fast_centres({moved_.data(), between_.data(), drift_.data(), n_clusters_, width}, bounds, data_.X.rows);
  const FastCentres<T> fast = single_out_fast(centres);
  const FailingRows failing{failing_.data(), failing_starts_.data(), block_, largest_upper_.data(), failing_upper_.data()};
  const std::int64_t n_failing = kernels.find_failing(data_.X.rows, n_clusters_, drift_.data(), bounds, failing, data_.threads);
  if (n_failing == 0) return 0;
  list_neighbourhoods();
  if (cost_of_settling() > plain_cost()) return assign_plainly(packed, units, labels, deltas);
  const Neighbourhoods around{neighbours_.data(), neighbour_starts_.data(), beyond_.data()};
  return kernels.settle(data_, {packed, centres, around, fast, drift_.data()}, units, bounds, failing, deltas);
}

// Rows in their order: each meets the centres that moved most, as many as its bounds ask for.
template <class T>
std::int64_t Accelerator<T>::follow(const MatrixView<T>& centres, const PackedColumns<T>& packed, const SumUnits& units,
                                    const RowBounds& bounds, const ClusterSums& deltas) {
  const auto k = static_cast<std::size_t>(n_clusters_), cols = static_cast<std::size_t>(centres.cols);
  std::vector<std::int32_t> order(k), column_of(k);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return moved_[a] != moved_[b] ? moved_[a] > moved_[b] : a < b; });
  std::vector<T> rows(k * cols);
  std::vector<float> moved(k);
  for (std::size_t j = 0; j < k; ++j) {
    std::copy_n(centres.row(order[j]), cols, rows.data() + j * cols);
    column_of[static_cast<std::size_t>(order[j])] = static_cast<std::int32_t>(j);
    moved[j] = moved_[static_cast<std::size_t>(order[j])];
  }
  const MeetingLevels levels = plan_meetings(moved.data(), n_clusters_, engine().of<T>().tiles.panel_width);
  if (algorithm_ == KMeansAlgorithm::exponion && cost_of_following(levels, drift_.data(), bounds, data_.X.rows) > plain_cost())
    return assign_plainly(packed, units, bounds.label, deltas);
  const ColumnPack<T> sorted({rows.data(), n_clusters_, centres.cols, centres.cols}, nullptr, squared_metric, data_.threads);
  const std::int64_t changed = engine().of<T>().kmeans.follow(
      data_, {packed, centres, sorted.columns(), column_of.data(), levels, drift_.data()}, units, bounds, deltas);
  if (!between_.empty()) follow_largest_upper(bounds.label);
  return changed;
}

// Share of the centres that the ball about a centre holds, with the radius that its farthest row needs.
template <class T>
double Accelerator<T>::crowding() const {
  std::int64_t near = 0;
  for (std::int64_t a = 0; a < n_clusters_; ++a) {
    const float reach = 2 * (largest_upper_[static_cast<std::size_t>(a)] + moved_[static_cast<std::size_t>(a)]);
    const float* row = between_.data() + a * n_clusters_;
    for (std::int64_t b = 0; b < n_clusters_; ++b) near += row[b] <= reach;
  }
  return static_cast<double>(near) / (static_cast<double>(n_clusters_) * static_cast<double>(n_clusters_));
}

// Bounds that do not pay rest for a while.
template <class T>
std::int64_t Accelerator<T>::assign_plainly(const PackedColumns<T>& packed, const SumUnits& units, std::int32_t* labels, const ClusterSums& deltas) {
  is_fresh_ = true;
  plain_passes_left_ = next_pause_ - 1;
  next_pause_ = std::min(2 * next_pause_, longest_pause);
  return engine().of<T>().kmeans.assign(data_, packed, units, labels, deltas);
}

// In panels per row, as all costs.
template <class T>
double Accelerator<T>::plain_cost() const {
  const auto width = static_cast<double>(engine().of<T>().tiles.panel_width);
  return std::ceil(static_cast<double>(n_clusters_) / width) + pass_cost::plain_overhead;
}

// Panels that the failing rows will meet, now that they are known.
template <class T>
double Accelerator<T>::cost_of_settling() const {
  const auto width = static_cast<double>(engine().of<T>().tiles.panel_width);
  const auto k = static_cast<std::size_t>(n_clusters_);
  const double for_fast = std::ceil(static_cast<double>(fast_.ids.size()) / width) * pass_cost::panel;
  double panels = 0;
  for (std::size_t first = 0; first < failing_starts_.size(); first += k + 1)
    for (std::size_t a = 0; a < k; ++a) {
      const auto rows = static_cast<double>(failing_starts_[first + a + 1] - failing_starts_[first + a]);
      const double for_all = std::ceil(static_cast<double>(neighbour_starts_[a + 1] - neighbour_starts_[a]) / width) * pass_cost::panel;
      const double meeting = fast_.share_of_full * for_all + (1 - fast_.share_of_full) * for_fast;
      panels += rows * (pass_cost::own_distance + pass_cost::gathering + meeting);
    }
  return panels / static_cast<double>(data_.X.rows);
}

// A row at most u from its centre can only go to a centre at most 2u from that one.
template <class T>
void Accelerator<T>::list_neighbourhoods() {
  const auto reach_of = [&](std::int64_t a) { return 2 * failing_upper_[static_cast<std::size_t>(a)] * round_up; };
  neighbour_starts_[0] = 0;
  for (std::int64_t a = 0; a < n_clusters_; ++a) {
    const float* row = between_.data() + a * n_clusters_;
    const float reach = reach_of(a);
    std::int32_t near = 0;
    if (reach > 0)
      for (std::int64_t b = 0; b < n_clusters_; ++b) near += row[b] <= reach;
    neighbour_starts_[static_cast<std::size_t>(a) + 1] = neighbour_starts_[static_cast<std::size_t>(a)] + near;
  }
  neighbours_.resize(static_cast<std::size_t>(neighbour_starts_.back()));
  constexpr std::int64_t clusters_per_task = 16;
  parallel_for(block_count(n_clusters_, clusters_per_task), data_.threads, [&](std::int64_t task, int) {
    const Range range = block_range(n_clusters_, clusters_per_task, task);
    for (std::int64_t a = range.begin; a < range.end; ++a)
      if (reach_of(a) > 0)
        list_neighbours(between_.data() + a * n_clusters_, n_clusters_, static_cast<std::int32_t>(a), reach_of(a),
                        neighbours_.data() + neighbour_starts_[static_cast<std::size_t>(a)], &beyond_[static_cast<std::size_t>(a)]);
  });
}

template class Accelerator<float>;
template class Accelerator<double>;

}  // namespace coterie
