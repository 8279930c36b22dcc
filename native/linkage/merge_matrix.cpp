#include "linkage/merge_matrix.h"

#include <limits>
#include <utility>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t least_parallel_cells = 1 << 14;  // below, waking the threads takes longer than the work
constexpr std::int64_t live_rows_per_task = 16;
constexpr double dead_share = 0.4;  // of the columns, before they are dropped: measured on 20,000 rows

template <class T>
const LinkageKernels<T>& merge_kernels() {
  return engine().of<T>().linkage;
}

// Sizes and inner sums as they are while merge k of a batch happens; k never falls.
template <class T>
struct ColumnsInTime {
  std::vector<T> sizes, inner;
  std::size_t now = 0;

  void advance(const std::vector<ColumnMerge<T>>& merges, std::size_t start, std::size_t k) {
    for (; now < k; ++now) {
      const ColumnMerge<T>& merge = merges[start + now];
      const T size = merge.size_first + merge.size_second;
      sizes[static_cast<std::size_t>(merge.first)] = size;
      inner[static_cast<std::size_t>(merge.first)] = size * (size - 1) / 2 * merge.height;
    }
  }
};

}  // namespace

template <class T>
MergeMatrix<T>::MergeMatrix(T* square, StartingClusters<T> clusters, LinkageRule rule, int threads)
    : rule_(rule),
      threads_(threads),
      n_live_(static_cast<std::int64_t>(clusters.slots.size())),
      rows_(clusters.slots.size()),
      slots_(std::move(clusters.slots)),
      sizes_(std::move(clusters.sizes)),
      inner_(rows_.size(), T(0)),
      penalty_(rows_.size(), T(0)),
      taken_in_(rows_.size(), 0) {
  const std::int64_t n = n_live_;
  for (std::int64_t i = 0; i < n; ++i) {
    rows_[static_cast<std::size_t>(i)] = square + i * n;
    square[i * n + i] = std::numeric_limits<T>::infinity();
  }
}

template <class T>
int MergeMatrix<T>::threads_for(std::int64_t cells) const {
  return cells < least_parallel_cells ? 1 : threads_;
}

template <class T>
void MergeMatrix<T>::take_in(std::int64_t position, std::int64_t up_to) {
  const auto p = static_cast<std::size_t>(position);
  const std::int64_t known = taken_in_[p];
  if (known >= up_to) return;
  merge_kernels<T>().merge_columns(rule_, span_of(merges_, known, up_to), sizes_[p], inner_[p], rows_[p]);
  taken_in_[p] = up_to;
}

template <class T>
RowMinimum<T> MergeMatrix<T>::nearest(std::int64_t position) {
  take_in(position, merges_.count());
  RowMinimum<T> found;
  merge_kernels<T>().least_of_row(rows_[static_cast<std::size_t>(position)], penalty_.data(), width(), found);
  return found;
}

template <class T>
void MergeMatrix<T>::combine(const std::vector<PositionPair<T>>& pairs, std::int64_t start) {
  const auto count = static_cast<std::int64_t>(pairs.size());
  const int threads = resolve_threads(threads_for(count * width()));
  // rules that look at no sizes, and single merges, need no copy
  const bool needs_time = count > 1 && (rule_ == LinkageRule::ward || rule_ == LinkageRule::average_merged);
  std::vector<ColumnsInTime<T>> columns;
  if (needs_time) columns.assign(static_cast<std::size_t>(threads), {sizes_, inner_});
  parallel_for(count, threads, [&](std::int64_t k, int thread) {
    const std::int64_t first = pairs[static_cast<std::size_t>(k)].first, second = pairs[static_cast<std::size_t>(k)].second;
    take_in(first, start + k);
    take_in(second, start + k);
    const T *sizes = sizes_.data(), *inner = inner_.data();
    if (needs_time) {
      ColumnsInTime<T>& now = columns[static_cast<std::size_t>(thread)];
      now.advance(merges_.all, static_cast<std::size_t>(start), static_cast<std::size_t>(k));
      sizes = now.sizes.data();
      inner = now.inner.data();
    }
    T* row = rows_[static_cast<std::size_t>(first)];
    merge_kernels<T>().combine_rows(rule_, merges_.all[static_cast<std::size_t>(start + k)], row,
                                    rows_[static_cast<std::size_t>(second)], sizes, inner, width());
    row[first] = std::numeric_limits<T>::infinity();
    taken_in_[static_cast<std::size_t>(first)] = start + k + 1;
  });
}

template <class T>
void MergeMatrix<T>::merge(const std::vector<PositionPair<T>>& pairs) {
  const auto start = merges_.count();
  for (const PositionPair<T>& pair : pairs) {
    const auto first = static_cast<std::size_t>(pair.first), second = static_cast<std::size_t>(pair.second);
    merges_.push_back({pair.first, pair.second, sizes_[first], sizes_[second], inner_[first], inner_[second], pair.height});
  }
  combine(pairs, start);
  for (const PositionPair<T>& pair : pairs) {
    const auto first = static_cast<std::size_t>(pair.first), second = static_cast<std::size_t>(pair.second);
    sizes_[first] += sizes_[second];
    inner_[first] = sizes_[first] * (sizes_[first] - 1) / 2 * pair.height;
    penalty_[second] = std::numeric_limits<T>::infinity();
  }
  n_live_ -= static_cast<std::int64_t>(pairs.size());
}

template <class T>
std::vector<std::int32_t> MergeMatrix<T>::compact_if_worthwhile() {
  if (static_cast<double>(n_live_) > (1 - dead_share) * static_cast<double>(width()) || n_live_ < 2) return {};
  std::vector<std::int32_t> moved(static_cast<std::size_t>(width()), -1), kept;
  for (std::int64_t i = 0; i < width(); ++i)
    if (is_live(i)) {
      moved[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(kept.size());
      kept.push_back(static_cast<std::int32_t>(i));
    }
  const auto up_to = merges_.count();
  parallel_for(block_count(n_live_, live_rows_per_task), threads_for(n_live_ * width()), [&](std::int64_t task, int) {
    const Range range = block_range(n_live_, live_rows_per_task, task);
    for (std::int64_t q = range.begin; q < range.end; ++q) {
      const std::int32_t position = kept[static_cast<std::size_t>(q)];
      take_in(position, up_to);
      merge_kernels<T>().keep_columns(kept.data(), n_live_, rows_[static_cast<std::size_t>(position)]);
    }
  });
  for (std::size_t q = 0; q < kept.size(); ++q) {
    const auto from = static_cast<std::size_t>(kept[q]);
    rows_[q] = rows_[from];
    slots_[q] = slots_[from];
    sizes_[q] = sizes_[from];
    inner_[q] = inner_[from];
    penalty_[q] = 0;
  }
  for (auto* values : {&sizes_, &inner_, &penalty_}) values->resize(kept.size());
  rows_.resize(kept.size());
  slots_.resize(kept.size());
  taken_in_.assign(kept.size(), 0);
  merges_.clear();
  return moved;
}

template class MergeMatrix<float>;
template class MergeMatrix<double>;

}  // namespace coterie
