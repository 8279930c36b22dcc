#include "silhouette.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr std::int64_t columns_per_task = 1024;
constexpr std::int64_t most_rows_per_block = 768;
constexpr double largest_fused_term = 1e36;  // four times this fits in float32
constexpr std::int64_t partial_sums_per_row = 8;  // bound of the memory for sums of a block: this many numbers per row

template <class T>
class Pass {
 public:
  Pass(const SilhouetteInput<T>& input, const Metric& metric, int threads, const SilhouetteOutput& out)
      : shift_(centring_shift(input.X, metric, threads)),
        pack_(input.X, shift_.empty() ? nullptr : shift_.data(), metric, input.group_of_row, input.n_groups, threads),
        Y_(pack_.columns()),
        width_(engine().of<T>().tiles.panel_width),
        n_groups_(input.n_groups),
        metric_(metric),
        threads_(threads),
        out_(out) {
    const MatrixView<T>& X = input.X;
    const std::int64_t n_groups = input.n_groups;
    const double largest_term = static_cast<double>(*std::max_element(Y_.term, Y_.term + Y_.n_panels * width_));
    is_euclidean_ = metric.kernel == Kernel::dot && metric.finish == Finish::norm && largest_term <= largest_fused_term;
    sort_rows(X);
    weigh(input.weights);
    column_sums_.assign(static_cast<std::size_t>(Y_.n_panels * width_), 0.0);
    const std::int64_t ranges = block_count(Y_.n_panels * width_, columns_per_task) + 1;
    const std::int64_t wanted = partial_sums_per_row * X.rows / (n_groups + ranges);
    rows_per_block_ = std::clamp(wanted / width_ * width_, 4 * width_, most_rows_per_block);
  }

  void run() {
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      out_.nearest_mean[i] = std::numeric_limits<double>::infinity();
      out_.neighbour[i] = -1;
    }
    if (out_.between_sum != nullptr) std::fill_n(out_.between_sum, n_groups_ * n_groups_, 0.0);
    for (std::int64_t group = 0; group < n_groups_; ++group) {
      const std::int64_t end = group_start_[static_cast<std::size_t>(group) + 1];
      for (std::int64_t first = group_start_[static_cast<std::size_t>(group)]; first < end; first += rows_per_block_)
        walk_block(group, first, std::min(first + rows_per_block_, end));
      offer_columns(group);
    }
  }

 private:
  struct Task {
    std::int64_t first_panel, end_panel;
    std::int64_t sums;  // where its row sums start
  };

  std::int64_t n_rows() const { return Y_.n_columns; }
  const std::int32_t* ids_at(std::int64_t row) const { return Y_.ids + slot_[static_cast<std::size_t>(row)]; }

  // Rows in the order of the packed columns, without the padding.
  void sort_rows(const MatrixView<T>& X) {
    group_start_.assign(static_cast<std::size_t>(n_groups_) + 1, 0);
    slot_.reserve(static_cast<std::size_t>(X.rows));
    for (std::int64_t at = 0; at < Y_.n_panels * width_; ++at) {
      if (Y_.ids[at] < 0) continue;
      slot_.push_back(at);
      ++group_start_[static_cast<std::size_t>(Y_.group[at / width_]) + 1];
    }
    for (std::size_t g = 0; g < static_cast<std::size_t>(n_groups_); ++g) group_start_[g + 1] += group_start_[g];
    sorted_.resize(static_cast<std::size_t>(X.rows * X.cols));
    terms_.resize(static_cast<std::size_t>(X.rows));
    constexpr std::int64_t block = 4096;
    const T factor = is_euclidean_ ? T(2) : T(1);
    parallel_for(block_count(X.rows, block), threads_, [&](std::int64_t task, int) {
      const Range range = block_range(X.rows, block, task);
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const T* from = X.row(*ids_at(i));
        T* to = sorted_.data() + i * X.cols;
        for (std::int64_t t = 0; t < X.cols; ++t) to[t] = factor * (shift_.empty() ? from[t] : from[t] - shift_[static_cast<std::size_t>(t)]);
        terms_[static_cast<std::size_t>(i)] = Y_.term[slot_[static_cast<std::size_t>(i)]];
      }
    });
  }

  // Weight of each group, and weights in the order of rows and of packed columns.
  void weigh(const T* weights) {
    group_weight_.assign(static_cast<std::size_t>(n_groups_), 0.0);
    if (weights != nullptr) {
      row_weights_.resize(static_cast<std::size_t>(n_rows()));
      column_weights_.assign(static_cast<std::size_t>(Y_.n_panels * width_), T(0));
    }
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      const std::size_t slot = static_cast<std::size_t>(slot_[static_cast<std::size_t>(i)]);
      const T weight = weights == nullptr ? T(1) : weights[*ids_at(i)];
      group_weight_[static_cast<std::size_t>(Y_.group[slot / static_cast<std::size_t>(width_)])] += static_cast<double>(weight);
      if (weights != nullptr) row_weights_[static_cast<std::size_t>(i)] = column_weights_[slot] = weight;
    }
  }

  // Rows [first, end) of a group against themselves and against all panels after them.
  void walk_block(std::int64_t group, std::int64_t first, std::int64_t end) {
    const std::int64_t own = slot_[static_cast<std::size_t>(first)] / width_, rows = end - first;
    const std::int64_t next = own + block_count(rows, width_), step = columns_per_task / width_;
    tasks_.clear();
    std::int64_t n_sums = 0;
    for (std::int64_t panel = own; panel < Y_.n_panels;) {
      const std::int64_t stop = panel == own ? next : std::min(panel + step, Y_.n_panels);
      tasks_.push_back({panel, stop, n_sums});
      n_sums += (Y_.group[stop - 1] - Y_.group[panel] + 1) * rows;
      panel = stop;
    }
    row_sums_.assign(static_cast<std::size_t>(n_sums), 0.0);
    parallel_for(static_cast<std::int64_t>(tasks_.size()), threads_, [&](std::int64_t task, int) {
      const Task& part = tasks_[static_cast<std::size_t>(task)];
      const MatrixView<T> block = {sorted_.data() + first * Y_.cols, rows, Y_.cols, Y_.cols};
      double* column_sums = part.first_panel == own ? nullptr : column_sums_.data();
      const T* row_weights = row_weights_.empty() ? nullptr : row_weights_.data() + first;
      engine().of<T>().silhouette.add_sums({block, terms_.data() + first, is_euclidean_, &Y_, metric_, part.first_panel, part.end_panel,
                                            row_sums_.data() + part.sums, column_sums, row_weights, column_weights_.data()});
    });
    take_rows(group, first, rows);
  }

  // Row sums of a block, in the order of its tasks: whole groups are offered, the own group is kept.
  void take_rows(std::int64_t group, std::int64_t first, std::int64_t rows) {
    totals_.assign(static_cast<std::size_t>(rows), 0.0);
    for (std::int64_t i = 0; i < rows; ++i)
      totals_[static_cast<std::size_t>(i)] = column_sums_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(first + i)])];
    std::int64_t current = group;
    for (const Task& task : tasks_) {
      const double* sums = row_sums_.data() + task.sums;
      for (std::int64_t g = Y_.group[task.first_panel]; g <= Y_.group[task.end_panel - 1]; ++g, sums += rows) {
        if (g != current) finish_group(group, current, first, rows);
        current = g;
        for (std::int64_t i = 0; i < rows; ++i) totals_[static_cast<std::size_t>(i)] += sums[i];
      }
    }
    finish_group(group, current, first, rows);
  }

  void finish_group(std::int64_t group, std::int64_t other, std::int64_t first, std::int64_t rows) {
    double all = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      double& total = totals_[static_cast<std::size_t>(i)];
      all += row_weights_.empty() ? total : total * static_cast<double>(row_weights_[static_cast<std::size_t>(first + i)]);
      if (other == group)
        out_.own_sum[*ids_at(first + i)] = total;
      else
        offer(*ids_at(first + i), total / group_weight_[static_cast<std::size_t>(other)], other);
      total = 0;
    }
    if (out_.between_sum == nullptr) return;
    out_.between_sum[group * n_groups_ + other] += all;
    if (other != group) out_.between_sum[other * n_groups_ + group] += all;
  }

  // All rows of later groups now know their distances to `group`.
  void offer_columns(std::int64_t group) {
    const std::int64_t begin = group_start_[static_cast<std::size_t>(group) + 1], left = n_rows() - begin;
    constexpr std::int64_t block = 1 << 14;
    parallel_for(block_count(left, block), threads_, [&](std::int64_t task, int) {
      const Range range = block_range(left, block, task);
      for (std::int64_t i = begin + range.begin; i < begin + range.end; ++i) {
        double& sum = column_sums_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(i)])];
        offer(*ids_at(i), sum / group_weight_[static_cast<std::size_t>(group)], group);
        sum = 0;
      }
    });
  }

  // Groups come in ascending order, so the first of equals stays.
  void offer(std::int64_t row, double mean, std::int64_t group) {
    if (!(mean < out_.nearest_mean[row])) return;
    out_.nearest_mean[row] = mean;
    out_.neighbour[row] = static_cast<std::int32_t>(group);
  }

  std::vector<T> shift_;
  ColumnPack<T> pack_;
  const PackedColumns<T>& Y_;
  std::int64_t width_, n_groups_, rows_per_block_ = 0;
  Metric metric_;
  int threads_;
  bool is_euclidean_ = false;
  SilhouetteOutput out_;
  std::vector<T> sorted_, terms_, row_weights_, column_weights_;
  std::vector<std::int64_t> slot_, group_start_;
  std::vector<double> group_weight_, column_sums_, row_sums_, totals_;
  std::vector<Task> tasks_;
};

}  // namespace

template <class T>
void silhouette(const SilhouetteInput<T>& input, const Metric& metric, int threads, const SilhouetteOutput& out) {
  Pass<T>(input, metric, threads, out).run();
}

template void silhouette<float>(const SilhouetteInput<float>&, const Metric&, int, const SilhouetteOutput&);
template void silhouette<double>(const SilhouetteInput<double>&, const Metric&, int, const SilhouetteOutput&);

}  // namespace coterie
