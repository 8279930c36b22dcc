// Prim's tree of mutual reachability in the time of a sort, from lists of near rows and any spanning tree.
#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

#include "density/prim_tree.h"
#include "support/not_finite.h"
#include "support/number_order.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t steps_between_polls = 1024;
constexpr double tie_tolerance = 1e-12;  // relative: what another order of rounding may tear apart

bool is_tie(double shorter, double longer) { return longer - shorter <= tie_tolerance * longer; }

// Rows by position: near rows at near positions, so that the walk finds them in the cache.
struct Places {
  Places(std::int64_t n, const std::int32_t* order) : row(size_of(n)), position(size_of(n)) {
    if (order == nullptr)
      std::iota(row.begin(), row.end(), 0);
    else
      std::copy_n(order, n, row.begin());
    for (std::int64_t p = 0; p < n; ++p) position[row[p]] = static_cast<std::int32_t>(p);
  }

  std::int64_t size() const { return static_cast<std::int64_t>(row.size()); }

  std::vector<std::int32_t> row, position;
};

// Per position the positions it reaches at its own core distance: near ones whose core distance is no longer.
class Listed {
 public:
  Listed(const double* core, double alpha, const NearLists& near, std::int64_t n, int threads)
      : length_(near.length), entries_(size_of(n * near.length)), counts_(size_of(n)) {
    constexpr std::int64_t block = 4096;
    std::vector<std::uint8_t> ties(size_of(block_count(n, block)), 0);
    parallel_for(static_cast<std::int64_t>(ties.size()), threads, [&](std::int64_t task, int) {
      const Range range = block_range(n, block, task);
      for (std::int64_t p = range.begin; p < range.end; ++p) ties[task] |= !read(p, core, alpha, near);
    });
    has_ties_ = std::find(ties.begin(), ties.end(), 1) != ties.end();
  }

  const std::int32_t* begin(std::int64_t p) const { return entries_.data() + p * length_; }
  const std::int32_t* end(std::int64_t p) const { return begin(p) + counts_[p]; }
  bool has(std::int64_t p, std::int32_t other) const { return std::find(begin(p), end(p), other) != end(p); }
  bool has_ties() const { return has_ties_; }

 private:
  // Returns false when distances of the list tie, or it ends before the core distance does.
  bool read(std::int64_t p, const double* core, double alpha, const NearLists& near) {
    const std::int64_t* position = near.position + p * length_;
    const double* distance = near.distance + p * length_;
    std::int32_t* entry = entries_.data() + p * length_;
    std::int64_t m = 0;
    bool is_sure = true;
    for (; m < length_; ++m) {
      if (position[m] < 0) return false;
      is_sure &= m == 0 || !is_tie(distance[m - 1], distance[m]);
      if (distance[m] / alpha > core[p]) return is_sure;
      if (core[position[m]] <= core[p]) entry[counts_[p]++] = static_cast<std::int32_t>(position[m]);
    }
    return is_sure && length_ + 1 >= static_cast<std::int64_t>(counts_.size());
  }

  std::int64_t length_;
  std::vector<std::int32_t> entries_, counts_;
  bool has_ties_ = false;
};

// Per position a run of numbers.
class Runs {
 public:
  // `visit(add)` calls add(position, number) for every entry, in the same order each time.
  template <class Visit>
  Runs(std::int64_t n, Visit&& visit) : starts_(size_of(n + 1), 0) {
    visit([&](std::int64_t p, std::int64_t) { ++starts_[p + 1]; });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    numbers_.resize(size_of(starts_.back()));
    std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
    visit([&](std::int64_t p, std::int64_t number) { numbers_[next[p]++] = static_cast<std::int32_t>(number); });
  }

  const std::int32_t* begin(std::int64_t p) const { return numbers_.data() + starts_[p]; }
  const std::int32_t* end(std::int64_t p) const { return numbers_.data() + starts_[p + 1]; }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> numbers_;
};

struct LongEdge {
  std::int32_t one, other;
  double distance;
};

// Edges of the known tree that are longer than the core distances of both ends.
std::vector<LongEdge> long_edges(const Places& places, const Listed& listed, const KnownTree& known) {
  std::vector<LongEdge> edges;
  for (std::int64_t e = 0; e < places.size() - 1; ++e) {
    const std::int32_t a = places.position[known.ends[2 * e]], b = places.position[known.ends[2 * e + 1]];
    if (!listed.has(a, b) && !listed.has(b, a)) edges.push_back({a, b, known.distance[e]});
  }
  return edges;
}

bool has_equal(const std::vector<LongEdge>& edges) {
  std::vector<double> lengths;
  for (const LongEdge& edge : edges) lengths.push_back(edge.distance);
  std::sort(lengths.begin(), lengths.end(), [](double a, double b) { return stands_before(a, b); });
  return std::adjacent_find(lengths.begin(), lengths.end(), is_tie) != lengths.end();
}

struct Offer {
  double reach;
  std::int32_t row, position;
  bool operator>(const Offer& other) const { return reach != other.reach ? reach > other.reach : row > other.row; }
};

// A queue that keeps what came in last beside the heap if it is the best: mostly it goes out next.
class Offers {
 public:
  void push(Offer offer) {
    if (has_best_ && !(offer > best_)) std::swap(offer, best_);
    if (has_best_) return heap_.push(offer);
    best_ = offer;
    has_best_ = true;
  }

  Offer pop() {
    if (has_best_ && (heap_.empty() || heap_.top() > best_)) {
      has_best_ = false;
      return best_;
    }
    if (heap_.empty()) throw NotFinite();  // among numbers, some row is always within reach
    const Offer first = heap_.top();
    heap_.pop();
    return first;
  }

 private:
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> heap_;
  Offer best_{};
  bool has_best_ = false;
};

class Walk {
 public:
  Walk(const Places& places, const double* core, const Listed& listed, const std::vector<LongEdge>& long_edges)
      : places_(places),
        core_(core),
        listed_(listed),
        long_edges_(long_edges),
        listed_by_(places.size(), [&](auto add) { each_listed(add); }),
        joined_by_(places.size(), [&](auto add) { each_long_edge(add); }),
        reach_(places.row.size(), std::numeric_limits<double>::infinity()),
        source_(reach_.size(), 0),
        is_in_(reach_.size(), 0) {}

  GrownTree run() {
    GrownTree tree;
    tree.ends.reserve(size_of(2 * (places_.size() - 1)));
    tree.distance.reserve(size_of(places_.size() - 1));
    std::int32_t at = places_.position[0];
    for (std::int64_t step = 1; step < places_.size(); ++step) {
      if (step % steps_between_polls == 0) check_interrupt();
      add(at);
      do at = open_.pop().position;
      while (is_in_[at] != 0);  // an outdated offer
      tree.ends.push_back(places_.row[source_[at]]);
      tree.ends.push_back(places_.row[at]);
      tree.distance.push_back(reach_[at]);
    }
    return tree;
  }

 private:
  template <class Add>
  void each_listed(Add& add) const {
    for (std::int64_t p = 0; p < places_.size(); ++p)
      for (const std::int32_t* other = listed_.begin(p); other != listed_.end(p); ++other) add(*other, p);
  }

  template <class Add>
  void each_long_edge(Add& add) const {
    for (std::size_t e = 0; e < long_edges_.size(); ++e) {
      add(long_edges_[e].one, static_cast<std::int64_t>(e));
      add(long_edges_[e].other, static_cast<std::int64_t>(e));
    }
  }

  void offer(std::int32_t to, double reach, std::int32_t from) {
    if (is_in_[to] != 0 || !(reach < reach_[to])) return;
    reach_[to] = reach;
    source_[to] = from;
    open_.push({reach, places_.row[to], to});
  }

  void add(std::int32_t p) {
    is_in_[p] = 1;
    for (const std::int32_t* other = listed_.begin(p); other != listed_.end(p); ++other) offer(*other, core_[p], p);
    for (const std::int32_t* other = listed_by_.begin(p); other != listed_by_.end(p); ++other) offer(*other, core_[*other], p);
    for (const std::int32_t* e = joined_by_.begin(p); e != joined_by_.end(p); ++e) {
      const LongEdge& edge = long_edges_[*e];
      offer(edge.one == p ? edge.other : edge.one, edge.distance, p);
    }
  }

  const Places& places_;
  const double* core_;
  const Listed& listed_;
  const std::vector<LongEdge>& long_edges_;
  Runs listed_by_, joined_by_;
  std::vector<double> reach_;
  std::vector<std::int32_t> source_;
  std::vector<std::uint8_t> is_in_;
  Offers open_;
};

}  // namespace

Regrown regrow_from_first_row(std::int64_t n, const std::int32_t* order, const double* core, double alpha, const NearLists& near,
                              const KnownTree& known, int threads) {
  const Places places(n, order);
  const Listed listed(core, alpha, near, n, threads);
  const std::vector<LongEdge> edges = long_edges(places, listed, known);
  return {Walk(places, core, listed, edges).run(), !listed.has_ties() && !has_equal(edges)};
}

}  // namespace coterie
