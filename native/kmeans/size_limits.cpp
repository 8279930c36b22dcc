// A transportation problem with few sinks, solved by successive shortest paths (Ahuja, Magnanti and Orlin 1993, section 9.7). Rows are
// contracted away: the graph has a node per group and one more, the pool, and going from group i to group j costs what the cheapest row
// of i loses there. Every path moves one row. So prices that leave few rows to move are worth a search of their own, in a sample.
#include "kmeans/size_limits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double price_rounding = 1e-9;  // relative: prices that differ by less are equal
constexpr std::int64_t sample_step = 16;  // rows of which one is in the sample
constexpr std::int64_t least_sample = 64;  // rows that tell something about prices
constexpr std::int64_t rows_per_move = 64;  // where one row in so many has to move, a sample is worth its time
constexpr std::int64_t block_numbers = 1 << 15;
constexpr std::int64_t rows_per_sum = 256;  // whose costs are added up before they are added to the others: less rounding

// A row that could leave its group, and what is lost by that.
struct Move {
  double loss = infinity;
  std::int32_t row = -1;
};

// Ties by row: the result must not depend on the history of a heap.
struct IsDearer {
  bool operator()(const Move& a, const Move& b) const { return a.loss != b.loss ? a.loss > b.loss : a.row > b.row; }
};
constexpr IsDearer is_dearer;  // an object: a function would be called for every comparison of a heap

class SizeLimitedAssignment {
 public:
  SizeLimitedAssignment(MatrixView<double> costs, SizeLimits limits, std::int32_t* labels)
      : costs_(costs), limits_(limits), labels_(labels), k_(costs.cols), prices_(static_cast<std::size_t>(costs.cols) + 1) {}

  // `prices` are a guess before, and what was found after.
  void solve(double* prices) {
    take_cheapest();
    if (n_too_many() > 0) {
      set_prices(prices);
      if (n_too_many() > costs_.rows / rows_per_move) learn_prices();
      if (n_too_many() > 0) send_all();
    }
    for (std::int64_t j = 0; j < k_; ++j) prices[j] = prices_[j] - prices_[pool()];
  }

 private:
  std::int64_t pool() const { return k_; }

  Move move_of(std::int32_t row, std::int64_t from, std::int64_t to) const {
    const double* cost = costs_.row(row);
    return {cost[to] - cost[from], row};
  }

  // A group below its most rows has no price above the pool's: what is one by rounding only would empty the group into it.
  void set_prices(const double* prices) {
    double largest = 0;
    for (std::int64_t j = 0; j < k_; ++j) largest = std::max(largest, std::abs(prices[j]));
    if (largest == 0) return;  // as they are
    for (std::int64_t j = 0; j < k_; ++j) prices_[j] = std::abs(prices[j]) <= price_rounding * largest ? 0 : prices[j];
    take_cheapest();
  }

  void take_cheapest() {
    sizes_.assign(k_, 0);
    for (std::int64_t row = 0; row < costs_.rows; ++row) {
      const double* cost = costs_.row(row);
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
    count_excess();
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

  std::int64_t n_too_many() const {
    std::int64_t count = 0;
    for (const std::int64_t excess : excess_) count += std::max<std::int64_t>(excess, 0);
    return count;
  }

  // Takes the prices of a sample of the rows: nearly those of all rows, from a sixteenth of the moves.
  void learn_prices() {
    const std::int64_t n = costs_.rows, n_sampled = n / sample_step;
    if (n_sampled < std::max(least_sample, k_)) return;
    std::vector<std::int64_t> least(k_), most(k_);
    for (std::int64_t j = 0; j < k_; ++j) {
      least[j] = limits_.least[j] * n_sampled / n;
      most[j] = (limits_.most[j] * n_sampled + n - 1) / n;
    }
    std::vector<std::int32_t> labels(static_cast<std::size_t>(n_sampled));
    const MatrixView<double> sample = {costs_.data, n_sampled, k_, costs_.stride * sample_step};
    std::vector<double> prices(prices_);
    SizeLimitedAssignment(sample, {least.data(), most.data()}, labels.data()).solve(prices.data());
    set_prices(prices.data());
  }

  void send_all() {
    find_cheapest_moves();
    for (std::int64_t node = 0; node <= k_; ++node)
      for (; excess_[node] > 0; send_one(node)) check_interrupt();
  }

  void find_cheapest_moves() {
    cheapest_.assign(k_ * k_, {});
    queues_.assign(k_ * k_, {});
    members_.assign(k_, {});
    for (std::int64_t j = 0; j < k_; ++j) members_[j].reserve(static_cast<std::size_t>(sizes_[j]));
    for (std::int32_t row = 0; row < costs_.rows; ++row) {
      const std::int64_t from = labels_[row];
      members_[from].push_back(row);
      const double* cost = costs_.row(row);
      Move* moves = cheapest_.data() + from * k_;
      for (std::int64_t to = 0; to < k_; ++to)
        if (cost[to] - cost[from] < moves[to].loss) moves[to] = {cost[to] - cost[from], row};
    }
  }

  // Renews the cheapest row of an edge after it went elsewhere.
  void drop_gone(std::int64_t from, std::int64_t to) {
    Move& cheapest = cheapest_[from * k_ + to];
    if (cheapest.row < 0 || labels_[cheapest.row] == from) return;
    std::vector<Move>& queue = queues_[from * k_ + to];
    if (queue.empty()) queue_members(queue, from, to);
    while (!queue.empty() && labels_[queue.front().row] != from) {
      std::pop_heap(queue.begin(), queue.end(), is_dearer);
      queue.pop_back();
    }
    cheapest = queue.empty() ? Move{} : queue.front();
  }

  void queue_members(std::vector<Move>& queue, std::int64_t from, std::int64_t to) {
    std::erase_if(members_[from], [&](std::int32_t row) { return labels_[row] != from; });
    queue.reserve(members_[from].size());
    for (const std::int32_t row : members_[from]) queue.push_back(move_of(row, from, to));
    std::make_heap(queue.begin(), queue.end(), is_dearer);
  }

  void offer(std::int32_t row, std::int64_t from, std::int64_t to) {
    const Move move = move_of(row, from, to);
    std::vector<Move>& queue = queues_[from * k_ + to];
    if (!queue.empty()) {
      queue.push_back(move);
      std::push_heap(queue.begin(), queue.end(), is_dearer);
    }
    if (is_dearer(cheapest_[from * k_ + to], move)) cheapest_[from * k_ + to] = move;
  }

  // The length of an edge at the present prices: never negative but for rounding, infinite where nothing can go.
  double length(std::int64_t from, std::int64_t to) const {
    double cost = 0;
    if (from == pool()) {
      if (places_[to] <= limits_.least[to]) return infinity;
    } else if (to == pool()) {
      if (places_[from] >= limits_.most[from]) return infinity;
    } else {
      cost = cheapest_[from * k_ + to].loss;
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
      move_row(cheapest_[from * k_ + to].row, from, to);
    }
  }

  void move_row(std::int32_t row, std::int64_t from, std::int64_t to) {
    labels_[row] = static_cast<std::int32_t>(to);
    members_[to].push_back(row);
    for (std::int64_t next = 0; next < k_; ++next) {
      if (next != from) drop_gone(from, next);
      if (next != to) offer(row, to, next);
    }
  }

  MatrixView<double> costs_;
  SizeLimits limits_;
  std::int32_t* labels_;
  std::int64_t k_;
  std::vector<double> prices_;  // of the groups, then of the pool
  std::vector<std::int64_t> sizes_, places_, excess_;
  std::vector<std::vector<std::int32_t>> members_;  // of each group, and rows that left it
  // Of from * k + to, the rows of one group that could go to the other. Few edges are on any path: the others need no queue.
  std::vector<Move> cheapest_;
  std::vector<std::vector<Move>> queues_;  // heaps; rows that went elsewhere leave them when they come to the top
  std::vector<double> distances_;
  std::vector<std::int64_t> before_;
  std::vector<char> is_final_;
};

double largest_of(const double* numbers, std::int64_t count) {
  double a = 0, b = 0, c = 0, d = 0;  // side by side: each comparison would wait for the last one
  for (std::int64_t i = 0; i < count - 3; i += 4) {
    a = std::max(a, numbers[i]), b = std::max(b, numbers[i + 1]);
    c = std::max(c, numbers[i + 2]), d = std::max(d, numbers[i + 3]);
  }
  for (std::int64_t i = count - count % 4; i < count; ++i) a = std::max(a, numbers[i]);
  return std::max(std::max(a, b), std::max(c, d));
}

void divide_and_round(double* costs, std::int64_t count, int power, int digits) {
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
}

}  // namespace

int settle_costs(double* costs, std::int64_t count, int digits, int threads) {
  const std::int64_t n_blocks = block_count(count, block_numbers);
  std::vector<double> largest(static_cast<std::size_t>(n_blocks) + 1);
  parallel_for(n_blocks, threads, [&](std::int64_t block, int) {
    const Range range = block_range(count, block_numbers, block);
    largest[block] = largest_of(costs + range.begin, range.size());
  });
  int power = 0;
  std::frexp(*std::max_element(largest.begin(), largest.end()), &power);
  parallel_for(n_blocks, threads, [&](std::int64_t block, int) {
    const Range range = block_range(count, block_numbers, block);
    divide_and_round(costs + range.begin, range.size(), power, digits);
  });
  return power;
}

double cost_of_labels(MatrixView<double> costs, const std::int32_t* labels) {
  double total = 0;
  for (std::int64_t block = 0; block < block_count(costs.rows, rows_per_sum); ++block) {
    const Range rows = block_range(costs.rows, rows_per_sum, block);
    double sum = 0;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) sum += costs.row(row)[labels[row]];
    total += sum;
  }
  return total;
}

void assign_within_sizes(MatrixView<double> costs, SizeLimits limits, double* prices, std::int32_t* labels) {
  SizeLimitedAssignment(costs, limits, labels).solve(prices);
}

}  // namespace coterie
