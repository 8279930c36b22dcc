// Rounds: every live cluster knows some of its nearest clusters, and how far all others are at least; all pairs that are
// each other's nearest merge.
#include <algorithm>
#include <limits>
#include <numeric>

#include "linkage/centroid_linkage.h"
#include "linkage/cluster_search.h"
#include "linkage/neighbourhood.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t slots_per_task = 256;
constexpr std::int32_t nobody = -1;
constexpr double rounded_down = 1 - 1e-12;  // bounds that are computed, not found, give way to rounding

class CentroidRounds {
 public:
  template <class T>
  CentroidRounds(const MatrixView<T>& rows, CentroidRule rule, int threads)
      : clusters_(rows, rule),
        search_(clusters_, threads),
        threads_(threads),
        known_(static_cast<std::size_t>(rows.rows)),
        live_(static_cast<std::size_t>(rows.rows)),
        n_live_(live_.size()),
        first_follower_(live_.size(), nobody),
        next_follower_(live_.size(), nobody) {
    std::iota(live_.begin(), live_.end(), 0);
    merges_.reserve(live_.size());
  }

  std::vector<SlotMerge> run() {
    std::vector<std::int32_t> changed = live_;
    while (n_live_ > 1) {
      check_interrupt();
      refresh(changed);
      std::vector<SlotMerge> pairs = mutual_pairs(changed);
      if (pairs.empty()) pairs = pairs_of_all();
      changed = merge(pairs);
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
      const Candidate now = updated(slot, own.nearest[i]);
      bool is_there = now.slot == slot || now.distance > own.others;
      for (std::int32_t j = 0; j < kept; ++j) is_there = is_there || own.nearest[j].slot == now.slot;
      if (is_there) continue;
      std::int32_t place = kept++;
      for (; place > 0 && is_nearer(now, own.nearest[place - 1]); --place) own.nearest[place] = own.nearest[place - 1];
      own.nearest[place] = now;
    }
    own.count = kept;
    return kept > 0;
  }

  Candidate updated(std::int32_t slot, const Candidate& candidate) const {
    if (clusters_.version(candidate.slot) == candidate.version) return candidate;
    const std::int32_t holder = clusters_.holder(candidate.slot);
    return {clusters_.distance(slot, holder), holder, clusters_.version(holder)};
  }

  // Makes sure of the nearest clusters of those whose nearest was merged, or that were.
  void refresh(const std::vector<std::int32_t>& changed) {
    const auto n = static_cast<std::int64_t>(changed.size());
    std::vector<std::uint8_t> is_known(changed.size());
    parallel_for(block_count(n, slots_per_task), n < 2 * slots_per_task ? 1 : threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n, slots_per_task, task);
      for (std::int64_t i = range.begin; i < range.end; ++i)
        is_known[static_cast<std::size_t>(i)] = is_still_known(changed[static_cast<std::size_t>(i)]);
    });
    std::vector<std::int32_t> asked;
    for (std::size_t i = 0; i < changed.size(); ++i)
      if (!is_known[i]) asked.push_back(changed[i]);
    if (!asked.empty()) search(asked);
    for (const std::int32_t slot : changed) follow(slot);
  }

  void search(const std::vector<std::int32_t>& asked) {
    if (live_.size() > 2 * n_live_) std::erase_if(live_, [&](std::int32_t slot) { return !clusters_.is_live(slot); });
    search_.nearest(live_, asked, list_length, found_);
    for (std::size_t i = 0; i < asked.size(); ++i) known(asked[i]).read(found_.nearest.data() + i * list_length, found_.others[i]);
  }

  // A cluster stands in the list of those whose nearest is the same until that one is merged.
  void follow(std::int32_t slot) {
    std::int32_t& first = first_follower_[static_cast<std::size_t>(nearest(slot))];
    next_follower_[static_cast<std::size_t>(slot)] = first;
    first = slot;
  }

  void take_followers(std::int32_t slot, std::vector<std::int32_t>& taken) {
    std::int32_t& first = first_follower_[static_cast<std::size_t>(slot)];
    for (std::int32_t x = first; x != nobody; x = next_follower_[static_cast<std::size_t>(x)]) taken.push_back(x);
    first = nobody;
  }

  std::vector<SlotMerge> mutual_pairs(const std::vector<std::int32_t>& changed) {
    std::vector<SlotMerge> pairs;
    for (const std::int32_t slot : changed) {
      const std::int32_t other = nearest(slot);
      if (nearest(other) == slot) pairs.push_back({std::min(slot, other), std::max(slot, other), known(slot).nearest[0].distance});
    }
    std::sort(pairs.begin(), pairs.end(), [](const SlotMerge& a, const SlotMerge& b) { return a.first < b.first; });
    const auto is_same = [](const SlotMerge& a, const SlotMerge& b) { return a.first == b.first; };
    pairs.erase(std::unique(pairs.begin(), pairs.end(), is_same), pairs.end());
    return pairs;
  }

  // Neighbours kept over ties can wait for each other in a ring; fresh ones cannot.
  std::vector<SlotMerge> pairs_of_all() {
    std::erase_if(live_, [&](std::int32_t slot) { return !clusters_.is_live(slot); });
    search(live_);
    std::fill(first_follower_.begin(), first_follower_.end(), nobody);
    for (const std::int32_t slot : live_) follow(slot);
    std::vector<SlotMerge> pairs = mutual_pairs(live_);
    if (pairs.empty()) throw NotFinite();  // among numbers, some two clusters are each other's nearest
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
        if (slot != pair.first && !is_there)
          candidates.push_back({clusters_.distance(pair.first, slot), slot, clusters_.version(slot)});
      }
    own.others = (size_first * own.others + size_second * other.others) / (size_first + size_second) * rounded_down;
    own.keep(candidates);
  }

  // Returns the clusters whose nearest must be found anew.
  std::vector<std::int32_t> merge(const std::vector<SlotMerge>& pairs) {
    const auto n = static_cast<std::int64_t>(pairs.size());
    std::vector<std::pair<double, double>> sizes;
    std::vector<std::int32_t> changed;
    for (const SlotMerge& pair : pairs) {
      merges_.push_back(pair);
      sizes.emplace_back(clusters_.size(pair.first), clusters_.size(pair.second));
      clusters_.merge(pair.first, pair.second);
      search_.merged(pair.first, pair.second);
      take_followers(pair.first, changed);
      take_followers(pair.second, changed);
    }
    n_live_ -= pairs.size();
    parallel_for(block_count(n, slots_per_task), n < 2 * slots_per_task ? 1 : threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n, slots_per_task, task);
      for (std::int64_t k = range.begin; k < range.end; ++k)
        inherit(pairs[static_cast<std::size_t>(k)], sizes[static_cast<std::size_t>(k)].first,
                sizes[static_cast<std::size_t>(k)].second);
    });
    std::erase_if(changed, [&](std::int32_t slot) { return !clusters_.is_live(slot); });  // each merged one is a follower
    return changed;
  }

  Clusters clusters_;
  ClusterSearch search_;
  int threads_;
  std::vector<Neighbourhood> known_;
  std::vector<std::int32_t> live_;  // and some that are dead
  std::size_t n_live_;
  std::vector<std::int32_t> first_follower_, next_follower_;
  NearestClusters found_;
  std::vector<SlotMerge> merges_;
};

}  // namespace

template <class T>
std::vector<SlotMerge> centroid_rounds(const MatrixView<T>& rows, CentroidRule rule, int threads) {
  return CentroidRounds(rows, rule, threads).run();
}

template std::vector<SlotMerge> centroid_rounds(const MatrixView<float>&, CentroidRule, int);
template std::vector<SlotMerge> centroid_rounds(const MatrixView<double>&, CentroidRule, int);

}  // namespace coterie
