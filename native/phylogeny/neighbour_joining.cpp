#include "phylogeny/neighbour_joining.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

// A step joins the pair of least Q = (m - 2) d_ij - (r_i + r_j), where m nodes are left and r are sums of their distances. Looking at all
// pairs of all steps takes O(n^3). Here a row is searched only if it may hold the least Q: with u = r / (m - 2),
// b_i = min over j < i of d_ij - u_j is known from the last search of row i, and each step since then has lowered it by at most the
// largest growth of any u. The bounds say which rows to search, never which pair is least: that is exact.
namespace coterie {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double ROUNDING = 16 * std::numeric_limits<double>::epsilon();
constexpr std::int64_t WORTH_THREADS = 1 << 17;  // numbers of a search
constexpr std::int64_t ROWS_PER_TASK = 8;

struct Pair {
  double value = INFINITE;
  std::int64_t low = -1, high = -1;

  bool is_before(const Pair& other) const {
    if (value != other.value) return value < other.value;
    return low != other.low ? low < other.low : high < other.high;
  }
};

class Joiner {
 public:
  Joiner(MatrixView<double> distances, int threads)
      : threads_(threads),
        slots_(distances.rows),
        left_(distances.rows),
        triangle_(slots_ * (slots_ - 1) / 2),
        sums_(static_cast<std::size_t>(slots_)),
        before_(static_cast<std::size_t>(slots_)),
        bounds_(static_cast<std::size_t>(slots_), -INFINITE),
        partners_(static_cast<std::size_t>(slots_), -1),
        nodes_(static_cast<std::size_t>(slots_)) {
    parallel_for(block_count(slots_, ROWS_PER_TASK), threads_, [&](std::int64_t task, int) {
      const Range rows = block_range(slots_, ROWS_PER_TASK, task);
      for (std::int64_t i = rows.begin; i < rows.end; ++i) take_row(i, distances.row(i));
    });
    tree_.lengths.assign(static_cast<std::size_t>(slots_), std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t i = 0; i < slots_; ++i) {
      nodes_[i] = i;
      for (std::int64_t j = 0; j < i; ++j) largest_ = std::max(largest_, std::abs(row(i)[j]));
    }
    bounds_[0] = INFINITE;
  }

  JoinedTree run() {
    while (left_ > 3) {
      check_interrupt();
      join(find_least());
      if (left_ * 8 <= slots_ * 7) drop_dead();
    }
    finish();
    return std::move(tree_);
  }

 private:
  double* row(std::int64_t i) { return triangle_.data() + i * (i - 1) / 2; }
  double& at(std::int64_t i, std::int64_t j) { return i > j ? row(i)[j] : row(j)[i]; }
  bool is_live(std::int64_t i) const { return sums_[i] != -INFINITE; }
  double scale() const { return static_cast<double>(left_ - 2); }
  double criterion(std::int64_t i, std::int64_t j) { return scale() * at(i, j) - (sums_[i] + sums_[j]); }

  void take_row(std::int64_t i, const double* given) {
    std::copy(given, given + i, row(i));
    double sum = 0;
    for (std::int64_t j = 0; j < slots_; ++j) sum += j == i ? 0.0 : given[j];
    sums_[i] = sum;
  }

  // The pairs that rows remember are near the least one: what is above the best of them needs no search.
  Pair best_remembered() {
    Pair best;
    for (std::int64_t i = 1; i < slots_; ++i) {
      const std::int64_t j = partners_[i];
      if (j < 0 || !is_live(i) || !is_live(j)) continue;
      const Pair pair{criterion(i, j), j, i};
      if (pair.is_before(best)) best = pair;
    }
    return best;
  }

  Pair find_least() {
    Pair best = best_remembered();
    double largest_mean = 0;
    for (std::int64_t i = 0; i < slots_; ++i)
      if (is_live(i)) largest_mean = std::max(largest_mean, std::abs(sums_[i]) / scale());
    const double limit = best.value / scale() + ROUNDING * (largest_ + 2 * largest_mean);
    searched_.clear();
    std::int64_t numbers = 0;
    for (std::int64_t i = 1; i < slots_; ++i) {
      if (!is_live(i) || bounds_[i] - growth_ - sums_[i] / scale() > limit) continue;
      searched_.push_back(i);
      numbers += i;
    }
    const auto count = static_cast<std::int64_t>(searched_.size());
    tree_.rows_searched += count;
    parallel_for(block_count(count, ROWS_PER_TASK), numbers < WORTH_THREADS ? 1 : threads_, [&](std::int64_t task, int) {
      const Range mine = block_range(count, ROWS_PER_TASK, task);
      for (std::int64_t s = mine.begin; s < mine.end; ++s) search_row(searched_[static_cast<std::size_t>(s)]);
    });
    for (const std::int64_t i : searched_) {
      if (partners_[i] < 0) continue;
      const Pair pair{criterion(i, partners_[i]), partners_[i], i};
      if (pair.is_before(best)) best = pair;
    }
    return best;
  }

  void search_row(std::int64_t i) {
    LeastPair found;
    engine().phylogeny.least_pair(row(i), sums_.data(), sums_[i], scale(), i, found);
    partners_[i] = found.at;
    bounds_[i] = found.at < 0 ? INFINITE : (found.value + sums_[i]) / scale() + growth_;
  }

  void add_child(std::int64_t slot, double length) {
    tree_.children.push_back(nodes_[slot]);
    tree_.lengths[nodes_[slot]] = length;
  }

  std::int64_t close_node() {
    tree_.starts.push_back(static_cast<std::int64_t>(tree_.children.size()));
    tree_.lengths.push_back(std::numeric_limits<double>::quiet_NaN());
    return static_cast<std::int64_t>(tree_.lengths.size()) - 1;
  }

  void join(const Pair& pair) {
    const std::int64_t a = pair.low, b = pair.high;
    const double between = at(a, b), length = 0.5 * between + (sums_[a] - sums_[b]) / (2 * scale());
    add_child(a, length);
    add_child(b, between - length);
    nodes_[a] = close_node();
    for (std::int64_t k = 0; k < slots_; ++k) before_[k] = sums_[k] / scale();
    double sum = 0;
    for (std::int64_t k = 0; k < slots_; ++k) {
      if (k == a || k == b || !is_live(k)) continue;
      double& to_a = at(k, a);
      const double to_b = at(k, b), joined = 0.5 * (to_a + to_b - between);
      sums_[k] = sums_[k] - to_a - to_b + joined;
      to_a = joined;
      sum += joined;
      largest_ = std::max(largest_, std::abs(joined));
    }
    sums_[a] = sum;
    sums_[b] = -INFINITE;
    --left_;
    note_growth(a);
    note_new_pairs(a, b);
  }

  // By how much a bound may have fallen: rounded up.
  void note_growth(std::int64_t a) {
    double largest = -INFINITE, size = 0;
    for (std::int64_t k = 0; k < slots_; ++k) {
      if (k == a || !is_live(k)) continue;
      const double mean = sums_[k] / scale();
      largest = std::max(largest, mean - before_[k]);
      size = std::max(size, std::abs(mean) + std::abs(before_[k]));
    }
    growth_ += largest + ROUNDING * (size + std::abs(growth_));
  }

  void note_new_pairs(std::int64_t a, std::int64_t b) {
    const double mean = sums_[a] / scale();
    for (std::int64_t k = a + 1; k < slots_; ++k) {
      if (!is_live(k)) continue;
      const double bound = row(k)[a] - mean + growth_;
      if (bound < bounds_[k] || partners_[k] == b) partners_[k] = a;
      bounds_[k] = std::min(bounds_[k], bound);
    }
    bounds_[a] = a == 0 ? INFINITE : -INFINITE;
    partners_[a] = -1;
  }

  // Rows and columns of nodes that are gone leave; the others keep their order.
  void drop_dead() {
    std::vector<std::int64_t> kept, place(static_cast<std::size_t>(slots_), -1);
    for (std::int64_t i = 0; i < slots_; ++i)
      if (is_live(i)) {
        place[i] = static_cast<std::int64_t>(kept.size());
        kept.push_back(i);
      }
    for (std::int64_t p = 0; p < left_; ++p) {
      const std::int64_t i = kept[p];
      const double* from = row(i);
      double* to = row(p);
      for (std::int64_t q = 0; q < p; ++q) to[q] = from[kept[q]];
      sums_[p] = sums_[i];
      bounds_[p] = bounds_[i];
      nodes_[p] = nodes_[i];
      partners_[p] = partners_[i] < 0 ? -1 : place[partners_[i]];
    }
    bounds_[0] = INFINITE;
    slots_ = left_;
  }

  void finish() {
    if (slots_ == 1) return;
    std::vector<std::int64_t> live;
    for (std::int64_t i = 0; i < slots_; ++i)
      if (is_live(i)) live.push_back(i);
    if (live.size() == 2) {
      const double half = 0.5 * at(live[0], live[1]);
      add_child(live[0], half);
      add_child(live[1], half);
    } else {
      const double xy = at(live[0], live[1]), xz = at(live[0], live[2]), yz = at(live[1], live[2]);
      add_child(live[0], 0.5 * (xy + xz - yz));
      add_child(live[1], 0.5 * (xy + yz - xz));
      add_child(live[2], 0.5 * (xz + yz - xy));
    }
    close_node();
  }

  int threads_;
  std::int64_t slots_, left_;
  isa_plain::Scratch<double> triangle_;
  std::vector<double> sums_, before_, bounds_;  // sums of nodes that are gone are -inf
  std::vector<std::int64_t> partners_, nodes_, searched_;
  double growth_ = 0, largest_ = 0;
  JoinedTree tree_;
};

}  // namespace

JoinedTree join_neighbours(MatrixView<double> distances, int threads) { return Joiner(distances, threads).run(); }

}  // namespace coterie
