#include "graph/configuration.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/parallel.h"
#include "support/random.h"

namespace coterie {
namespace {

constexpr std::int64_t exchanges_between_polls = 4096;
constexpr std::uint64_t no_edge = ~std::uint64_t{0};

// The edges that are there: open addressing, at most half full.
class EdgeSet {
 public:
  EdgeSet(std::int64_t n_edges, bool is_directed) : is_directed_(is_directed) {
    std::uint64_t size = 16;
    while (size < 2 * static_cast<std::uint64_t>(n_edges)) size *= 2;
    mask_ = size - 1;
    slots_.assign(size, no_edge);
  }

  bool has(std::int32_t source, std::int32_t target) const { return slots_[place_of(key_of(source, target))] != no_edge; }

  void insert(std::int32_t source, std::int32_t target) {
    const std::uint64_t key = key_of(source, target);
    slots_[place_of(key)] = key;
  }

  // What was put further along because this slot was taken moves back.
  void remove(std::int32_t source, std::int32_t target) {
    std::uint64_t gap = place_of(key_of(source, target));
    slots_[gap] = no_edge;
    for (std::uint64_t at = (gap + 1) & mask_; slots_[at] != no_edge; at = (at + 1) & mask_) {
      const std::uint64_t home = home_of(slots_[at]);
      if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
      slots_[gap] = std::exchange(slots_[at], no_edge);
      gap = at;
    }
  }

 private:
  std::uint64_t key_of(std::int32_t source, std::int32_t target) const {
    if (!is_directed_ && source > target) std::swap(source, target);
    return (static_cast<std::uint64_t>(source) << 32) | static_cast<std::uint32_t>(target);
  }

  std::uint64_t home_of(std::uint64_t key) const {
    key *= 0x9E3779B97F4A7C15u;
    return (key ^ (key >> 32)) & mask_;
  }

  // Where the key is, or the free slot where it would be.
  std::uint64_t place_of(std::uint64_t key) const {
    std::uint64_t at = home_of(key);
    while (slots_[at] != no_edge && slots_[at] != key) at = (at + 1) & mask_;
    return at;
  }

  bool is_directed_;
  std::uint64_t mask_;
  std::vector<std::uint64_t> slots_;
};

}  // namespace

void exchange_edges(std::int32_t* sources, std::int32_t* targets, std::int64_t n_edges, bool is_directed,
                    std::int64_t exchanges_per_edge, std::uint64_t seed) {
  if (n_edges < 2) return;
  EdgeSet edges(n_edges, is_directed);
  for (std::int64_t e = 0; e < n_edges; ++e) edges.insert(sources[e], targets[e]);
  const CounterRandom random(seed);
  const auto n = static_cast<std::uint64_t>(n_edges);
  for (std::int64_t step = 0; step < n_edges * exchanges_per_edge; ++step) {
    if (step % exchanges_between_polls == 0) check_interrupt();
    const std::uint64_t bits = random.bits(1, static_cast<std::uint64_t>(step));
    const auto a = static_cast<std::int64_t>(random.below(n, 0, static_cast<std::uint64_t>(step)));
    const auto b = static_cast<std::int64_t>(((bits >> 32) * n) >> 32);
    if (!is_directed && (bits & 1)) std::swap(sources[b], targets[b]);
    const std::int32_t from = sources[a], to = targets[a], other_from = sources[b], other_to = targets[b];
    if (a == b || from == other_to || other_from == to || edges.has(from, other_to) || edges.has(other_from, to)) continue;
    edges.remove(from, to);
    edges.remove(other_from, other_to);
    edges.insert(from, other_to);
    edges.insert(other_from, to);
    std::swap(targets[a], targets[b]);
  }
}

}  // namespace coterie
