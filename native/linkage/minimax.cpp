// Minimax linkage (Bien and Tibshirani 2011) by chains of nearest neighbours.
//
// farthest[x][A], the largest distance of row x to cluster A, is kept in place of the distances; then
// d(A, B) = min over x in A and B of max(farthest[x][A], farthest[x][B]).
#include <algorithm>
#include <limits>
#include <numeric>

#include "linkage/matrix_linkage.h"
#include "support/parallel.h"

namespace coterie {
namespace {

template <class T>
class MinimaxEngine {
 public:
  MinimaxEngine(T* farthest, std::int64_t n)
      : farthest_(farthest), n_(n), members_(static_cast<std::size_t>(n)), slot_(static_cast<std::size_t>(n)), live_(static_cast<std::size_t>(n)) {
    std::iota(slot_.begin(), slot_.end(), 0);
    std::iota(live_.begin(), live_.end(), 0);
    for (std::int64_t i = 0; i < n; ++i) members_[static_cast<std::size_t>(i)] = {static_cast<std::int32_t>(i)};
  }

  std::vector<SlotMerge> run() {
    std::vector<std::int32_t> chain;
    while (live_.size() > 1) {
      check_interrupt();
      if (chain.empty()) chain.push_back(live_[0]);
      const std::int32_t tip = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
      const auto [next, height] = nearest(tip, before);
      if (next != before) {
        chain.push_back(next);
        continue;
      }
      chain.resize(chain.size() - 2);
      merge(std::min(tip, next), std::max(tip, next), height);
    }
    return std::move(merges_);
  }

 private:
  T* row(std::int64_t x) { return farthest_ + x * n_; }

  // Ties: the cluster before in the chain, which so ends, then the lowest slot.
  std::pair<std::int32_t, T> nearest(std::int32_t from, std::int32_t before) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    std::vector<T> height(static_cast<std::size_t>(n_), infinity);
    for (const std::int32_t x : members_[static_cast<std::size_t>(from)]) {
      const T reach = row(x)[from];
      for (const std::int32_t other : live_) height[static_cast<std::size_t>(other)] = std::min(height[static_cast<std::size_t>(other)], std::max(reach, row(x)[other]));
    }
    for (std::int64_t x = 0; x < n_; ++x) {
      const std::int32_t own = slot_[static_cast<std::size_t>(x)];
      height[static_cast<std::size_t>(own)] = std::min(height[static_cast<std::size_t>(own)], std::max(row(x)[own], row(x)[from]));
    }
    std::int32_t best = before;
    for (const std::int32_t other : live_)
      if (other != from && (best < 0 || height[static_cast<std::size_t>(other)] < height[static_cast<std::size_t>(best)])) best = other;
    return {best, height[static_cast<std::size_t>(best)]};
  }

  void merge(std::int32_t first, std::int32_t second, T height) {
    merges_.push_back({first, second, static_cast<double>(height)});
    for (std::int64_t x = 0; x < n_; ++x) row(x)[first] = std::max(row(x)[first], row(x)[second]);
    auto& gone = members_[static_cast<std::size_t>(second)];
    for (const std::int32_t x : gone) slot_[static_cast<std::size_t>(x)] = first;
    auto& kept = members_[static_cast<std::size_t>(first)];
    kept.insert(kept.end(), gone.begin(), gone.end());
    gone = {};
    live_.erase(std::lower_bound(live_.begin(), live_.end(), second));
  }

  T* farthest_;
  std::int64_t n_;
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<std::int32_t> slot_, live_;
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
