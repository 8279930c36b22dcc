// Builds the kd-tree of the filtering pass: leaves of 64 rows, with boxes and exact sums per node.
#include "kmeans/bounds/filter_tree.h"

#include <algorithm>
#include <limits>

#include "support/cpu_dispatch.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {
namespace {

// A row while the tree is built in place; packed, to be no larger than what the leaf needs.
template <class T, int Cols>
struct __attribute__((packed)) Record {
  T value[Cols];
  std::int32_t row;
};

template <class T, int Cols>
class Builder {
 public:
  Builder(Record<T, Cols>* records, std::int64_t n, T* boxes) : records_(records), n_(n), boxes_(boxes) {}

  void split(const FilterNode& node) {
    Record<T, Cols>* const first = records_ + node.first_leaf * filter_leaf_rows;
    Record<T, Cols>* const last = records_ + end_of(node);
    measure_box(node, first, last);
    if (node.is_leaf()) return;
    const int widest = widest_side(node);
    std::nth_element(first, records_ + end_of(node.left()), last, [widest](const Record<T, Cols>& a, const Record<T, Cols>& b) {
      const std::int32_t row_a = a.row, row_b = b.row;  // packed: no reference may point to them
      return stands_before(T{a.value[widest]}, row_a, T{b.value[widest]}, row_b);
    });
  }

  // From rows to one line per column, in the same memory.
  void lay_out_leaf(std::int64_t leaf) {
    Record<T, Cols>* const first = records_ + leaf * filter_leaf_rows;
    const std::int64_t size = std::min(filter_leaf_rows, n_ - leaf * filter_leaf_rows);
    Record<T, Cols> rows[filter_leaf_rows];
    for (std::int64_t i = 0; i < filter_leaf_rows; ++i) rows[i] = first[std::min(i, size - 1)];
    char* const to = reinterpret_cast<char*>(first);
    T* const values = reinterpret_cast<T*>(to);
    std::int32_t* const numbers = reinterpret_cast<std::int32_t*>(to + sizeof(T) * Cols * filter_leaf_rows);
    for (std::int64_t i = 0; i < filter_leaf_rows; ++i) {
      for (int t = 0; t < Cols; ++t) values[t * filter_leaf_rows + i] = rows[i].value[t];
      numbers[i] = rows[i].row;
    }
  }

 private:
  std::int64_t end_of(const FilterNode& node) const { return std::min((node.first_leaf + node.n_leaves) * filter_leaf_rows, n_); }

  void measure_box(const FilterNode& node, const Record<T, Cols>* first, const Record<T, Cols>* last) {
    T low[Cols], high[Cols];
    std::fill(low, low + Cols, std::numeric_limits<T>::infinity());
    std::fill(high, high + Cols, -std::numeric_limits<T>::infinity());
    for (; first != last; ++first)
      for (int t = 0; t < Cols; ++t) {
        const T value = first->value[t];
        low[t] = value < low[t] ? value : low[t];
        high[t] = value > high[t] ? value : high[t];
      }
    std::copy(low, low + Cols, boxes_ + node.id * 2 * Cols);
    std::copy(high, high + Cols, boxes_ + node.id * 2 * Cols + Cols);
  }

  int widest_side(const FilterNode& node) const {
    const T* box = boxes_ + node.id * 2 * Cols;
    int widest = 0;
    for (int t = 1; t < Cols; ++t)
      if (box[Cols + t] - box[t] > box[Cols + widest] - box[widest]) widest = t;
    return widest;
  }

  Record<T, Cols>* records_;
  std::int64_t n_;
  T* boxes_;
};

// Largest heap number plus one of a tree with that many leaves.
std::int64_t heap_size(std::int64_t n_leaves) {
  std::int64_t size = 1;
  while (size < n_leaves) size *= 2;
  return 2 * size;
}

}  // namespace

template <class T>
FilterTree<T>::FilterTree(const KMeansData<T>& data, const SumUnits& units)
    : n_rows_(data.X.rows),
      n_leaves_(block_count(data.X.rows, filter_leaf_rows)),
      cols_(data.X.cols),
      leaf_bytes_(static_cast<std::int64_t>(sizeof(T) * static_cast<std::size_t>(data.X.cols) + sizeof(std::int32_t)) *
                  filter_leaf_rows),
      leaves_(static_cast<std::size_t>(n_leaves_ * leaf_bytes_)),
      boxes_(static_cast<std::size_t>(heap_size(n_leaves_) * 2 * cols_)),
      coarse_(static_cast<std::size_t>(heap_size(n_leaves_) * (cols_ + 1))),
      fine_(sizeof(T) == 4 ? 0 : coarse_.size()) {
  if (cols_ == 1) build<1>(data);
  if (cols_ == 2) build<2>(data);
  if (cols_ == 3) build<3>(data);
  engine().of<T>().kmeans.sum_leaves(view(), data, units, coarse_.data(), fine_.empty() ? nullptr : fine_.data());
}

template <class T>
FilterTreeView<T> FilterTree<T>::view() const {
  return {leaves_.data(), leaf_bytes_, boxes_.data(), coarse_.data(), fine_.empty() ? nullptr : fine_.data(),
          n_rows_,        n_leaves_,   cols_};
}

template <class T>
template <int Cols>
void FilterTree<T>::build(const KMeansData<T>& data) {
  auto* const records = reinterpret_cast<Record<T, Cols>*>(leaves_.data());
  constexpr std::int64_t rows_per_task = 16384;
  parallel_for(block_count(n_rows_, rows_per_task), data.threads, [&](std::int64_t task, int) {
    const Range range = block_range(n_rows_, rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      records[i].row = static_cast<std::int32_t>(i);
      for (int t = 0; t < Cols; ++t) records[i].value[t] = data.X.row(i)[t] - data.shift[t];
    }
  });
  Builder<T, Cols> builder(records, n_rows_, boxes_.data());
  std::vector<FilterNode> level{{0, 0, n_leaves_}};
  while (!level.empty()) {
    parallel_for(static_cast<std::int64_t>(level.size()), data.threads,
                 [&](std::int64_t task, int) { builder.split(level[static_cast<std::size_t>(task)]); });
    std::vector<FilterNode> next;
    for (const FilterNode& node : level)
      if (!node.is_leaf()) next.insert(next.end(), {node.left(), node.right()});
    level.swap(next);
  }
  constexpr std::int64_t leaves_per_task = 256;
  parallel_for(block_count(n_leaves_, leaves_per_task), data.threads, [&](std::int64_t task, int) {
    const Range range = block_range(n_leaves_, leaves_per_task, task);
    for (std::int64_t leaf = range.begin; leaf < range.end; ++leaf) builder.lay_out_leaf(leaf);
  });
}

template class FilterTree<float>;
template class FilterTree<double>;

}  // namespace coterie
