#include "evaluate/silhouette.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "evaluate/silhouette_bounds.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr std::int64_t columns_per_task = 1024;
constexpr std::int64_t most_rows_per_block = 768;
constexpr double largest_fused_term = 1e36;  // four times this fits in float32
constexpr std::int64_t least_rows_to_bound = 2048, most_groups_to_bound = 256;  // a byte per row and group
constexpr std::int64_t rows_per_job = 192;
constexpr std::int64_t most_asked = 1 << 18;  // rows and groups that wait to meet: enough for all threads, 4 MiB
constexpr double full_share = 0.9;  // of both sides that ask for each other: then all pairs at once, each for both rows
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
    rows_per_block_ = std::clamp(wanted / group_columns<T> * group_columns<T>, 4 * group_columns<T>, most_rows_per_block);
  }

  void run() {
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      out_.nearest_mean[i] = std::numeric_limits<double>::infinity();
      out_.neighbour[i] = -1;
    }
    if (out_.between_sum != nullptr) std::fill_n(out_.between_sum, n_groups_ * n_groups_, 0.0);
    choose_pairs();
    for (std::int64_t group = 0; group < n_groups_; ++group) {
      const std::int64_t end = group_start_[static_cast<std::size_t>(group) + 1];
      for (std::int64_t first = group_start_[static_cast<std::size_t>(group)]; first < end; first += rows_per_block_)
        walk_block(group, first, std::min(first + rows_per_block_, end));
      offer_columns(group);
      collect_asking_rows(group);
      if (n_asked_ >= most_asked) answer_asking_rows();
    }
    answer_asking_rows();
  }

 private:
  struct Job {
    std::int64_t other;  // the group that is asked for
    std::vector<std::int64_t> rows;
    std::vector<double> sums;
  };

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
        for (std::int64_t t = 0; t < X.cols; ++t)
          to[t] = factor * (shift_.empty() ? from[t] : from[t] - shift_[static_cast<std::size_t>(t)]);
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

  std::int64_t first_row(std::int64_t group) const { return group_start_[static_cast<std::size_t>(group)]; }
  std::int64_t first_panel(std::int64_t group) const { return panel_start_[static_cast<std::size_t>(group)]; }

  // Whether all rows of two groups meet; if not, only those rows of either that may have the other as their nearest group.
  bool is_full(std::int64_t a, std::int64_t b) const {
    return is_full_.empty() || is_full_[static_cast<std::size_t>(a * n_groups_ + b)] != 0;
  }

  void choose_pairs() {
    panel_start_.assign(static_cast<std::size_t>(n_groups_) + 1, 0);
    for (std::int64_t panel = 0; panel < Y_.n_panels; ++panel) ++panel_start_[static_cast<std::size_t>(Y_.group[panel]) + 1];
    for (std::size_t g = 0; g < static_cast<std::size_t>(n_groups_); ++g) panel_start_[g + 1] += panel_start_[g];
    const bool is_worthwhile = n_groups_ > 2 && n_groups_ <= most_groups_to_bound && n_rows() >= least_rows_to_bound;
    if (!is_worthwhile || !is_euclidean_ || !row_weights_.empty() || out_.between_sum != nullptr) return;
    asks_ = possible_neighbours<T>({{sorted_.data(), n_rows(), Y_.cols, Y_.cols}, group_start_.data(), n_groups_}, threads_);
    std::vector<double> share(static_cast<std::size_t>(n_groups_ * n_groups_), 0.0);
    for (std::int64_t a = 0; a < n_groups_; ++a)
      for (std::int64_t i = first_row(a); i < first_row(a + 1); ++i)
        for (std::int64_t b = 0; b < n_groups_; ++b)
          share[static_cast<std::size_t>(a * n_groups_ + b)] +=
              asks(i, b) ? 1.0 / static_cast<double>(first_row(a + 1) - first_row(a)) : 0.0;
    is_full_.resize(share.size());
    for (std::int64_t a = 0; a < n_groups_; ++a)
      for (std::int64_t b = 0; b < n_groups_; ++b)
        is_full_[static_cast<std::size_t>(a * n_groups_ + b)] =
            share[static_cast<std::size_t>(a * n_groups_ + b)] + share[static_cast<std::size_t>(b * n_groups_ + a)] >= full_share;
  }

  bool asks(std::int64_t row, std::int64_t group) const { return asks_[static_cast<std::size_t>(row * n_groups_ + group)] != 0; }

  // The rows of a group that ask for another.
  void collect_asking_rows(std::int64_t group) {
    for (std::int64_t other = 0; other < n_groups_; ++other) {
      if (other == group || is_full(group, other)) continue;
      bool is_new = true;
      for (std::int64_t i = first_row(group); i < first_row(group + 1); ++i) {
        if (!asks(i, other)) continue;
        if (is_new || static_cast<std::int64_t>(jobs_.back().rows.size()) == rows_per_job) jobs_.push_back({other, {}, {}});
        is_new = false;
        jobs_.back().rows.push_back(i);
        ++n_asked_;
      }
    }
  }

  // Each against the group that it asks for.
  void answer_asking_rows() {
    parallel_for(static_cast<std::int64_t>(jobs_.size()), threads_,
                 [&](std::int64_t at, int) { sum_job(jobs_[static_cast<std::size_t>(at)]); });
    for (const Job& job : jobs_)
      for (std::size_t i = 0; i < job.rows.size(); ++i)
        offer(*ids_at(job.rows[i]), job.sums[i] / group_weight_[static_cast<std::size_t>(job.other)], job.other);
    jobs_.clear();
    n_asked_ = 0;
  }

  void sum_job(Job& job) const {
    const auto count = static_cast<std::int64_t>(job.rows.size());
    std::vector<T> rows, terms;
    for (const std::int64_t i : job.rows) {
      rows.insert(rows.end(), sorted_.data() + i * Y_.cols, sorted_.data() + (i + 1) * Y_.cols);
      terms.push_back(terms_[static_cast<std::size_t>(i)]);
    }
    job.sums.assign(job.rows.size(), 0.0);
    engine().of<T>().silhouette.add_sums({{rows.data(), count, Y_.cols, Y_.cols},
                                          terms.data(),
                                          is_euclidean_,
                                          &Y_,
                                          metric_,
                                          first_panel(job.other),
                                          first_panel(job.other + 1),
                                          job.sums.data(),
                                          nullptr,
                                          nullptr,
                                          nullptr});
  }

  // Rows [first, end) of a group against themselves and against the panels after them, of groups that are met in full.
  void walk_block(std::int64_t group, std::int64_t first, std::int64_t end) {
    const std::int64_t own = slot_[static_cast<std::size_t>(first)] / width_, rows = end - first;
    const std::int64_t next = own + block_count(rows, group_columns<T>) * (group_columns<T> / width_),
                       step = columns_per_task / width_;
    tasks_.clear();
    std::int64_t n_sums = 0;
    for (std::int64_t panel = own; panel < Y_.n_panels;) {
      const std::int64_t other = Y_.group[panel];
      std::int64_t stop = panel == own ? next : std::min(panel + step, Y_.n_panels);
      if (!is_full_.empty() && panel != own) stop = std::min(stop, first_panel(other + 1));
      if (other != group && !is_full(group, other)) {
        panel = first_panel(other + 1);
        continue;
      }
      tasks_.push_back({panel, stop, n_sums});
      n_sums += (Y_.group[stop - 1] - other + 1) * rows;
      panel = stop;
    }
    row_sums_.assign(static_cast<std::size_t>(n_sums), 0.0);
    parallel_for(static_cast<std::int64_t>(tasks_.size()), threads_, [&](std::int64_t task, int) {
      const Task& part = tasks_[static_cast<std::size_t>(task)];
      const MatrixView<T> block = {sorted_.data() + first * Y_.cols, rows, Y_.cols, Y_.cols};
      double* column_sums = part.first_panel == own ? nullptr : column_sums_.data();
      const T* row_weights = row_weights_.empty() ? nullptr : row_weights_.data() + first;
      engine().of<T>().silhouette.add_sums({block, terms_.data() + first, is_euclidean_, &Y_, metric_, part.first_panel,
                                            part.end_panel, row_sums_.data() + part.sums, column_sums, row_weights,
                                            column_weights_.data()});
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
        if (!is_full(group, Y_.group[slot_[static_cast<std::size_t>(i)] / width_])) continue;
        double& sum = column_sums_[static_cast<std::size_t>(slot_[static_cast<std::size_t>(i)])];
        offer(*ids_at(i), sum / group_weight_[static_cast<std::size_t>(group)], group);
        sum = 0;
      }
    });
  }

  // The lowest group of equals stays.
  void offer(std::int64_t row, double mean, std::int64_t group) {
    const bool is_tie = mean == out_.nearest_mean[row] && group < out_.neighbour[row];
    if (!(mean < out_.nearest_mean[row]) && !is_tie) return;
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
  std::vector<std::int64_t> slot_, group_start_, panel_start_;
  std::vector<std::uint8_t> asks_, is_full_;  // row x group, group x group; empty: all groups meet
  std::vector<double> group_weight_, column_sums_, row_sums_, totals_;
  std::vector<Task> tasks_;
  std::vector<Job> jobs_;
  std::int64_t n_asked_ = 0;
};

}  // namespace

template <class T>
void silhouette(const SilhouetteInput<T>& input, const Metric& metric, int threads, const SilhouetteOutput& out) {
  Pass<T>(input, metric, threads, out).run();
}

template void silhouette<float>(const SilhouetteInput<float>&, const Metric&, int, const SilhouetteOutput&);
template void silhouette<double>(const SilhouetteInput<double>&, const Metric&, int, const SilhouetteOutput&);

}  // namespace coterie
