// The order of events in greedy k-means++, for any kind of rows.
//
// Candidates are drawn ahead, for several picks at once, and thinned by rejection when their turn comes: a row drawn when its
// squared distance was A is kept with probability B / A once it has shrunk to B. So the candidates of every pick have the
// probabilities of that pick, and one pass over the data serves several picks.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "kmeans/seeding/row_sampler.h"
#include "kmeans/seeding/seeding.h"
#include "kmeans/seeding/seeding_kernels.h"
#include "support/number_order.h"
#include "support/parallel.h"
#include "support/random.h"

namespace coterie {

// Source: rows(), gains(nearest, candidates, count, closer, out), take(pick, closer, bit, nearest), and when `lists_pairs` also
// list_closer(nearest, candidates, out) and room_for_pairs(), per row.
template <class T, class Source>
class Seeder {
 public:
  Seeder(const Source& source, const double* weights, const SeedingOptions& options, double* probabilities)
      : source_(source),
        weights_(weights),
        options_(options),
        probabilities_(probabilities),
        random_(options.seed),
        sampler_(weights, source.rows(), options.threads),
        nearest_(static_cast<std::size_t>(source.rows()), std::numeric_limits<T>::infinity()) {}

  Seeds run();

 private:
  struct Proposals {
    std::vector<std::int64_t> rows;
    std::vector<T> masses;  // squared distance when it was drawn
    std::size_t next = 0;
    std::uint64_t stream = 0;
  };

  std::int64_t picked() const { return static_cast<std::int64_t>(seeds_.rows.size()); }
  double room_for_pairs() const {
    if constexpr (Source::lists_pairs) return source_.room_for_pairs();
    return 0;
  }
  bool is_done() const { return picked() >= options_.n_clusters; }
  // No row is picked twice, not even where squares overflow.
  void pick(std::int64_t row) {
    seeds_.rows.push_back(row);
    nearest_[static_cast<std::size_t>(row)] = 0;
  }
  static std::int64_t best_gain(const std::vector<double>& gains);
  std::int64_t proposals_worth_listing() const;
  void propose(std::int64_t count);
  bool list_pairs();
  void pick_directly();
  void pick_from_pairs();
  bool accept_next(std::vector<std::int64_t>& accepted);
  std::vector<double> gains_of_pairs(const std::vector<std::int64_t>& candidates) const;
  void take_pairs(std::int64_t candidate);
  void record();

  const Source& source_;
  const double* weights_;
  const SeedingOptions options_;
  double* probabilities_;
  const CounterRandom random_;
  RowSampler<T> sampler_;
  std::vector<T> nearest_;  // squared distance of every row to the nearest pick
  Seeds seeds_{{}, 0};
  Proposals proposals_;
  std::vector<std::uint16_t> closer_;  // of the last direct pick: see SeedingKernels::gains
  std::unique_ptr<std::int32_t[]> pair_rows_;
  std::unique_ptr<T[]> pair_squares_;
  std::vector<std::int64_t> pair_starts_;
  double spread_ = 0.5;  // share of the rows that a candidate is closer to, times the number of picks; typical value
};

template <class T, class Source>
Seeds Seeder<T, Source>::run() {
  if (is_done() || !(sampler_.measure(nullptr) > 0)) return seeds_;
  record();
  pick(sampler_.draw(random_.uniform(0, 0)));
  source_.take(seeds_.rows[0], nullptr, 0, nearest_.data());
  while (!is_done() && sampler_.measure(nearest_.data()) > 0) {
    const std::int64_t many = proposals_worth_listing();
    propose(many > 0 ? many : options_.n_candidates);
    if (many > 0 && list_pairs())
      pick_from_pairs();
    else
      pick_directly();
    check_interrupt();
  }
  seeds_.potential = sampler_.measure(nearest_.data());
  return seeds_;
}

// The chances before the next pick.
template <class T, class Source>
void Seeder<T, Source>::record() {
  if (probabilities_ == nullptr) return;
  if (picked() > 0) sampler_.measure(nearest_.data());
  sampler_.write_probabilities(probabilities_ + picked(), options_.n_clusters);
}

// How many candidates to draw ahead, or 0 if their closer pairs would be too many. Does not depend on n_clusters, for the
// picks must not.
template <class T, class Source>
std::int64_t Seeder<T, Source>::proposals_worth_listing() const {
  if constexpr (!Source::lists_pairs) return 0;
  constexpr double share = 0.8;  // of the room: no two batches are alike
  const double affordable = share * room_for_pairs() * static_cast<double>(picked()) / spread_;
  std::int64_t many =
      affordable < static_cast<double>(most_listed_candidates) ? static_cast<std::int64_t>(affordable) : most_listed_candidates;
  many = many / (many < 32 ? 16 : 32) * (many < 32 ? 16 : 32);  // whole panels
  return many >= 2 * options_.n_candidates ? many : 0;
}

// The largest gain; of those that are equal but for rounding, which depends on the processor, the first.
template <class T, class Source>
std::int64_t Seeder<T, Source>::best_gain(const std::vector<double>& gains) {
  const auto largest = std::max_element(gains.begin(), gains.end());
  const double least = *largest - rounding_share<T> * *largest;
  const auto first = std::find_if(gains.begin(), largest, [least](double gain) { return gain >= least; });
  return first - gains.begin();
}

template <class T, class Source>
void Seeder<T, Source>::propose(std::int64_t count) {
  proposals_ = {};
  proposals_.stream = static_cast<std::uint64_t>(picked());
  for (std::int64_t c = 0; c < count; ++c) {
    const std::int64_t row = sampler_.draw(random_.uniform(proposals_.stream, static_cast<std::uint64_t>(c)));
    proposals_.rows.push_back(row);
    proposals_.masses.push_back(nearest_[static_cast<std::size_t>(row)]);
  }
}

template <class T, class Source>
void Seeder<T, Source>::pick_directly() {
  record();
  closer_.resize(nearest_.size());
  const std::int64_t count = options_.n_candidates;
  std::vector<double> gains(static_cast<std::size_t>(count));
  std::int64_t last_group = 0;
  for (std::int64_t first = 0; first < count; first += most_direct_candidates) {
    last_group = first;
    source_.gains(nearest_.data(), proposals_.rows.data() + first, std::min(most_direct_candidates, count - first), closer_.data(),
                  gains.data() + first);
  }
  const std::int64_t best = best_gain(gains);
  pick(proposals_.rows[static_cast<std::size_t>(best)]);
  const bool is_marked = best >= last_group;  // the marks of earlier groups are overwritten
  source_.take(seeds_.rows.back(), is_marked ? closer_.data() : nullptr, is_marked ? static_cast<int>(best - last_group) : 0,
               nearest_.data());
  spread_ *= 0.9;  // in the end, listing deserves another try
}

// Finds the closer pairs of all proposals; false if there is no room for them.
template <class T, class Source>
bool Seeder<T, Source>::list_pairs() {
  const auto count = static_cast<std::int64_t>(proposals_.rows.size()), n = source_.rows();
  const std::int64_t capacity = static_cast<std::int64_t>(room_for_pairs() * static_cast<double>(n)) + 1;
  closer_ = {};
  if (!pair_rows_) {
    pair_rows_.reset(new std::int32_t[static_cast<std::size_t>(capacity)]);
    pair_squares_.reset(new T[static_cast<std::size_t>(capacity)]);
  }
  pair_starts_.resize(static_cast<std::size_t>(block_count(n, seeding_rows_per_task) * (count + 1)));
  std::int64_t used = 0;
  if constexpr (Source::lists_pairs)
    source_.list_closer(nearest_.data(), proposals_.rows,
                        {pair_rows_.get(), pair_squares_.get(), pair_starts_.data(), capacity, &used, count});
  spread_ = static_cast<double>(used * picked()) / static_cast<double>(n * count);
  return used <= capacity;
}

// Draws the candidates of the next pick from the proposals that are left; false if they do not suffice.
template <class T, class Source>
bool Seeder<T, Source>::accept_next(std::vector<std::int64_t>& accepted) {
  constexpr std::uint64_t thinning = std::uint64_t(1) << 32;  // apart from the counters that drew the rows
  accepted.clear();
  while (static_cast<std::int64_t>(accepted.size()) < options_.n_candidates) {
    if (proposals_.next == proposals_.rows.size()) return false;
    const std::size_t proposal = proposals_.next++;
    const double before = static_cast<double>(proposals_.masses[proposal]);
    const double now = static_cast<double>(nearest_[static_cast<std::size_t>(proposals_.rows[proposal])]);
    const double uniform = random_.uniform(proposals_.stream, thinning + proposal);
    if (now >= before || uniform * before < now) accepted.push_back(static_cast<std::int64_t>(proposal));
  }
  return true;
}

template <class T, class Source>
void Seeder<T, Source>::pick_from_pairs() {
  std::vector<std::int64_t> candidates;
  while (!is_done() && accept_next(candidates)) {
    record();
    const std::vector<double> gains = gains_of_pairs(candidates);
    const std::int64_t best = candidates[static_cast<std::size_t>(best_gain(gains))];
    pick(proposals_.rows[static_cast<std::size_t>(best)]);
    take_pairs(best);
  }
}

template <class T, class Source>
std::vector<double> Seeder<T, Source>::gains_of_pairs(const std::vector<std::int64_t>& candidates) const {
  constexpr std::int64_t tasks_per_group = 16;  // one task has a few hundred pairs only
  const auto stride = static_cast<std::int64_t>(proposals_.rows.size()) + 1;
  const std::int64_t n_tasks = static_cast<std::int64_t>(pair_starts_.size()) / stride, groups = block_count(n_tasks, tasks_per_group);
  const std::size_t count = candidates.size();
  std::vector<double> partial(static_cast<std::size_t>(groups) * count, 0.0);
  parallel_for(groups, options_.threads, [&](std::int64_t group, int) {
    const Range tasks = block_range(n_tasks, tasks_per_group, group);
    for (std::size_t c = 0; c < count; ++c) {
      double sum = 0;
      for (std::int64_t task = tasks.begin; task < tasks.end; ++task) {
        const std::int64_t* starts = pair_starts_.data() + task * stride + candidates[c];
        for (std::int64_t p = starts[0]; p < starts[1]; ++p) {
          const std::int32_t row = pair_rows_[static_cast<std::size_t>(p)];
          const T gain = nearest_[static_cast<std::size_t>(row)] - pair_squares_[static_cast<std::size_t>(p)];
          if (gain > 0) sum += static_cast<double>(gain) * (weights_ == nullptr ? 1.0 : weights_[row]);
        }
      }
      partial[static_cast<std::size_t>(group) * count + c] = sum;
    }
  });
  std::vector<double> gains(count, 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i) gains[i % count] += partial[i];
  return gains;
}

template <class T, class Source>
void Seeder<T, Source>::take_pairs(std::int64_t candidate) {
  const std::size_t stride = proposals_.rows.size() + 1;
  for (std::size_t at = static_cast<std::size_t>(candidate); at < pair_starts_.size(); at += stride)
    for (std::int64_t p = pair_starts_[at]; p < pair_starts_[at + 1]; ++p) {
      T& nearest = nearest_[static_cast<std::size_t>(pair_rows_[static_cast<std::size_t>(p)])];
      nearest = std::min(nearest, pair_squares_[static_cast<std::size_t>(p)]);
    }
}

}  // namespace coterie
