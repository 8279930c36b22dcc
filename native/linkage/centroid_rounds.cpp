// Rounds: every live cluster knows some of its nearest clusters, and how far all others are at least; all pairs that are
// each other's nearest merge.
#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "linkage/centroid_linkage.h"
#include "linkage/cluster_index.h"
#include "linkage/first_candidates.h"
#include "linkage/neighbourhood.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t slots_per_task = 256;
constexpr double rounded_down = 1 - 1e-12;  // bounds that are computed, not found, give way to rounding

class RoundsEngine {
 public:
  template <class T>
  RoundsEngine(const MatrixView<T>& rows, CentroidRule rule, int threads)
      : clusters_(rows, rule), index_(clusters_, threads), threads_(threads), known_(static_cast<std::size_t>(rows.rows)), live_(static_cast<std::size_t>(rows.rows)) {
    std::iota(live_.begin(), live_.end(), 0);
    merges_.reserve(live_.size());
  }

  std::vector<SlotMerge> run(const FirstCandidates& first) {
    for (std::size_t i = 0; i < live_.size() && !first.found.empty(); ++i)
      known_[i].read(first.found.data() + i * list_length, first.slack);
    while (live_.size() > 1) {
      check_interrupt();
      refresh();
      std::vector<SlotMerge> pairs = mutual_pairs();
      if (pairs.empty()) {  // neighbours kept over ties can wait for each other in a ring; fresh ones cannot
        search(live_);
        pairs = mutual_pairs();
      }
      if (pairs.empty()) throw std::logic_error("linkage: no two clusters are each other's nearest");
      merge(pairs);
    }
    return std::move(merges_);
  }

 private:
  Neighbourhood& known(std::int32_t slot) { return known_[static_cast<std::size_t>(slot)]; }
  std::int32_t nearest(std::int32_t slot) { return known(slot).nearest[0].slot; }

  // Brings a list up to date; false when its nearest is no longer certain.
  bool is_still_known(std::int32_t slot) {
    Neighbourhood& own = known(slot);
    std::int32_t kept = 0;
    for (std::int32_t i = 0; i < own.count; ++i) {
      Candidate now = own.nearest[i];
      if (clusters_.version(now.slot) != now.version) {
        now.slot = clusters_.holder(now.slot);
        now.version = clusters_.version(now.slot);
        now.distance = clusters_.distance(slot, now.slot);
      }
      if (now.slot == slot || now.distance > own.others) continue;
      std::int32_t place = kept;
      bool is_there = false;
      for (std::int32_t j = 0; j < kept; ++j) is_there = is_there || own.nearest[j].slot == now.slot;
      if (is_there) continue;
      for (; place > 0 && (now.distance < own.nearest[place - 1].distance ||
                           (now.distance == own.nearest[place - 1].distance && now.slot < own.nearest[place - 1].slot));
           --place)
        own.nearest[place] = own.nearest[place - 1];
      own.nearest[place] = now;
      ++kept;
    }
    own.count = kept;
    return kept > 0;
  }

  void refresh() {
    const auto n = static_cast<std::int64_t>(live_.size());
    std::vector<std::uint8_t> is_known(live_.size());
    parallel_for(block_count(n, slots_per_task), n < 2 * slots_per_task ? 1 : threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n, slots_per_task, task);
      for (std::int64_t i = range.begin; i < range.end; ++i)
        is_known[static_cast<std::size_t>(i)] = is_still_known(live_[static_cast<std::size_t>(i)]);
    });
    std::vector<std::int32_t> asked;
    for (std::size_t i = 0; i < live_.size(); ++i)
      if (!is_known[i]) asked.push_back(live_[i]);
    if (!asked.empty()) search(asked);
  }

  void search(const std::vector<std::int32_t>& asked) {
    index_.nearest(live_, asked, list_length, found_);
    for (std::size_t i = 0; i < asked.size(); ++i) known(asked[i]).read(found_.data() + i * list_length);
  }

  std::vector<SlotMerge> mutual_pairs() {
    std::vector<SlotMerge> pairs;
    for (const std::int32_t slot : live_)
      if (const std::int32_t other = nearest(slot); other > slot && nearest(other) == slot)
        pairs.push_back({slot, other, known(slot).nearest[0].distance});
    return pairs;
  }

  // Whoever is near neither part is not near the whole: its bound is the mean of the two, weighted by size.
  void inherit(const SlotMerge& pair, double size_first, double size_second) {
    Neighbourhood &own = known(pair.first), &other = known(pair.second);
    std::vector<Candidate> candidates;
    for (const Neighbourhood* part : {&own, &other})
      for (std::int32_t i = 0; i < part->count; ++i) {
        const std::int32_t slot = clusters_.holder(part->nearest[i].slot);
        const bool is_there = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.slot == slot; });
        if (slot != pair.first && !is_there) candidates.push_back({clusters_.distance(pair.first, slot), slot, clusters_.version(slot)});
      }
    own.others = (size_first * own.others + size_second * other.others) / (size_first + size_second) * rounded_down;
    own.keep(candidates);
  }

  void merge(const std::vector<SlotMerge>& pairs) {
    const auto n = static_cast<std::int64_t>(pairs.size());
    std::vector<double> first_sizes, second_sizes;
    for (const SlotMerge& pair : pairs) {
      merges_.push_back(pair);
      first_sizes.push_back(clusters_.size(pair.first));
      second_sizes.push_back(clusters_.size(pair.second));
      clusters_.merge(pair.first, pair.second);
      index_.merged(pair.first, pair.second);
    }
    parallel_for(block_count(n, slots_per_task), n < 2 * slots_per_task ? 1 : threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n, slots_per_task, task);
      for (std::int64_t k = range.begin; k < range.end; ++k)
        inherit(pairs[static_cast<std::size_t>(k)], first_sizes[static_cast<std::size_t>(k)], second_sizes[static_cast<std::size_t>(k)]);
    });
    std::erase_if(live_, [&](std::int32_t slot) { return !clusters_.is_live(slot); });
  }

  Clusters clusters_;
  ClusterIndex index_;
  int threads_;
  std::vector<Neighbourhood> known_;
  std::vector<std::int32_t> live_;
  std::vector<Candidate> found_;
  std::vector<SlotMerge> merges_;
};

}  // namespace

template <class T>
std::vector<SlotMerge> centroid_rounds(const MatrixView<T>& rows, CentroidRule rule, int threads) {
  return RoundsEngine(rows, rule, threads).run(first_candidates(rows, threads));
}

template std::vector<SlotMerge> centroid_rounds(const MatrixView<float>&, CentroidRule, int);
template std::vector<SlotMerge> centroid_rounds(const MatrixView<double>&, CentroidRule, int);

}  // namespace coterie
