// Merges by a chain of nearest neighbours: every community knows its ties, and two that are each other's tightest merge.
#include "graph/community_tree.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "support/parallel.h"

namespace coterie {
namespace {

class TieMerger {
 public:
  explicit TieMerger(const TiedGraph& graph) : mass_(graph.masses, graph.masses + graph.n), near_(graph.n), is_alive_(graph.n, 1) {
    for (std::int64_t i = 0; i < graph.n; ++i)
      for (std::int64_t e = graph.starts[i]; e < graph.starts[i + 1]; ++e)
        if (i < graph.ends[e]) {  // both ways from one entry: symmetric whatever is given
          near_[i].emplace(graph.ends[e], graph.weights[e]);
          near_[graph.ends[e]].emplace(static_cast<std::int32_t>(i), graph.weights[e]);
        }
    total_ = std::accumulate(mass_.begin(), mass_.end(), 0.0);
  }

  TieTree run() {
    for (std::int64_t first = 0; first < size(); ++first)
      if (is_alive_[first]) follow(static_cast<std::int32_t>(first));
    join_parts();
    return sorted();
  }

 private:
  struct Merge {
    std::int32_t a, b;
    double tie;
  };

  std::int64_t size() const { return static_cast<std::int64_t>(mass_.size()); }

  double tie(std::int32_t a, std::int32_t b, double weight) const { return weight * total_ / (mass_[a] * mass_[b]); }

  // The tightest tie of a community; of equals the one before it in the chain, then the lowest number. -1 where it has none.
  std::int32_t tightest(std::int32_t a, std::int32_t before) const {
    std::int32_t best = -1;
    double most = -1;
    for (const auto& [b, weight] : near_[a]) {
      const double own = tie(a, b, weight);
      if (own > most || (own == most && best != before && (b == before || b < best))) {
        best = b;
        most = own;
      }
    }
    return best;
  }

  void follow(std::int32_t first) {
    chain_.assign(1, first);
    while (!chain_.empty()) {
      check_interrupt();
      const std::int32_t at = chain_.back(), before = chain_.size() > 1 ? chain_[chain_.size() - 2] : -1;
      const std::int32_t next = tightest(at, before);
      if (next < 0) return;
      if (next != before) {
        chain_.push_back(next);
        continue;
      }
      chain_.resize(chain_.size() - 2);
      const std::int32_t merged = merge(at, before);
      if (chain_.empty()) chain_.push_back(merged);
    }
  }

  // The one with more neighbours keeps its number.
  std::int32_t merge(std::int32_t a, std::int32_t b) {
    if (near_[a].size() < near_[b].size() || (near_[a].size() == near_[b].size() && b < a)) std::swap(a, b);
    merges_.push_back({a, b, tie(a, b, near_[a].at(b))});
    near_[a].erase(b);
    for (const auto& [other, weight] : near_[b]) {
      if (other == a) continue;
      near_[other].erase(b);
      near_[other][a] = near_[a][other] += weight;
    }
    near_[b] = {};
    mass_[a] += mass_[b];
    is_alive_[b] = 0;
    return a;
  }

  void join_parts() {
    std::vector<std::int32_t> parts;
    for (std::int64_t i = 0; i < size(); ++i)
      if (is_alive_[i]) parts.push_back(static_cast<std::int32_t>(i));
    std::stable_sort(parts.begin(), parts.end(), [&](std::int32_t a, std::int32_t b) { return mass_[a] < mass_[b]; });
    for (std::size_t i = 1; i < parts.size(); ++i) merges_.push_back({parts[i], parts[i - 1], 0.0});
  }

  TieTree sorted() {
    std::stable_sort(merges_.begin(), merges_.end(), [](const Merge& a, const Merge& b) { return a.tie > b.tie; });
    TieTree tree;
    for (const Merge& merge : merges_) {
      tree.ends.push_back(merge.a);
      tree.ends.push_back(merge.b);
      tree.ties.push_back(merge.tie);
    }
    return tree;
  }

  std::vector<double> mass_;
  std::vector<std::unordered_map<std::int32_t, double>> near_;
  std::vector<char> is_alive_;
  std::vector<std::int32_t> chain_;
  std::vector<Merge> merges_;
  double total_ = 0;
};

}  // namespace

TieTree merge_by_ties(const TiedGraph& graph) { return TieMerger(graph).run(); }

}  // namespace coterie
