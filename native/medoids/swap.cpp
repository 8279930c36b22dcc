// Swaps. Candidates are judged in blocks, many at a time, but taken one by one in their order: the result is that of
// judging each after the swap before it.
//
// Most candidates improve nothing, and a bound from 16 bits of each distance shows it: only the others are judged by their distances.
// Several starts go round the candidates side by side, so that what is read or computed of a row serves all of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "medoids/medoids.h"
#include "medoids/nearest_medoids.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t worth_a_team = 1 << 18;  // numbers that take longer to read than threads to wake
constexpr std::int64_t first_block = 8;     // candidates judged together after a swap: most are judged in vain
constexpr double least_float = 0x1.0p-146;  // by which distances and sums below the range of floats can lift it, per point and weight
constexpr double most_weight = 0x1.0p60;  // of codes, and its inverse the least one: products of floats stay in range
constexpr double bound_error = 0x1.0p-19;  // share of the sums by which the rounding of floats can lift a bound
constexpr std::int64_t most_copied = std::int64_t{1} << 28;  // bytes: rows of medoids of the starts that go side by side

struct Swap {
  double change = std::numeric_limits<double>::infinity();
  std::int64_t slot = -1;
};

// The candidates that are looked at: places [begin, end), their rows, and codes of all rows so far (null: there are none).
template <class T>
struct Panel {
  std::int64_t begin, end;
  const T* const* rows;
  const DistanceCodes<T>* codes;

  const T* row(std::int64_t at) const { return rows[at - begin]; }
};

// One start.
template <class T>
class Swapper {
 public:
  Swapper(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
          const std::vector<std::int64_t>& start, const SwapOptions& options, bool is_coded)
      : rows_(rows),
        candidates_(candidates),
        options_(options),
        near_(rows, start, options.objective == MedoidObjective::distance ? 2 : 3, weights, is_coded, options.threads),
        is_medoid_(static_cast<std::size_t>(rows.n_candidates())),
        outcome_{start, 0, 0, 0, false} {
    for (const std::int64_t medoid : start) is_medoid_[static_cast<std::size_t>(medoid)] = true;
    const std::int64_t threads = resolve_threads(options.threads);
    changes_.resize(static_cast<std::size_t>(threads * 2 * near_.n_medoids()));
    all_weights_ = static_cast<double>(rows.n_points());
    for (std::int64_t o = 0; weights != nullptr && o < rows.n_points(); ++o) all_weights_ += weights[o];
    settle_losses();
  }

  const SwapOutcome& outcome() const { return outcome_; }
  bool is_done() const { return outcome_.is_settled || outcome_.n_passes >= options_.max_passes; }

  // The next candidates of a pass.
  void walk(const Panel<T>& panel, int threads) {
    if (options_.rule == SwapRule::best) return remember_best(panel, threads);
    for (std::int64_t at = panel.begin; at < panel.end && !outcome_.is_settled;) {
      const std::int64_t count = std::min(block_, panel.end - at);
      const std::int64_t found = judge(panel, at, count, threads);
      const bool is_found = found < count;
      if (is_found) perform(at + found, swaps_[static_cast<std::size_t>(found)].slot, panel.row(at + found));
      in_vain_ = is_found ? 0 : in_vain_ + count;
      block_ = is_found ? first_block : std::min(2 * block_, DistanceRows<T>::most_rows);
      at += is_found ? found + 1 : count;
      outcome_.is_settled = in_vain_ >= n_candidates();  // none of a whole round improves
    }
  }

  // After all candidates; not while others walk, since rows may move.
  void end_pass() {
    if (options_.rule == SwapRule::best) take_best();
    ++outcome_.n_passes;
  }

 private:
  std::int64_t n_candidates() const { return static_cast<std::int64_t>(candidates_.size()); }
  // A change is what its medoid would leave behind less what the candidate takes over: both may exceed the loss by far.
  bool improves(const Swap& swap) const { return swap.slot >= 0 && swap.change < -rounding_of(swap.slot); }

  double rounding_of(std::int64_t slot) const {
    return equal_share<T>(rows_.n_points()) * (outcome_.loss + std::abs(losses_[static_cast<std::size_t>(slot)]));
  }

  void remember_best(const Panel<T>& panel, int threads) {
    const std::int64_t count = panel.end - panel.begin;
    judge(panel, panel.begin, count, threads);
    for (std::int64_t t = 0; t < count; ++t) {
      const Swap& swap = swaps_[static_cast<std::size_t>(t)];
      if (swap.slot < 0 || !(best_.slot < 0 || swap.change < best_.change - rounding_of(swap.slot))) continue;
      best_ = swap;
      best_at_ = panel.begin + t;
    }
  }

  void take_best() {
    outcome_.is_settled = !improves(best_);
    if (!outcome_.is_settled) perform(best_at_, best_.slot, *rows_.fetch(candidates_.data() + best_at_, 1));
    best_ = {};
  }

  // Returns how many candidates there are before the first to take. Where one thread judges, it stops there.
  std::int64_t judge(const Panel<T>& panel, std::int64_t first, std::int64_t count, int threads) {
    swaps_.assign(static_cast<std::size_t>(count), {});
    const bool is_shared = resolve_threads(threads) > 1 && count * rows_.n_points() >= worth_a_team;
    const auto judge_one = [&](std::int64_t i, int thread) {
      swaps_[static_cast<std::size_t>(i)] = swap_of(panel, first + i, changes_.data() + thread * 2 * near_.n_medoids());
    };
    if (is_shared) parallel_for(count, threads, judge_one);
    std::int64_t i = 0;
    for (; i < count; ++i) {
      if (!is_shared) judge_one(i, 0);
      if (options_.rule == SwapRule::first && improves(swaps_[static_cast<std::size_t>(i)])) break;
    }
    return i;
  }

  // The best medoid to give up for a candidate, the first of equals; none where a bound shows that there is none to take.
  Swap swap_of(const Panel<T>& panel, std::int64_t at, double* change) const {
    if (is_medoid_[static_cast<std::size_t>(candidates_[static_cast<std::size_t>(at)])]) return {};
    const MedoidKernels<T>& kernels = engine().of<T>().medoids;
    if (panel.codes != nullptr) {
      const Swap bound =
          least_of(change, [&] { return engine().distance_codes.change_bound(panel.codes->row(at), near_.coded_points(), change); });
      const double limit = options_.rule == SwapRule::best ? std::min(best_.change, 0.0) : 0.0;
      if (bound.change > limit + bound_error * (outcome_.loss + all_losses_) + least_float * all_weights_) return {};
    }
    const auto evaluate = options_.objective == MedoidObjective::distance ? kernels.distance_change : kernels.ratio_change;
    return least_of(change, [&] { return evaluate(panel.row(at), near_.points(), change); });
  }

  template <class Evaluate>
  Swap least_of(double* change, const Evaluate& evaluate) const {
    std::fill(std::copy(losses_.begin(), losses_.end(), change), change + 2 * losses_.size(), 0.0);
    const double for_all = evaluate();
    const double *begin = change, *end = change + losses_.size();
    const double* least = std::min_element(begin, end);
    const double limit = *least + rounding_of(least - begin);
    const double* first = std::find_if(begin, end, [=](double each) { return each <= limit; });
    least = first == end ? least : first;  // none where the changes are not numbers
    return {*least + for_all, least - begin};
  }

  void perform(std::int64_t at, std::int64_t slot, const T* row) {
    std::int64_t& medoid = outcome_.medoids[static_cast<std::size_t>(slot)];
    is_medoid_[static_cast<std::size_t>(medoid)] = false;
    medoid = candidates_[static_cast<std::size_t>(at)];
    is_medoid_[static_cast<std::size_t>(medoid)] = true;
    near_.replace(slot, row);
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
    outcome_.loss = all_losses_ = 0;
    for (std::size_t task = 0; task < static_cast<std::size_t>(n_tasks); ++task) {
      for (std::size_t slot = 0; slot < k; ++slot) losses_[slot] += parts_[task * (k + 1) + slot];
      outcome_.loss += parts_[task * (k + 1) + k];
    }
    for (const double loss : losses_) all_losses_ += std::abs(loss);
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
  NearestMedoids<T> near_;
  std::vector<bool> is_medoid_;
  SwapOutcome outcome_;
  std::int64_t in_vain_ = 0, block_ = first_block;
  Swap best_{};  // of this pass
  std::int64_t best_at_ = -1;
  std::vector<Swap> swaps_;
  std::vector<double> losses_, changes_, parts_;
  double all_losses_ = 0, all_weights_ = 0;
};

// Some starts, side by side.
template <class T>
class SwapperGroup {
 public:
  SwapperGroup(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const SwapOptions& options, DistanceCodes<T>* codes,
               const SwapProgress& progress)
      : rows_(rows), candidates_(candidates), options_(options), codes_(codes), progress_(progress) {}

  void add(const double* weights, const std::vector<std::int64_t>& start) {
    twin_of_.push_back(swappers_.size());
    swappers_.push_back(std::make_unique<Swapper<T>>(rows_, candidates_, weights, start, options_, codes_ != nullptr));
  }

  void run(std::vector<SwapOutcome>& outcomes) {
    for (std::vector<Swapper<T>*> going = unfinished(); !going.empty(); going = unfinished()) {
      walk_all(going);
      for (Swapper<T>* swapper : going) {
        swapper->end_pass();
        if (progress_) progress_(swapper->outcome().n_passes, swapper->outcome().loss);
      }
      leave_twins();
    }
    for (std::size_t s = 0; s < swappers_.size(); ++s) outcomes.push_back(swappers_[goes_on_for(s)]->outcome());
  }

 private:
  std::vector<Swapper<T>*> unfinished() const {
    std::vector<Swapper<T>*> going;
    for (std::size_t s = 0; s < swappers_.size(); ++s)
      if (twin_of_[s] == s && !swappers_[s]->is_done()) going.push_back(swappers_[s].get());
    return going;
  }

  std::size_t goes_on_for(std::size_t start) const {
    while (twin_of_[start] != start) start = twin_of_[start];  // who went on for it may have met a twin later
    return start;
  }

  // A start that has come to the medoids of an earlier one would go on as that does, and end where it ends.
  void leave_twins() {
    std::vector<std::vector<std::int64_t>> medoids;
    for (const auto& swapper : swappers_) {
      medoids.push_back(swapper->outcome().medoids);
      std::sort(medoids.back().begin(), medoids.back().end());
    }
    for (std::size_t s = 1; s < swappers_.size(); ++s)
      for (std::size_t earlier = 0; earlier < s && twin_of_[s] == s; ++earlier)
        if (twin_of_[earlier] == earlier && medoids[earlier] == medoids[s]) twin_of_[s] = earlier;
  }

  // A pass: by threads that have a start each, or by all threads for one start after the other.
  void walk_all(const std::vector<Swapper<T>*>& going) {
    const auto n = static_cast<std::int64_t>(candidates_.size()), n_going = static_cast<std::int64_t>(going.size());
    const bool is_shared = n_going >= resolve_threads(options_.threads);
    const auto is_settled = [](const Swapper<T>* swapper) { return swapper->outcome().is_settled; };
    for (std::int64_t begin = 0; begin < n && !std::all_of(going.begin(), going.end(), is_settled);
         begin += DistanceRows<T>::most_rows) {
      const std::int64_t end = std::min(begin + DistanceRows<T>::most_rows, n);
      const Panel<T> panel{begin, end, rows_.fetch(candidates_.data() + begin, end - begin), codes_};
      if (codes_ != nullptr) codes_->encode(begin, end, panel.rows, options_.threads);
      const auto walk = [&](std::int64_t at, int) {
        going[static_cast<std::size_t>(at)]->walk(panel, is_shared ? 1 : options_.threads);
      };
      parallel_for(n_going, is_shared ? options_.threads : 1, walk);
    }
  }

  DistanceRows<T>& rows_;
  const std::vector<std::int64_t>& candidates_;
  SwapOptions options_;
  DistanceCodes<T>* codes_;
  const SwapProgress& progress_;
  std::vector<std::unique_ptr<Swapper<T>>> swappers_;
  std::vector<std::size_t> twin_of_;  // per start: the one that goes on for it, itself if none does
};

// Null where they do not help, or where there is no memory for them.
template <class T>
std::unique_ptr<DistanceCodes<T>> make_codes(const DistanceRows<T>& rows, std::int64_t n_candidates, const double* weights,
                                             MedoidObjective objective) {
  for (std::int64_t o = 0; weights != nullptr && o < rows.n_points(); ++o)
    if (!(weights[o] == 0 || (weights[o] >= 1 / most_weight && weights[o] <= most_weight))) return nullptr;
  const bool is_small = rows.n_points() <= DistanceCodes<T>::most_cells / (n_candidates + 1);
  if (!rows.is_lasting() || objective != MedoidObjective::distance || !is_small) return nullptr;
  try {
    return std::make_unique<DistanceCodes<T>>(n_candidates, rows.n_points());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

template <class T>
std::vector<SwapOutcome> swap_medoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
                                      const std::vector<std::vector<std::int64_t>>& starts, const SwapOptions& options,
                                      const SwapProgress& progress) {
  std::vector<SwapOutcome> outcomes;
  const auto n_candidates = static_cast<std::int64_t>(candidates.size()), n_starts = static_cast<std::int64_t>(starts.size());
  if (n_starts == 0) return outcomes;
  const std::int64_t copied = rows.n_points() * static_cast<std::int64_t>(starts[0].size() * sizeof(T));
  const std::int64_t side_by_side = rows.is_lasting() ? n_starts : std::clamp<std::int64_t>(most_copied / (copied + 1), 1, n_starts);
  const std::unique_ptr<DistanceCodes<T>> codes = make_codes(rows, n_candidates, weights, options.objective);
  for (std::int64_t first = 0; first < n_starts; first += side_by_side) {
    SwapperGroup<T> group(rows, candidates, options, codes.get(), progress);
    for (std::int64_t s = first; s < std::min(first + side_by_side, n_starts); ++s)
      group.add(weights, starts[static_cast<std::size_t>(s)]);
    group.run(outcomes);
  }
  return outcomes;
}

template std::vector<SwapOutcome> swap_medoids<float>(DistanceRows<float>&, const std::vector<std::int64_t>&, const double*,
                                                      const std::vector<std::vector<std::int64_t>>&, const SwapOptions&,
                                                      const SwapProgress&);
template std::vector<SwapOutcome> swap_medoids<double>(DistanceRows<double>&, const std::vector<std::int64_t>&, const double*,
                                                       const std::vector<std::vector<std::int64_t>>&, const SwapOptions&,
                                                       const SwapProgress&);

}  // namespace coterie
