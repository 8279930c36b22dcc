#include "linkage/member_clusters.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/cpu_dispatch.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t members_per_task = 32;    // rows of a tile; a task ends with the cluster that reaches them
constexpr std::int64_t columns_per_tile = 1024;  // a tile of 32 rows then stays in the second cache

template <class T>
const LinkageKernels<T>& kernels() {
  return engine().of<T>().linkage;
}

}  // namespace

template <class T>
void NearClusters<T>::keep(NearCluster<T>* candidates, std::int64_t n_candidates) {
  std::sort(candidates, candidates + n_candidates,
            [](const NearCluster<T>& a, const NearCluster<T>& b) { return stands_before(a.distance, a.at, b.distance, b.at); });
  count = 0;
  for (std::int64_t k = 0; k < n_candidates && candidates[k].distance <= others; ++k) {
    if (candidates[k].distance == std::numeric_limits<T>::infinity()) return;  // pairs that must not merge
    if (count == near_count) {
      others = candidates[k].distance;
      return;
    }
    nearest[count++] = candidates[k];
  }
}

template <class T>
MemberClusters<T>::MemberClusters(const MatrixView<T>& rows, const Metric& metric, LinkageRule rule, int threads)
    : rows_(rows),
      metric_(metric),
      rule_(rule),
      threads_(threads),
      shift_(centring_shift(rows, metric, threads)),
      slots_(static_cast<std::size_t>(rows.rows)),
      members_(slots_.size()),
      starts_(slots_.size() + 1),
      weights_(slots_.size(), T(1)),
      ordered_(slots_.size() * static_cast<std::size_t>(rows.cols)) {
  std::iota(slots_.begin(), slots_.end(), 0);
  std::iota(members_.begin(), members_.end(), 0);
  std::iota(starts_.begin(), starts_.end(), 0);
  order_rows();
}

template <class T>
void MemberClusters<T>::order_rows() {
  for (std::size_t place = 0; place < members_.size(); ++place) {
    const T* from = rows_.row(members_[place]);
    std::copy(from, from + rows_.cols, ordered_.data() + static_cast<std::int64_t>(place) * rows_.cols);
  }
}

template <class T>
std::vector<T> MemberClusters<T>::sizes() const {
  std::vector<T> sizes;
  for (std::int64_t cluster = 0; cluster < count(); ++cluster) sizes.push_back(static_cast<T>(size(cluster)));
  return sizes;
}

template <class T>
std::vector<std::int32_t> MemberClusters<T>::merge(const std::vector<PositionPair<T>>& pairs) {
  std::vector<std::int32_t> moved(slots_.size(), -1), second_of(slots_.size(), -1), slots, members;
  std::vector<std::uint8_t> is_second(slots_.size(), 0);
  for (const PositionPair<T>& pair : pairs) {
    second_of[static_cast<std::size_t>(pair.first)] = pair.second;
    is_second[static_cast<std::size_t>(pair.second)] = 1;
  }
  std::vector<std::int64_t> starts{0};
  std::vector<T> weights;
  members.reserve(members_.size());
  weights.reserve(members_.size());
  const auto append = [&](std::int32_t cluster, T share) {
    for (std::int64_t place = start(cluster); place < start(cluster + 1); ++place) {
      members.push_back(members_[static_cast<std::size_t>(place)]);
      weights.push_back(share * weights_[static_cast<std::size_t>(place)]);
    }
    moved[static_cast<std::size_t>(cluster)] = static_cast<std::int32_t>(slots.size());
  };
  for (std::int32_t cluster = 0; cluster < static_cast<std::int32_t>(slots_.size()); ++cluster) {
    if (is_second[static_cast<std::size_t>(cluster)] != 0) continue;
    const std::int32_t second = second_of[static_cast<std::size_t>(cluster)];
    append(cluster, second < 0 ? T(1) : T(0.5));
    if (second >= 0) append(second, T(0.5));
    slots.push_back(slots_[static_cast<std::size_t>(cluster)]);
    starts.push_back(static_cast<std::int64_t>(members.size()));
  }
  slots_ = std::move(slots);
  members_ = std::move(members);
  starts_ = std::move(starts);
  weights_ = std::move(weights);
  order_rows();
  return moved;
}

template <class T>
std::vector<NearClusters<T>> MemberClusters<T>::nearest_of_rows() const {
  const auto n = static_cast<std::size_t>(rows_.rows), width = static_cast<std::size_t>(near_count);
  std::vector<std::int32_t> at(n * width);
  std::vector<T> distance(n * width);
  const ColumnPack<T> pack(rows_, shift(), metric_, threads_);
  engine().of<T>().tiles.smallest({rows_, shift(), pack.columns(), metric_, threads_}, {near_count, at.data(), distance.data(), true});
  std::vector<NearClusters<T>> lists(n);
  for (std::size_t i = 0; i < n; ++i) {
    NearClusters<T>& list = lists[i];
    for (std::size_t k = 0; k < width && at[i * width + k] >= 0; ++k)
      list.nearest[list.count++] = {at[i * width + k], distance[i * width + k]};
    list.others = list.count == near_count ? list.nearest[near_count - 1].distance : std::numeric_limits<T>::infinity();
  }
  return lists;
}

// The members of the lower position come first in the sum, whoever asks.
template <class T>
T MemberClusters<T>::mean_or_greatest(std::int32_t cluster, std::int32_t other, const T* tile, std::int64_t stride) const {
  const bool is_lower = cluster < other;
  const std::int64_t inner = size(is_lower ? cluster : other), outer = size(is_lower ? other : cluster);
  const std::int64_t inner_step = is_lower ? stride : 1, outer_step = is_lower ? 1 : stride;
  const auto fold = [&](auto so_far, auto add) {
    for (std::int64_t b = 0; b < outer; ++b)
      for (std::int64_t a = 0; a < inner; ++a) so_far = add(so_far, tile[a * inner_step + b * outer_step], a, b);
    return so_far;
  };
  if (rule_ == LinkageRule::complete)
    return fold(tile[0], [](T greatest, T value, std::int64_t, std::int64_t) { return value > greatest ? value : greatest; });
  if (rule_ == LinkageRule::average) {
    const double sum = fold(0.0, [](double sum, T value, std::int64_t, std::int64_t) { return sum + static_cast<double>(value); });
    return static_cast<T>(sum / (static_cast<double>(inner) * static_cast<double>(outer)));
  }
  const T *inner_weights = weights_.data() + start(std::min(cluster, other)),
          *outer_weights = weights_.data() + start(std::max(cluster, other));
  return static_cast<T>(fold(0.0, [&](double sum, T value, std::int64_t a, std::int64_t b) {
    return sum + static_cast<double>(inner_weights[a]) * static_cast<double>(outer_weights[b]) * static_cast<double>(value);
  }));
}

template <class T>
void MemberClusters<T>::between(std::int32_t cluster, const std::int32_t* others, std::int64_t count, T* out) const {
  const std::int64_t cols = rows_.cols, own = size(cluster);
  std::vector<T> ends;
  for (std::int64_t k = 0; k < count; ++k) ends.insert(ends.end(), row(start(others[k])), row(start(others[k] + 1)));
  const auto n_ends = static_cast<std::int64_t>(ends.size()) / cols;
  const ColumnPack<T> pack({ends.data(), n_ends, cols, cols}, shift(), metric_, 1);
  std::vector<T> tile(static_cast<std::size_t>(own * n_ends));
  engine().of<T>().tiles.store({{row(start(cluster)), own, cols, cols}, shift(), pack.columns(), metric_, 1},
                               {tile.data(), own, n_ends, n_ends});
  const T* first = tile.data();
  for (std::int64_t k = 0; k < count; ++k) {
    out[k] = mean_or_greatest(cluster, others[k], first, n_ends);
    first += size(others[k]);
  }
}

// All clusters in runs of about columns_per_tile rows: packed columns, and where each run begins.
template <class T>
struct MemberClusters<T>::Columns {
  ColumnPack<T> pack;
  std::vector<std::int64_t> runs{0};

  explicit Columns(const MemberClusters& of)
      : pack({of.ordered_.data(), of.rows_.rows, of.rows_.cols, of.rows_.cols}, of.shift(), of.metric_, of.threads_) {
    for (std::int64_t cluster = 1; cluster <= of.count(); ++cluster)
      if (cluster == of.count() || of.start(cluster) - of.start(runs.back()) >= columns_per_tile) runs.push_back(cluster);
  }

  // The panels that hold the members [begin, end); the first of them begins at `from`.
  PackedColumns<T> panels(std::int64_t begin, std::int64_t end, std::int64_t& from) const {
    const std::int64_t width = engine().of<T>().tiles.panel_width, first = begin / width;
    PackedColumns<T> part = pack.columns();
    from = first * width;
    part.panels += from * part.cols;
    part.start += from;
    part.term += from;
    part.n_panels = block_count(end, width) - first;
    part.n_columns = std::min(part.n_columns - from, part.n_panels * width);
    return part;
  }
};

template <class T>
void MemberClusters<T>::walk(const std::vector<std::int32_t>& clusters, bool only_later,
                             const std::function<void(std::int64_t, std::int64_t, std::int64_t, const T*)>& use) const {
  const Columns columns(*this);
  std::vector<std::size_t> tasks{0};
  for (std::size_t q = 1, members = 0; q <= clusters.size(); ++q) {
    members += static_cast<std::size_t>(size(clusters[q - 1]));
    if (q < clusters.size() && static_cast<std::int64_t>(members) < members_per_task) continue;
    tasks.push_back(q);
    members = 0;
  }
  if (clusters.empty()) return;
  parallel_for(static_cast<std::int64_t>(tasks.size()) - 1, threads_, [&](std::int64_t task, int) {
    const std::size_t begin = tasks[static_cast<std::size_t>(task)], end = tasks[static_cast<std::size_t>(task) + 1];
    std::vector<T> rows, tile, found;
    for (std::size_t q = begin; q < end; ++q) rows.insert(rows.end(), row(start(clusters[q])), row(start(clusters[q] + 1)));
    const std::int64_t n_members = static_cast<std::int64_t>(rows.size()) / rows_.cols;
    for (std::size_t run = 0; run + 1 < columns.runs.size(); ++run) {
      const std::int64_t first = columns.runs[run], stop = columns.runs[run + 1];
      if (only_later && stop <= clusters[begin]) continue;
      std::int64_t from = 0;
      const PackedColumns<T> panels = columns.panels(start(first), start(stop), from);
      const std::int64_t stride = panels.n_panels * engine().of<T>().tiles.panel_width;
      tile.resize(static_cast<std::size_t>(n_members * stride));
      found.resize(static_cast<std::size_t>(stop - first));
      engine().of<T>().tiles.store({{rows.data(), n_members, rows_.cols, rows_.cols}, shift(), panels, metric_, 1},
                                   {tile.data(), n_members, panels.n_columns, stride});
      T* own = tile.data() + (start(first) - from);
      for (std::size_t q = begin; q < end; ++q) {
        const std::int64_t own_size = size(clusters[q]), place = start(clusters[q]);
        kernels<T>().fold_members(rule_, own, stride, weights_.data() + place, own_size, start(stop) - start(first));
        kernels<T>().fold_columns(rule_, own, starts_.data() + first, weights_.data() + start(first), stop - first,
                                  static_cast<double>(own_size), found.data());
        use(static_cast<std::int64_t>(q), first, stop - first, found.data());
        own += own_size * stride;
      }
    }
  });
}

template <class T>
void MemberClusters<T>::fill(T* square) const {
  std::vector<std::int32_t> all(slots_.size());
  std::iota(all.begin(), all.end(), 0);
  const std::int64_t n = count();
  walk(all, true, [&](std::int64_t cluster, std::int64_t first, std::int64_t count, const T* distances) {
    const std::int64_t skipped = std::max<std::int64_t>(0, cluster - first);
    std::copy(distances + std::min(skipped, count), distances + count, square + cluster * n + first + std::min(skipped, count));
  });
  constexpr std::int64_t block = 32;  // rows and columns that are mirrored together
  parallel_for(block_count(n, block), threads_, [&](std::int64_t task, int) {
    const Range rows = block_range(n, block, task);
    for (std::int64_t left = 0; left < rows.end; left += block)
      for (std::int64_t i = rows.begin; i < rows.end; ++i)
        for (std::int64_t j = left; j < std::min(left + block, i); ++j) square[i * n + j] = square[j * n + i];
  });
}

template struct NearClusters<float>;
template struct NearClusters<double>;
template class MemberClusters<float>;
template class MemberClusters<double>;

}  // namespace coterie
