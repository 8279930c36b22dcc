// A filtering pass (Kanungo et al.): down the tree with the centres that still can be nearest.
#include "kmeans/bounds/filter_tree.h"

#include "engine.h"
#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/update_sums.h"
#include "support/parallel.h"
#include "support/scratch.h"
#include "tiles/fused_order.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t leaves_per_task = 128;

template <class T>
struct Leaf {
  const T* values;  // cols x 64
  const std::int32_t* rows;
  std::int64_t size;
};

template <class T>
COTERIE_INLINE Leaf<T> leaf_of(const FilterTreeView<T>& tree, std::int64_t leaf) {
  const char* memory = tree.leaves + leaf * tree.leaf_bytes;
  const std::int64_t left = tree.n_rows - leaf * filter_leaf_rows;
  return {reinterpret_cast<const T*>(memory),
          reinterpret_cast<const std::int32_t*>(memory + sizeof(T) * static_cast<std::size_t>(tree.cols * filter_leaf_rows)),
          left < filter_leaf_rows ? left : filter_leaf_rows};
}

template <class T>
struct FilterPass {
  const FilterTreeView<T>& tree;
  const KMeansData<T>& data;
  const SumUnits& units;
  const MatrixView<T>& centres;
  const T* start;           // |c|^2 / 2, as the tile kernels use it
  double margin;            // two values closer than this may be ordered either way by rounding
  ClusterSums sums;         // of this thread
  std::int32_t* labels;     // null: only the sums are wanted

  double weight_of(std::int32_t row) const { return data.weights == nullptr ? 1.0 : data.weights[row]; }

  // Keeps the centres that may be nearest to some point of the box; returns how many.
  std::int64_t filter(const T* box, const std::int32_t* from, std::int64_t n, std::int32_t* to) const {
    const std::int64_t cols = tree.cols;
    double middle[filter_max_cols];
    for (std::int64_t t = 0; t < cols; ++t) middle[t] = (static_cast<double>(box[t]) + static_cast<double>(box[cols + t])) / 2;
    std::int32_t best = from[0];
    double best_squared = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < n; ++i) {
      double squared = 0;
      for (std::int64_t t = 0; t < cols; ++t) {
        const double difference = static_cast<double>(centres.row(from[i])[t]) - middle[t];
        squared += difference * difference;
      }
      if (squared < best_squared) {
        best_squared = squared;
        best = from[i];
      }
    }
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < n; ++i)
      if (from[i] == best || !is_beaten(box, from[i], best)) to[kept++] = from[i];
    return kept;
  }

  // |p - other|^2 - |p - best|^2 is linear in p: it is least at the corner of the box that lies farthest towards `other`.
  COTERIE_INLINE bool is_beaten(const T* box, std::int32_t other, std::int32_t best) const {
    const std::int64_t cols = tree.cols;
    double lead = 0;
    for (std::int64_t t = 0; t < cols; ++t) {
      const double a = static_cast<double>(centres.row(best)[t]), b = static_cast<double>(centres.row(other)[t]);
      const double corner = b > a ? static_cast<double>(box[cols + t]) : static_cast<double>(box[t]);
      lead += (b - a) * (b + a - 2 * corner);
    }
    return lead > margin;
  }

  void visit(const FilterNode& node, const std::int32_t* candidates, std::int64_t n, std::int32_t* memory) {
    const std::int64_t kept = filter(tree.boxes + node.id * 2 * tree.cols, candidates, n, memory);
    if (kept == 1) {
      give_all(node, memory[0]);
    } else if (node.is_leaf()) {
      assign_leaf(leaf_of(tree, node.first_leaf), node, memory, kept);
    } else {
      visit(node.left(), memory, kept, memory + kept);
      visit(node.right(), memory, kept, memory + kept);
    }
  }

  void give_sums(const FilterNode& node, std::int32_t cluster) const {
    const std::int64_t width = tree.cols + 1;
    for (std::int64_t t = 0; t < width; ++t) {
      add_to(sums.coarse[cluster * width + t], tree.coarse[node.id * width + t]);
      if (tree.fine != nullptr) add_to(sums.fine[cluster * width + t], tree.fine[node.id * width + t]);
    }
    const std::int64_t end = (node.first_leaf + node.n_leaves) * filter_leaf_rows;
    sums.count[cluster] += (end < tree.n_rows ? end : tree.n_rows) - node.first_leaf * filter_leaf_rows;
  }

  void give_all(const FilterNode& node, std::int32_t cluster) const {
    if (labels == nullptr) return give_sums(node, cluster);
    for (std::int64_t l = node.first_leaf; l < node.first_leaf + node.n_leaves; ++l) {
      const Leaf<T> leaf = leaf_of(tree, l);
      for (std::int64_t i = 0; i < leaf.size; ++i) labels[leaf.rows[i]] = cluster;
    }
  }

  // The nearest candidate of one row, as kernels that fuse find it.
  std::int64_t fused_in_leaf(const Leaf<T>& leaf, std::int64_t i, const std::int32_t* candidates, std::int64_t n,
                             std::int64_t first) const {
    FusedWinner<T> winner{first};
    T row[filter_max_cols];
    for (std::int64_t t = 0; t < tree.cols; ++t) row[t] = leaf.values[t * filter_leaf_rows + i];
    for (std::int64_t c = 0; c < n; ++c)
      winner.offer(fused_value(squared_metric, row, centres.row(candidates[c]), 1, tree.cols), candidates[c]);
    return winner.index;
  }

  // Nearest candidate of each row, by the arithmetic of dot_block; candidates rise, so ties keep the lowest index.
  COTERIE_INLINE void nearest_in_leaf(const Leaf<T>& leaf, const std::int32_t* candidates, std::int64_t n, LaneIndex<T>* out) const {
    for (std::int64_t i = 0; i < filter_leaf_rows; i += lanes<T>) {
      Vec<T> best = broadcast(std::numeric_limits<T>::infinity()), next = best;
      Mask<T> at = Mask<T>{};
      for (std::int64_t c = 0; c < n; ++c) {
        Vec<T> value = broadcast(start[candidates[c]]);
        for (std::int64_t t = 0; t < tree.cols; ++t)
          value -= load(leaf.values + t * filter_leaf_rows + i) * broadcast(centres.row(candidates[c])[t]);
        const Mask<T> is_nearer = value < best;
        if constexpr (!kernels_fuse) next = minimum<T>(next, maximum<T>(value, best));
        best = select<T>(is_nearer, value, best);
        at = select_index<T>(is_nearer, broadcast_index<T>(static_cast<LaneIndex<T>>(candidates[c])), at);
      }
      if constexpr (!kernels_fuse)
        for (int lane = 0; lane < lanes<T>; ++lane)
          if (is_in_doubt(best[lane], next[lane], static_cast<T>(margin / 2)))
            at[lane] = static_cast<LaneIndex<T>>(fused_in_leaf(leaf, i + lane, candidates, n, at[lane]));
      __builtin_memcpy(out + i, &at, sizeof(at));
    }
  }

  void assign_leaf(const Leaf<T>& leaf, const FilterNode& node, const std::int32_t* candidates, std::int64_t n) const {
    LaneIndex<T> nearest[filter_leaf_rows];
    nearest_in_leaf(leaf, candidates, n, nearest);
    if (labels != nullptr) {
      for (std::int64_t i = 0; i < leaf.size; ++i) labels[leaf.rows[i]] = static_cast<std::int32_t>(nearest[i]);
      return;
    }
    // the whole leaf to the centre of its middle row, then the others out again: most rows agree
    const auto common = static_cast<std::int32_t>(nearest[leaf.size / 2]);
    give_sums(node, common);
    for (std::int64_t i = 0; i < leaf.size; ++i) {
      if (nearest[i] == common) continue;
      T row[filter_max_cols];
      for (std::int64_t t = 0; t < tree.cols; ++t) row[t] = leaf.values[t * filter_leaf_rows + i];
      move_row(sums, units, common, static_cast<std::int64_t>(nearest[i]), row, weight_of(leaf.rows[i]));
    }
  }
};

// Nodes that are small enough for one task, left to right.
std::int64_t list_subtrees(const FilterNode& node, FilterNode* out, std::int64_t count) {
  if (node.n_leaves <= leaves_per_task) {
    if (out != nullptr) out[count] = node;
    return count + 1;
  }
  count = list_subtrees(node.left(), out, count);
  return list_subtrees(node.right(), out, count);
}

template <class T>
void filter_rows(const FilterTreeView<T>& tree, const KMeansData<T>& data, const SumUnits& units, const MatrixView<T>& centres,
                 const PackedColumns<T>& packed, std::int32_t* labels, const ClusterSums& deltas) {
  double largest_term = 0, largest_row = 0;
  for (std::int64_t j = 0; j < packed.n_columns; ++j)
    largest_term = packed.term[j] > largest_term ? static_cast<double>(packed.term[j]) : largest_term;
  for (std::int64_t t = 0; t < tree.cols; ++t) {
    const double low = static_cast<double>(tree.boxes[t]), high = static_cast<double>(tree.boxes[tree.cols + t]);
    largest_row += low * low > high * high ? low * low : high * high;
  }
  const double margin = 2 * squared_error<T>(tree.cols, largest_row, largest_term);
  const FilterNode root{0, 0, tree.n_leaves};
  const std::int64_t n_tasks = list_subtrees(root, nullptr, 0);
  const Scratch<FilterNode> tasks(n_tasks);
  list_subtrees(root, tasks.data(), 0);
  constexpr std::int64_t deepest = 12;  // levels below a task: log2(leaves_per_task) and some
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int thread) {
    const Scratch<std::int32_t> memory((deepest + 1) * centres.rows);
    for (std::int64_t j = 0; j < centres.rows; ++j) memory[j] = static_cast<std::int32_t>(j);
    FilterPass<T> pass{tree, data, units, centres, packed.start, margin, sums_of_thread(deltas, thread), labels};
    pass.visit(tasks[task], memory.data(), centres.rows, memory.data() + centres.rows);
  });
}

// Sums of every node from its rows, leaves first.
template <class T>
void sum_node(const FilterTreeView<T>& tree, const KMeansData<T>& data, const SumUnits& units, const FilterNode& node,
              std::int64_t* coarse, std::int64_t* fine) {
  const std::int64_t width = tree.cols + 1;
  std::int64_t count = 0;
  const ClusterSums here{coarse + node.id * width, fine == nullptr ? nullptr : fine + node.id * width, &count, 1, tree.cols};
  if (node.is_leaf()) {
    const Leaf<T> leaf = leaf_of(tree, node.first_leaf);
    for (std::int64_t i = 0; i < leaf.size; ++i) {
      T row[filter_max_cols];
      for (std::int64_t t = 0; t < tree.cols; ++t) row[t] = leaf.values[t * filter_leaf_rows + i];
      add_row(here, units, 0, row, data.weights == nullptr ? 1.0 : data.weights[leaf.rows[i]]);
    }
    return;
  }
  const FilterNode children[] = {node.left(), node.right()};  // an array: a list would bring functions of the library
  for (const FilterNode& child : children)
    for (std::int64_t t = 0; t < width; ++t) {
      add_to(here.coarse[t], coarse[child.id * width + t]);
      if (fine != nullptr) add_to(here.fine[t], fine[child.id * width + t]);
    }
}

template <class T>
void sum_below(const FilterTreeView<T>& tree, const KMeansData<T>& data, const SumUnits& units, const FilterNode& node,
               std::int64_t* coarse, std::int64_t* fine, std::int64_t stop_at) {
  if (!node.is_leaf() && node.n_leaves > stop_at) {
    sum_below(tree, data, units, node.left(), coarse, fine, stop_at);
    sum_below(tree, data, units, node.right(), coarse, fine, stop_at);
  }
  if (node.is_leaf() || node.n_leaves > stop_at) sum_node(tree, data, units, node, coarse, fine);
}

template <class T>
void sum_leaves(const FilterTreeView<T>& tree, const KMeansData<T>& data, const SumUnits& units, std::int64_t* coarse,
                std::int64_t* fine) {
  const FilterNode root{0, 0, tree.n_leaves};
  const std::int64_t n_tasks = list_subtrees(root, nullptr, 0);
  const Scratch<FilterNode> tasks(n_tasks);
  list_subtrees(root, tasks.data(), 0);
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int) { sum_below(tree, data, units, tasks[task], coarse, fine, 1); });
  // what is left are the nodes above the tasks; a root that was a task itself has its sums
  if (root.n_leaves > leaves_per_task) sum_below(tree, data, units, root, coarse, fine, leaves_per_task);
}

template <class T>
void install_for(KMeansKernels<T>& kernels) {
  kernels.filter_rows = filter_rows<T>;
  kernels.sum_leaves = sum_leaves<T>;
}

}  // namespace

void install_filter_pass(Engine& engine) {
  install_for(engine.float32.kmeans);
  install_for(engine.float64.kmeans);
}

}  // namespace coterie::COTERIE_ISA
