// A transportation problem with few sinks, solved by successive shortest paths (Ahuja, Magnanti and Orlin 1993, section 9.7). Rows are
// contracted away: the graph has a node per group and one more, the pool, and going from group i to group j costs what the cheapest row
// of i loses there.
#include "kmeans/size_limits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace coterie {
namespace {

constexpr double price_rounding = 1e-9;  // relative: prices that differ by less are equal

// A row that could leave its group, and what is lost by that.
struct Move {
  double loss;
  std::int32_t row;
};

// Ties by row: the result must not depend on the history of a heap.
bool is_dearer(const Move& a, const Move& b) { return a.loss != b.loss ? a.loss > b.loss : a.row > b.row; }

class SizeLimitedAssignment {
 public:
  SizeLimitedAssignment(MatrixView<double> costs, SizeLimits limits, double* prices, std::int32_t* labels)
      : costs_(costs), limits_(limits), labels_(labels), k_(costs.cols), prices_(prices, prices + costs.cols) {
    prices_.push_back(0.0);
  }

  void solve() {
    round_prices();
    take_cheapest();
    count_excess();
    if (std::all_of(excess_.begin(), excess_.end(), [](std::int64_t excess) { return excess == 0; })) return;
    queue_moves();
    for (std::int64_t node = 0; node <= k_; ++node)
      while (excess_[node] > 0) send_one(node);
  }

  void write_prices(double* prices) const {
    for (std::int64_t j = 0; j < k_; ++j) prices[j] = prices_[j] - prices_[k_];
  }

 private:
  std::int64_t pool() const { return k_; }

  Move move_of(std::int32_t row, std::int64_t from, std::int64_t to) const {
    const double* cost = costs_.data + row * costs_.stride;
    return {cost[to] - cost[from], row};
  }

  // A group below its most rows has no price above the pool's: what is one by rounding only would empty the group into it.
  void round_prices() {
    double largest = 0;
    for (const double price : prices_) largest = std::max(largest, std::abs(price));
    for (double& price : prices_)
      if (std::abs(price) <= price_rounding * largest) price = 0;
  }

  void take_cheapest() {
    sizes_.assign(k_, 0);
    for (std::int64_t row = 0; row < costs_.rows; ++row) {
      const double* cost = costs_.data + row * costs_.stride;
      std::int64_t best = 0;
      double least = cost[0] + prices_[0];
      for (std::int64_t j = 1; j < k_; ++j) {  // without branches: nobody could foretell them
        const double here = cost[j] + prices_[j];
        best = here < least ? j : best;
        least = std::min(least, here);
      }
      labels_[row] = static_cast<std::int32_t>(best);
      ++sizes_[best];
    }
  }

  // What a group holds beyond the places that its price lets it have; the pool evens out the places.
  void count_excess() {
    places_.assign(k_, 0);
    excess_.assign(k_ + 1, 0);
    std::int64_t n_places = 0;
    for (std::int64_t j = 0; j < k_; ++j) {
      const std::int64_t least = limits_.least[j], most = std::min(limits_.most[j], costs_.rows);
      places_[j] = prices_[j] > 0 ? most : prices_[j] < 0 ? least : std::clamp(sizes_[j], least, most);
      excess_[j] = sizes_[j] - places_[j];
      n_places += places_[j];
    }
    excess_[pool()] = n_places - costs_.rows;
  }

  void queue_moves() {
    moves_.assign(k_ * k_, {});
    cheapest_.assign(k_ * k_, std::numeric_limits<double>::infinity());
    for (std::int64_t from = 0; from < k_; ++from)
      for (std::int64_t to = 0; to < k_; ++to)
        if (to != from) moves_[from * k_ + to].reserve(static_cast<std::size_t>(sizes_[from]));
    for (std::int64_t row = 0; row < costs_.rows; ++row)
      for (std::int64_t to = 0; to < k_; ++to)
        if (to != labels_[row]) moves_[labels_[row] * k_ + to].push_back(move_of(static_cast<std::int32_t>(row), labels_[row], to));
    for (std::int64_t from = 0; from < k_; ++from)
      for (std::int64_t to = 0; to < k_; ++to) {
        if (to == from) continue;
        std::vector<Move>& moves = moves_[from * k_ + to];
        std::make_heap(moves.begin(), moves.end(), is_dearer);
        drop_gone(from, to);
      }
  }

  // Rows that went elsewhere leave a heap when they come to its top.
  void drop_gone(std::int64_t from, std::int64_t to) {
    std::vector<Move>& moves = moves_[from * k_ + to];
    while (!moves.empty() && labels_[moves.front().row] != from) {
      std::pop_heap(moves.begin(), moves.end(), is_dearer);
      moves.pop_back();
    }
    cheapest_[from * k_ + to] = moves.empty() ? std::numeric_limits<double>::infinity() : moves.front().loss;
  }

  // The length of an edge at the present prices: never negative but for rounding, infinite where nothing can go.
  double length(std::int64_t from, std::int64_t to) const {
    double cost = 0;
    if (from == pool()) {
      if (places_[to] <= limits_.least[to]) return std::numeric_limits<double>::infinity();
    } else if (to == pool()) {
      if (places_[from] >= limits_.most[from]) return std::numeric_limits<double>::infinity();
    } else {
      cost = cheapest_[from * k_ + to];
    }
    return std::max(0.0, cost - prices_[from] + prices_[to]);
  }

  // One unit of excess along the shortest path to a node that lacks one.
  void send_one(std::int64_t source) {
    const std::int64_t target = find_path(source);
    for (std::int64_t to = target; to != source; to = before_[to])
      take_edge(before_[to], to);  // backwards: who arrives does not go on
    --excess_[source];
    ++excess_[target];
  }

  std::int64_t find_path(std::int64_t source) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    distances_.assign(k_ + 1, infinity);
    before_.assign(k_ + 1, -1);
    is_final_.assign(k_ + 1, false);
    distances_[source] = 0;
    while (true) {
      std::int64_t nearest = -1;
      for (std::int64_t node = 0; node <= k_; ++node)
        if (!is_final_[node] && distances_[node] < infinity && (nearest < 0 || distances_[node] < distances_[nearest])) nearest = node;
      if (nearest < 0) throw std::runtime_error("no assignment keeps the limits of the sizes.");
      is_final_[nearest] = true;
      if (excess_[nearest] < 0) {
        for (std::int64_t node = 0; node <= k_; ++node) prices_[node] -= std::min(distances_[node], distances_[nearest]);
        return nearest;
      }
      for (std::int64_t node = 0; node <= k_; ++node) {
        if (is_final_[node]) continue;
        const double distance = distances_[nearest] + length(nearest, node);
        if (distance < distances_[node]) {
          distances_[node] = distance;
          before_[node] = nearest;
        }
      }
    }
  }

  void take_edge(std::int64_t from, std::int64_t to) {
    if (from == pool()) {
      --places_[to];
    } else if (to == pool()) {
      ++places_[from];
    } else {
      move_row(moves_[from * k_ + to].front().row, from, to);
    }
  }

  void move_row(std::int32_t row, std::int64_t from, std::int64_t to) {
    labels_[row] = static_cast<std::int32_t>(to);
    for (std::int64_t next = 0; next < k_; ++next) {
      if (next != from) drop_gone(from, next);
      if (next == to) continue;
      std::vector<Move>& moves = moves_[to * k_ + next];
      moves.push_back(move_of(row, to, next));
      std::push_heap(moves.begin(), moves.end(), is_dearer);
      drop_gone(to, next);
    }
  }

  MatrixView<double> costs_;
  SizeLimits limits_;
  std::int32_t* labels_;
  std::int64_t k_;
  std::vector<double> prices_;  // of the groups, then of the pool
  std::vector<std::int64_t> sizes_, places_, excess_;
  std::vector<std::vector<Move>> moves_;  // from * k + to: a heap of the rows of `from`, the cheapest first
  std::vector<double> cheapest_;
  std::vector<double> distances_;
  std::vector<std::int64_t> before_;
  std::vector<bool> is_final_;
};

}  // namespace

int settle_costs(double* costs, std::int64_t count, int digits) {
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, costs[i]);
  int power = 0;
  std::frexp(largest, &power);
  const int first = power / 2;  // in two steps: the whole power may be beyond all numbers
  const double by = std::ldexp(1.0, -first), then_by = std::ldexp(1.0, first - power);
  const int left_out = std::numeric_limits<double>::digits - digits;
  const std::uint64_t one = 1, half = (one << (left_out - 1)) - 1, kept = ~((one << left_out) - 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const double scaled = costs[i] * by * then_by;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &scaled, sizeof bits);
    bits = (bits + ((bits >> left_out) & one) + half) & kept;
    std::memcpy(&costs[i], &bits, sizeof bits);
  }
  return power;
}

void assign_within_sizes(MatrixView<double> costs, SizeLimits limits, double* prices, std::int32_t* labels) {
  SizeLimitedAssignment assignment(costs, limits, prices, labels);
  assignment.solve();
  assignment.write_prices(prices);
}

}  // namespace coterie
