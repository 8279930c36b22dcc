#include "density/grown_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace coterie {
namespace {

std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

// Per row a list of rows, one after the other.
class Adjacency {
 public:
  // `visit(add)` calls add(row, other) for every entry, in the same order each time.
  template <class Visit>
  Adjacency(std::int64_t n, Visit&& visit) : starts_(size_of(n + 1), 0) {
    visit([&](std::int64_t row, std::int64_t) { ++starts_[row + 1]; });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    others_.resize(size_of(starts_.back()));
    std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
    visit([&](std::int64_t row, std::int64_t other) { others_[next[row]++] = static_cast<std::int32_t>(other); });
  }

  const std::int32_t* begin(std::int64_t row) const { return others_.data() + starts_[row]; }
  const std::int32_t* end(std::int64_t row) const { return others_.data() + starts_[row + 1]; }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> others_;
};

class Regrowth {
 public:
  Regrowth(std::int64_t n, const double* core, double alpha, const NearLists& near, const KnownTree& known)
      : n_(n), core_(core), near_(near), known_(known), within_(entries_within_core(alpha)), long_edges_(edges_beyond_lists()),
        listed_by_(n, [&](auto add) { each_listed(add); }),
        joined_by_(n, [&](auto add) { each_long_edge(add); }),
        reach_(size_of(n), std::numeric_limits<double>::infinity()), source_(reach_.size(), 0), is_in_(reach_.size(), 0) {}

  GrownTree run() {
    GrownTree tree;
    tree.ends.reserve(size_of(2 * (n_ - 1)));
    tree.distance.reserve(size_of(n_ - 1));
    for (std::int64_t row = 0, step = 1; step < n_; ++step) {
      add(static_cast<std::int32_t>(row));
      while (is_in_[open_.top().row] != 0) open_.pop();
      row = open_.top().row;
      tree.ends.push_back(source_[row]);
      tree.ends.push_back(row);
      tree.distance.push_back(reach_[row]);
    }
    return tree;
  }

  bool is_certain() const {
    const bool is_cut = near_.length < n_ - 1 && *std::max_element(within_.begin(), within_.end()) == near_.length;
    std::vector<double> lengths;
    for (const std::int64_t e : long_edges_) lengths.push_back(known_.distance[e]);
    std::sort(lengths.begin(), lengths.end());
    return !is_cut && std::adjacent_find(lengths.begin(), lengths.end()) == lengths.end();
  }

 private:
  struct Offer {
    double reach;
    std::int32_t row;
    bool operator>(const Offer& other) const { return reach != other.reach ? reach > other.reach : row > other.row; }
  };

  std::vector<std::int32_t> entries_within_core(double alpha) const {
    std::vector<std::int32_t> within(size_of(n_), 0);
    for (std::int64_t row = 0; row < n_; ++row) {
      const double* distance = near_.distance + row * near_.length;
      while (within[row] < near_.length && distance[within[row]] / alpha <= core_[row]) ++within[row];
    }
    return within;
  }

  const std::int64_t* list(std::int64_t row) const { return near_.rows + row * near_.length; }
  const std::int64_t* list_end(std::int64_t row) const { return list(row) + within_[row]; }

  bool lists(std::int64_t row, std::int64_t other) const {
    return std::find(list(row), list_end(row), other) != list_end(row);
  }

  std::vector<std::int64_t> edges_beyond_lists() const {
    std::vector<std::int64_t> edges;
    for (std::int64_t e = 0; e < n_ - 1; ++e)
      if (!lists(known_.ends[2 * e], known_.ends[2 * e + 1]) && !lists(known_.ends[2 * e + 1], known_.ends[2 * e]))
        edges.push_back(e);
    return edges;
  }

  // Who has the row in its list without having a shorter core distance: they reach each other at that of the lister.
  template <class Add>
  void each_listed(Add& add) const {
    for (std::int64_t row = 0; row < n_; ++row)
      for (const std::int64_t* other = list(row); other != list_end(row); ++other)
        if (*other != row && core_[*other] <= core_[row]) add(*other, row);
  }

  template <class Add>
  void each_long_edge(Add& add) const {
    for (const std::int64_t e : long_edges_) {
      add(known_.ends[2 * e], e);
      add(known_.ends[2 * e + 1], e);
    }
  }

  void offer(std::int64_t row, double reach, std::int32_t from) {
    if (is_in_[row] != 0 || !(reach < reach_[row])) return;
    reach_[row] = reach;
    source_[row] = from;
    open_.push({reach, static_cast<std::int32_t>(row)});
  }

  void add(std::int32_t row) {
    is_in_[row] = 1;
    for (const std::int64_t* other = list(row); other != list_end(row); ++other)
      if (core_[*other] <= core_[row]) offer(*other, core_[row], row);
    for (const std::int32_t* other = listed_by_.begin(row); other != listed_by_.end(row); ++other) offer(*other, core_[*other], row);
    for (const std::int32_t* e = joined_by_.begin(row); e != joined_by_.end(row); ++e)
      offer(known_.ends[2 * *e] + known_.ends[2 * *e + 1] - row, known_.distance[*e], row);
  }

  std::int64_t n_;
  const double* core_;
  NearLists near_;
  KnownTree known_;
  std::vector<std::int32_t> within_;  // per row: entries of its list within its core distance
  std::vector<std::int64_t> long_edges_;
  Adjacency listed_by_, joined_by_;
  std::vector<double> reach_;
  std::vector<std::int32_t> source_;
  std::vector<std::uint8_t> is_in_;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> open_;  // outdated offers stay until they are met
};

}  // namespace

GrownTree grow_from_first_row(std::int64_t n, const std::function<const double*(std::int64_t)>& distances_from, const double* core,
                              double alpha) {
  std::vector<double> reach(size_of(n), std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> source(reach.size(), 0), outside(reach.size());
  std::iota(outside.begin(), outside.end(), 0);
  GrownTree tree;
  for (std::int64_t row = 0, next = 0; !outside.empty(); row = next) {
    outside.erase(std::lower_bound(outside.begin(), outside.end(), row));
    if (outside.empty()) break;
    next = outside[0];
    const double* distances = distances_from(row);
    for (const std::int64_t other : outside) {
      const double direct = std::max({core[row], core[other], distances[other] / alpha});
      if (direct < reach[other]) {
        reach[other] = direct;
        source[other] = row;
      }
      if (reach[other] < reach[next]) next = other;
    }
    tree.ends.push_back(source[next]);
    tree.ends.push_back(next);
    tree.distance.push_back(reach[next]);
  }
  return tree;
}

Regrown regrow_from_first_row(std::int64_t n, const double* core, double alpha, const NearLists& near, const KnownTree& known) {
  Regrowth regrowth(n, core, alpha, near, known);
  return {regrowth.run(), regrowth.is_certain()};
}

}  // namespace coterie
