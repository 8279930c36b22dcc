// Swaps. Candidates are judged in blocks, many at a time, but taken one by one in their order: the result is that of
// judging each after the swap before it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "medoids/medoids.h"
#include "medoids/nearest_medoids.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t worth_a_team = 1 << 18;  // numbers that take longer to read than threads to wake
constexpr std::int64_t first_block = 8;     // candidates judged together after a swap: most are judged in vain
constexpr double least_fall = 0x1.0p-42;  // share of the sums it comes from that a swap must win: below is rounding

struct Swap {
  double change = std::numeric_limits<double>::infinity();
  std::int64_t slot = -1;
};

template <class T>
class Swapper {
 public:
  Swapper(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
          const std::vector<std::int64_t>& start, const SwapOptions& options, const SwapProgress& progress)
      : rows_(rows),
        candidates_(candidates),
        options_(options),
        progress_(progress),
        near_(rows, start, options.objective == MedoidObjective::distance ? 2 : 3, weights, options.threads),
        is_medoid_(static_cast<std::size_t>(rows.n_candidates())),
        outcome_{start, 0, 0, 0, false} {
    for (const std::int64_t medoid : start) is_medoid_[static_cast<std::size_t>(medoid)] = true;
    const std::int64_t threads = resolve_threads(options.threads);
    changes_.resize(static_cast<std::size_t>(threads * near_.n_medoids()));
    settle_losses();
  }

  SwapOutcome run() {
    if (options_.rule == SwapRule::first)
      take_first();
    else
      take_best();
    return outcome_;
  }

 private:
  std::int64_t n_candidates() const { return static_cast<std::int64_t>(candidates_.size()); }
  // A change is what its medoid would leave behind less what the candidate takes over: both may exceed the loss by far.
  bool improves(const Swap& swap) const {
    return swap.slot >= 0 && swap.change < -least_fall * (outcome_.loss + std::abs(losses_[static_cast<std::size_t>(swap.slot)]));
  }

  // Goes round the candidates until none of a whole round improves.
  void take_first() {
    std::int64_t in_vain = 0, block = first_block;
    while (outcome_.n_passes < options_.max_passes && !outcome_.is_settled) {
      for (std::int64_t at = 0; at < n_candidates() && !outcome_.is_settled;) {
        load_panel(at);
        const std::int64_t count = std::min(block, panel_end_ - at);
        judge(at, count);
        std::int64_t t = 0;
        while (t < count && !improves(swaps_[static_cast<std::size_t>(t)])) ++t;
        const bool is_found = t < count;
        if (is_found) perform(at + t, swaps_[static_cast<std::size_t>(t)].slot);
        in_vain = is_found ? 0 : in_vain + count;
        block = is_found ? first_block : std::min(2 * block, DistanceRows<T>::most_rows);
        at += is_found ? t + 1 : count;
        outcome_.is_settled = in_vain >= n_candidates();
      }
      end_pass();
    }
  }

  void take_best() {
    while (outcome_.n_passes < options_.max_passes && !outcome_.is_settled) {
      Swap best;
      std::int64_t best_at = -1;
      for (std::int64_t at = 0; at < n_candidates(); at = panel_end_) {
        load_panel(at);
        judge(at, panel_end_ - at);
        for (std::int64_t t = 0; t < panel_end_ - at; ++t) {
          const Swap& swap = swaps_[static_cast<std::size_t>(t)];
          if (!(swap.change < best.change)) continue;
          best = swap;
          best_at = at + t;
        }
      }
      outcome_.is_settled = !improves(best);
      if (!outcome_.is_settled) {
        load_panel(best_at);
        perform(best_at, best.slot);
      }
      end_pass();
    }
  }

  void end_pass() {
    ++outcome_.n_passes;
    if (progress_) progress_(outcome_.n_passes, outcome_.loss);
  }

  // Makes the rows of candidates [panel_begin_, panel_end_) available, `at` among them.
  void load_panel(std::int64_t at) {
    if (panel_begin_ <= at && at < panel_end_) return;
    panel_begin_ = at / DistanceRows<T>::most_rows * DistanceRows<T>::most_rows;
    panel_end_ = std::min(panel_begin_ + DistanceRows<T>::most_rows, n_candidates());
    panel_ = rows_.fetch(candidates_.data() + panel_begin_, panel_end_ - panel_begin_);
  }

  void judge(std::int64_t first, std::int64_t count) {
    swaps_.assign(static_cast<std::size_t>(count), {});
    const int threads = count * rows_.n_points() < worth_a_team ? 1 : options_.threads;
    parallel_for(count, threads, [&](std::int64_t i, int thread) {
      if (is_medoid_[static_cast<std::size_t>(candidates_[static_cast<std::size_t>(first + i)])]) return;
      swaps_[static_cast<std::size_t>(i)] = swap_of(panel_[first + i - panel_begin_], changes_.data() + thread * near_.n_medoids());
    });
  }

  // The best medoid to give up for the candidate of this row; the lowest of equals.
  Swap swap_of(const T* row, double* change) const {
    const MedoidKernels<T>& kernels = engine().of<T>().medoids;
    std::copy(losses_.begin(), losses_.end(), change);
    const auto evaluate = options_.objective == MedoidObjective::distance ? kernels.distance_change : kernels.ratio_change;
    const double for_all = evaluate(row, near_.points(), change);
    const double* least = std::min_element(change, change + losses_.size());
    return {*least + for_all, least - change};
  }

  void perform(std::int64_t at, std::int64_t slot) {
    std::int64_t& medoid = outcome_.medoids[static_cast<std::size_t>(slot)];
    is_medoid_[static_cast<std::size_t>(medoid)] = false;
    medoid = candidates_[static_cast<std::size_t>(at)];
    is_medoid_[static_cast<std::size_t>(medoid)] = true;
    near_.replace(slot, panel_[at - panel_begin_]);
    ++outcome_.n_swaps;
    settle_losses();
  }

  // The loss, and what it would grow by if a medoid were lost without replacement.
  void settle_losses() {
    const MedoidPoints<T>& points = near_.points();
    const auto k = static_cast<std::size_t>(near_.n_medoids());
    const std::int64_t n_tasks = block_count(points.n, points_per_task);
    parts_.assign(static_cast<std::size_t>(n_tasks) * (k + 1), 0.0);
    parallel_for(n_tasks, options_.threads, [&](std::int64_t task, int) {
      double* part = parts_.data() + static_cast<std::size_t>(task) * (k + 1);
      const Range range = block_range(points.n, points_per_task, task);
      if (options_.objective == MedoidObjective::distance)
        add_distances(points, range, part);
      else
        add_ratios(points, range, part);
    });
    losses_.assign(k, 0.0);
    outcome_.loss = 0;
    for (std::size_t task = 0; task < static_cast<std::size_t>(n_tasks); ++task) {
      for (std::size_t slot = 0; slot < k; ++slot) losses_[slot] += parts_[task * (k + 1) + slot];
      outcome_.loss += parts_[task * (k + 1) + k];
    }
  }

  void add_distances(const MedoidPoints<T>& points, Range range, double* part) const {
    for (std::int64_t o = range.begin; o < range.end; ++o) {
      const double weight = points.weights == nullptr ? 1.0 : points.weights[o];
      const double near = static_cast<double>(points.distance[0][o]);
      part[points.slot[0][o]] += weight * (static_cast<double>(points.distance[1][o]) - near);
      part[near_.n_medoids()] += weight * near;
    }
  }

  void add_ratios(const MedoidPoints<T>& points, Range range, double* part) const {
    for (std::int64_t o = range.begin; o < range.end; ++o) {
      const double weight = points.weights == nullptr ? 1.0 : points.weights[o];
      const T first = points.distance[0][o], second = points.distance[1][o], third = points.distance[2][o];
      const double ratio = medoid_ratio(first, second);
      part[points.slot[0][o]] += weight * (medoid_ratio(second, third) - ratio);
      part[points.slot[1][o]] += weight * (medoid_ratio(first, third) - ratio);
      part[near_.n_medoids()] += weight * ratio;
    }
  }

  DistanceRows<T>& rows_;
  const std::vector<std::int64_t>& candidates_;
  SwapOptions options_;
  const SwapProgress& progress_;
  NearestMedoids<T> near_;
  std::vector<bool> is_medoid_;
  SwapOutcome outcome_;
  std::int64_t panel_begin_ = 0, panel_end_ = 0;
  const T* const* panel_ = nullptr;
  std::vector<Swap> swaps_;
  std::vector<double> losses_, changes_, parts_;
};

}  // namespace

template <class T>
SwapOutcome swap_medoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
                         const std::vector<std::int64_t>& start, const SwapOptions& options, const SwapProgress& progress) {
  return Swapper<T>(rows, candidates, weights, start, options, progress).run();
}

template SwapOutcome swap_medoids<float>(DistanceRows<float>&, const std::vector<std::int64_t>&, const double*,
                                         const std::vector<std::int64_t>&, const SwapOptions&, const SwapProgress&);
template SwapOutcome swap_medoids<double>(DistanceRows<double>&, const std::vector<std::int64_t>&, const double*,
                                          const std::vector<std::int64_t>&, const SwapOptions&, const SwapProgress&);

}  // namespace coterie
