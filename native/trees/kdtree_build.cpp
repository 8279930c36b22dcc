#include "trees/kdtree_build.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/parallel.h"
#include "trees/median_split.h"
#include "trees/row_box.h"

namespace coterie {
namespace {

constexpr std::int64_t subtree_points = 16384;  // built by one task, in cache

template <class T>
class TreeBuilder {
 public:
  TreeBuilder(MatrixView<T> rows, const KDTreeView<T>& tree, T* points, std::int32_t* original, T* boxes, TreeSplit<T>* splits,
              int threads)
      : rows_(rows),
        tree_(tree),
        points_(points),
        original_(original),
        boxes_(boxes),
        splits_(splits),
        threads_(threads),
        other_points_(static_cast<std::size_t>(rows.rows * rows.cols)),
        other_original_(static_cast<std::size_t>(rows.rows)) {}

  void build() {
    copy_rows();
    std::vector<Part> wide{{tree_.root(), 0}}, subtrees;
    MedianSplitter<T> splitter(tree_.dims, threads_);
    while (!wide.empty()) {
      const Part part = wide.back();
      wide.pop_back();
      if (tree_.size(part.node) <= subtree_points) {
        subtrees.push_back(part);
        continue;
      }
      measure(part, threads_);
      split(part, splitter);
      wide.push_back({part.node.left(), 1 - part.side});
      wide.push_back({part.node.right(), 1 - part.side});
    }
    parallel_for(static_cast<std::int64_t>(subtrees.size()), threads_, [&](std::int64_t task, int) {
      MedianSplitter<T> own(tree_.dims, 1);
      build_subtree(subtrees[task], own);
    });
  }

 private:
  // A node whose points are now in one of the two buffers: 0 is the tree's own memory, rows one after the other.
  struct Part {
    TreeNode node;
    int side;
  };

  RowBuffer<T> buffer(int side, TreeNode node) {
    const std::int64_t begin = tree_.begin(node);
    return side == 0 ? RowBuffer<T>{points_ + begin * tree_.dims, original_ + begin}
                     : RowBuffer<T>{other_points_.data() + begin * tree_.dims, other_original_.data() + begin};
  }

  T* box(TreeNode node) { return boxes_ + 2 * tree_.dims * node.id; }

  void copy_rows() {
    parallel_for(block_count(tree_.n_points, split_block), threads_, [&](std::int64_t block, int) {
      const Range range = block_range(tree_.n_points, split_block, block);
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        original_[i] = static_cast<std::int32_t>(i);
        std::copy(rows_.row(i), rows_.row(i) + tree_.dims, points_ + i * tree_.dims);
        check_finite(i);
      }
    });
  }

  void check_finite(std::int64_t i) const {
    for (std::int64_t j = 0; j < tree_.dims; ++j)
      if (!std::isfinite(rows_.row(i)[j]))
        throw std::invalid_argument("X of KDTree must be finite, got " + std::to_string(rows_.row(i)[j]) + " in row " +
                                    std::to_string(i) + ", column " + std::to_string(j) + ".");
  }

  void measure(const Part& part, int threads) {
    const RowBuffer<T> from = buffer(part.side, part.node);
    const std::int64_t size = tree_.size(part.node), dims = tree_.dims, n_blocks = block_count(size, split_block);
    clear_box(box(part.node), dims);
    if (n_blocks == 1) return widen_box(box(part.node), from.rows, size, dims);
    std::vector<T> boxes(static_cast<std::size_t>(n_blocks * 2 * dims));
    parallel_for(n_blocks, threads, [&](std::int64_t block, int) {
      const Range range = block_range(size, split_block, block);
      clear_box(boxes.data() + block * 2 * dims, dims);
      widen_box(boxes.data() + block * 2 * dims, from.rows + range.begin * dims, range.size(), dims);
    });
    for (std::int64_t corner = 0; corner < 2 * n_blocks; ++corner)
      widen_box_by_row(box(part.node), boxes.data() + corner * dims, dims);
  }

  void split(const Part& part, MedianSplitter<T>& splitter) {
    const std::int32_t dimension = widest_side(box(part.node), tree_.dims);
    const RowBuffer<T> from = buffer(part.side, part.node), to = buffer(1 - part.side, part.node);
    const T value = splitter.split(from, to, tree_.size(part.node), tree_.size(part.node.left()), dimension);
    splits_[part.node.id] = {value, dimension};
  }

  void build_subtree(const Part& part, MedianSplitter<T>& splitter) {
    measure(part, 1);
    if (part.node.is_leaf()) return write_leaf(part);
    split(part, splitter);
    build_subtree({part.node.left(), 1 - part.side}, splitter);
    build_subtree({part.node.right(), 1 - part.side}, splitter);
  }

  // From rows to one row per dimension; what is missing to a full leaf repeats the last point.
  void write_leaf(const Part& part) {
    const std::int64_t size = tree_.size(part.node), capacity = tree_.leaf_capacity, dims = tree_.dims;
    const RowBuffer<T> from = buffer(part.side, part.node);
    const std::vector<T> rows(from.rows, from.rows + size * dims);  // may lie where the leaf goes
    T* leaf = points_ + part.node.first_leaf * capacity * dims;
    for (std::int64_t j = 0; j < dims; ++j)
      for (std::int64_t i = 0; i < capacity; ++i) leaf[j * capacity + i] = rows[std::min(i, size - 1) * dims + j];
    std::int32_t* original = original_ + tree_.begin(part.node);
    std::copy(from.original, from.original + size, original);
    std::fill(original + size, original + capacity, original[size - 1]);
  }

  MatrixView<T> rows_;
  const KDTreeView<T>& tree_;
  T* points_;
  std::int32_t* original_;
  T* boxes_;
  TreeSplit<T>* splits_;
  int threads_;
  std::vector<T> other_points_;
  std::vector<std::int32_t> other_original_;
};

}  // namespace

template <class T>
void build_kdtree(MatrixView<T> rows, const KDTreeView<T>& tree, T* points, std::int32_t* original, T* boxes, TreeSplit<T>* splits,
                  int threads) {
  TreeBuilder<T>(rows, tree, points, original, boxes, splits, threads).build();
}

template void build_kdtree(MatrixView<float>, const KDTreeView<float>&, float*, std::int32_t*, float*, TreeSplit<float>*, int);
template void build_kdtree(MatrixView<double>, const KDTreeView<double>&, double*, std::int32_t*, double*, TreeSplit<double>*, int);

}  // namespace coterie
