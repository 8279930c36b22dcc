// Minimax linkage (Bien and Tibshirani 2011) by chains of nearest neighbours.
//
// farthest[A][x], the largest distance of row x to cluster A, is kept in place of the distances; then
// d(A, B) = min over x in A and B of max(farthest[A][x], farthest[B][x]).
//
// Members of B are met in one pass over row A of the matrix. Members x of A are met in the order of farthest[A][x], up to
// the nearest distance found: the few in the middle of A. A step of a chain so takes O(n), and as much per such member: all
// steps together O(n^2) as a rule, O(n^3) at worst. Where distances are equal (few distinct values, say), members that could only
// bring a tie are met by the clusters that would win it, which is seldom more than one.
#include <algorithm>
#include <limits>
#include <numeric>

#include "linkage/matrix_linkage.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {
namespace {

template <class T>
class MinimaxEngine {
 public:
  MinimaxEngine(T* farthest, std::int64_t n)
      : farthest_(farthest), n_(n), members_(size()), slot_(size()), live_(size()), radius_(size()), height_(size()), reach_(size()) {
    std::iota(slot_.begin(), slot_.end(), 0);
    std::iota(live_.begin(), live_.end(), 0);
    for (std::size_t i = 0; i < size(); ++i) {
      members_[i] = {static_cast<std::int32_t>(i)};
      radius_[i] = row(static_cast<std::int32_t>(i))[i];
    }
  }

  std::vector<SlotMerge> run() {
    std::vector<std::int32_t> chain;
    std::vector<bool> is_in_chain(size());
    while (live_.size() > 1) {
      check_interrupt();
      if (chain.empty()) chain.push_back(live_[0]);
      is_in_chain[static_cast<std::size_t>(chain.back())] = true;
      const std::int32_t tip = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
      const auto [next, height] = nearest(tip, before);
      if (!is_in_chain[static_cast<std::size_t>(next)]) {
        chain.push_back(next);
        continue;
      }
      // `next` is the one before, or one earlier where mirrored cells differ: a ring, which the last two leave
      chain.resize(chain.size() - 2);
      is_in_chain[static_cast<std::size_t>(tip)] = is_in_chain[static_cast<std::size_t>(before)] = false;
      merge(std::min(tip, before), std::max(tip, before), height);
    }
    return std::move(merges_);
  }

 private:
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  std::size_t size() const { return static_cast<std::size_t>(n_); }
  T* row(std::int32_t cluster) { return farthest_ + cluster * n_; }
  std::vector<std::int32_t>& members(std::int32_t cluster) { return members_[static_cast<std::size_t>(cluster)]; }
  T& height(std::int32_t cluster) { return height_[static_cast<std::size_t>(cluster)]; }

  // Ties: the cluster before in the chain, which so ends, then the lowest slot.
  std::pair<std::int32_t, T> nearest(std::int32_t from, std::int32_t before) {
    meet_others(from);
    members(from).size() == 1 ? meet_single(from) : meet_members(from, before);
    const std::int32_t best = least(from, before);
    return {best, height(best)};
  }

  std::int32_t least(std::int32_t from, std::int32_t before) {
    std::int32_t best = before;
    for (const std::int32_t other : live_)
      if (other != from && (best < 0 || height(other) < height(best))) best = other;
    return best;
  }

  // Balls about the members of other clusters.
  void meet_others(std::int32_t from) {
    for (const std::int32_t other : live_) height(other) = infinity;
    const T* to_from = row(from);
    for (std::size_t x = 0; x < size(); ++x) {
      T& least = height(slot_[x]);
      least = std::min(least, std::max(radius_[x], to_from[x]));
    }
  }

  // Balls about the only member: farthest[B][x] is the largest of its distances to the members of B.
  void meet_single(std::int32_t from) {
    const T* distance = row(from);
    for (const std::int32_t other : live_)
      reach_[static_cast<std::size_t>(other)] = radius_[static_cast<std::size_t>(members(from)[0])];
    for (std::size_t y = 0; y < size(); ++y) {
      T& most = reach_[static_cast<std::size_t>(slot_[y])];
      most = std::max(most, distance[y]);
    }
    for (const std::int32_t other : live_) height(other) = std::min(height(other), reach_[static_cast<std::size_t>(other)]);
  }

  // Balls about members, the most central first.
  void meet_members(std::int32_t from, std::int32_t before) {
    const auto is_nearer = [&](std::int32_t x, std::int32_t y) {
      return stands_before(radius_[static_cast<std::size_t>(x)], radius_[static_cast<std::size_t>(y)]);
    };
    std::sort(members(from).begin(), members(from).end(), is_nearer);
    std::int32_t best = least(from, before);
    for (const std::int32_t x : members(from)) {
      check_interrupt();  // each member meets all clusters
      const T radius = radius_[static_cast<std::size_t>(x)];
      if (radius > height(best)) break;
      if (radius == height(best)) {
        best = settle_tie(from, before, best, x);
        if (best == before || best == first_but(from)) break;
        continue;
      }
      for (const std::int32_t other : live_)
        if (other != from) meet(other, x);
      best = least(from, before);
    }
  }

  // The ball about x is as large as the least height: it can only bring a tie, which the one before wins, then a lower slot.
  std::int32_t settle_tie(std::int32_t from, std::int32_t before, std::int32_t best, std::int32_t x) {
    if (best == before) return best;
    if (before >= 0 && meet(before, x) == height(best)) return before;
    for (const std::int32_t other : live_) {
      if (other >= best) break;
      if (other != from && meet(other, x) == height(best)) return other;
    }
    return best;
  }

  T meet(std::int32_t other, std::int32_t x) {
    return height(other) = std::min(height(other), std::max(radius_[static_cast<std::size_t>(x)], row(other)[x]));
  }

  std::int32_t first_but(std::int32_t from) const { return live_[live_[0] == from ? 1 : 0]; }

  void merge(std::int32_t first, std::int32_t second, T height) {
    merges_.push_back({first, second, static_cast<double>(height)});
    T *kept = row(first), *gone = row(second);
    for (std::int64_t x = 0; x < n_; ++x) kept[x] = std::max(kept[x], gone[x]);
    for (const std::int32_t x : members(second)) slot_[static_cast<std::size_t>(x)] = first;
    members(first).insert(members(first).end(), members(second).begin(), members(second).end());
    members(second) = {};
    for (const std::int32_t x : members(first)) radius_[static_cast<std::size_t>(x)] = kept[x];
    live_.erase(std::lower_bound(live_.begin(), live_.end(), second));
  }

  T* farthest_;
  std::int64_t n_;
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<std::int32_t> slot_, live_;
  std::vector<T> radius_;          // per row: the farthest of its own cluster
  std::vector<T> height_, reach_;  // per slot, of the step
  std::vector<SlotMerge> merges_;
};

}  // namespace

template <class T>
std::vector<SlotMerge> minimax_linkage(T* square, std::int64_t n, int) {
  return MinimaxEngine<T>(square, n).run();
}

template std::vector<SlotMerge> minimax_linkage<float>(float*, std::int64_t, int);
template std::vector<SlotMerge> minimax_linkage<double>(double*, std::int64_t, int);

}  // namespace coterie
