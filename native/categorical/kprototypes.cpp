#include "categorical/kprototypes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_task = 1024;
constexpr double least_gain = 1e-12;  // of the cost of a row: less is rounding, and rows would move for ever

// Prototypes column by column, so that the costs of one row to all of them are summed side by side.
struct Columns {
  std::int64_t k;
  std::vector<double> means;
  std::vector<std::int32_t> modes;

  explicit Columns(const Prototypes& from, std::int64_t n_numbers, std::int64_t n_codes)
      : k(from.k), means(from.means.size()), modes(from.modes.size()) {
    for (std::int64_t c = 0; c < k; ++c) {
      for (std::int64_t t = 0; t < n_numbers; ++t) means[at(t, c)] = from.means[static_cast<std::size_t>(c * n_numbers + t)];
      for (std::int64_t t = 0; t < n_codes; ++t) modes[at(t, c)] = from.modes[static_cast<std::size_t>(c * n_codes + t)];
    }
  }
  std::size_t at(std::int64_t t, std::int64_t c) const { return static_cast<std::size_t>(t * k + c); }
};

// Adds what the numbers and the categories of a row cost; NaN and -1 on either side cost nothing.
void add_costs(const MixedRows& rows, const Columns& prototypes, std::int64_t row, double* costs) {
  const std::int64_t k = prototypes.k;
  std::fill(costs, costs + k, 0.0);
  const double* numbers = rows.numbers.row(row);
  for (std::int64_t t = 0; t < rows.numbers.cols; ++t) {
    const double x = numbers[t];
    if (x != x) continue;
    const double* means = prototypes.means.data() + t * k;
    for (std::int64_t c = 0; c < k; ++c) {
      const double difference = x - means[c], square = difference * difference;
      costs[c] += square == square ? square : 0.0;
    }
  }
  const std::int32_t* codes = rows.codes.row(row);
  for (std::int64_t t = 0; t < rows.codes.cols; ++t) {
    const std::int32_t code = codes[t];
    if (code == -1) continue;
    const std::int32_t* modes = prototypes.modes.data() + t * k;
    for (std::int64_t c = 0; c < k; ++c) costs[c] += modes[c] != code && modes[c] != -1 ? rows.gamma : 0.0;
  }
}

// The sums and counts of all clusters, from which prototypes and the gain of a move follow.
class Tallies {
 public:
  Tallies(const MixedRows& rows, std::int64_t k) : rows_(rows), k_(k), starts_(static_cast<std::size_t>(rows.codes.cols) + 1, 0) {
    for (std::int64_t t = 0; t < rows.codes.cols; ++t)
      starts_[static_cast<std::size_t>(t) + 1] = starts_[static_cast<std::size_t>(t)] + rows.n_levels[t];
    const auto numbers = static_cast<std::size_t>(k * rows.numbers.cols), cells = static_cast<std::size_t>(k * rows.codes.cols);
    sums_.resize(numbers), masses_.resize(numbers), tops_.resize(cells);
    counts_.resize(static_cast<std::size_t>(k * starts_.back()));
    sizes_.resize(static_cast<std::size_t>(k));
  }

  void count(const std::vector<std::int32_t>& labels) {
    for (auto* each : {&sums_, &masses_, &counts_}) std::fill(each->begin(), each->end(), 0.0);
    std::fill(sizes_.begin(), sizes_.end(), 0);
    for (std::int64_t i = 0; i < rows_.n(); ++i) shift(i, labels[static_cast<std::size_t>(i)], 1);
    for (std::int64_t c = 0; c < k_; ++c)
      for (std::int64_t t = 0; t < rows_.codes.cols; ++t) find_tops(c, t);
  }

  std::int64_t size(std::int64_t c) const { return sizes_[static_cast<std::size_t>(c)]; }

  // Means and modes; a column that nobody in the cluster has keeps what it had.
  void write(Prototypes& out) const {
    const std::int64_t p = rows_.numbers.cols, q = rows_.codes.cols;
    for (std::int64_t c = 0; c < k_; ++c) {
      for (std::int64_t t = 0; t < p; ++t)
        if (const std::size_t cell = index(c, t, p); masses_[cell] > 0) out.means[cell] = sums_[cell] / masses_[cell];
      for (std::int64_t t = 0; t < q; ++t)
        if (const Tops& top = tops_[index(c, t, q)]; top.first > 0) out.modes[index(c, t, q)] = top.mode;
    }
  }

  void move(std::int64_t row, std::int32_t from, std::int32_t to) {
    for (const auto& [cluster, sign] : {std::pair{from, -1}, std::pair{to, 1}}) {
      shift(row, cluster, sign);
      for (std::int64_t t = 0; t < rows_.codes.cols; ++t)
        if (rows_.codes.row(row)[t] >= 0) find_tops(cluster, t);
    }
  }

  // By how much the objective falls when the row leaves its cluster.
  double gain_of_leaving(std::int64_t row, std::int64_t c) const {
    const double w = rows_.weight(row);
    double gain = 0;
    for (std::int64_t t = 0; t < rows_.numbers.cols; ++t) {
      const double x = rows_.numbers.row(row)[t];
      const std::size_t cell = index(c, t, rows_.numbers.cols);
      if (x != x || masses_[cell] - w <= least_gain * w) continue;
      const double difference = x - sums_[cell] / masses_[cell];
      gain += w * masses_[cell] / (masses_[cell] - w) * (difference * difference);
    }
    for (std::int64_t t = 0; t < rows_.codes.cols; ++t) {
      const std::int32_t code = rows_.codes.row(row)[t];
      if (code < 0) continue;
      const Tops& top = tops_[index(c, t, rows_.codes.cols)];
      const double left = code == top.mode ? std::max(top.first - w, top.second) : top.first;
      gain += rows_.gamma * (w - (top.first - left));
    }
    return gain;
  }

  // By how much it rises when the row joins another one.
  double cost_of_joining(std::int64_t row, std::int64_t c) const {
    const double w = rows_.weight(row);
    double cost = 0;
    for (std::int64_t t = 0; t < rows_.numbers.cols; ++t) {
      const double x = rows_.numbers.row(row)[t];
      const std::size_t cell = index(c, t, rows_.numbers.cols);
      if (x != x || !(masses_[cell] > 0)) continue;
      const double difference = x - sums_[cell] / masses_[cell];
      cost += w * masses_[cell] / (masses_[cell] + w) * (difference * difference);
    }
    for (std::int64_t t = 0; t < rows_.codes.cols; ++t) {
      const std::int32_t code = rows_.codes.row(row)[t];
      if (code < 0) continue;
      const double first = tops_[index(c, t, rows_.codes.cols)].first;
      cost += rows_.gamma * (w - (std::max(first, counts_[slot(c, t, code)] + w) - first));
    }
    return cost;
  }

 private:
  struct Tops {
    double first = 0, second = 0;  // weight of the most and the second most frequent category
    std::int32_t mode = -1;        // the lowest of equals
  };

  static std::size_t index(std::int64_t c, std::int64_t t, std::int64_t cols) { return static_cast<std::size_t>(c * cols + t); }
  std::size_t slot(std::int64_t c, std::int64_t t, std::int32_t code) const {
    return static_cast<std::size_t>(c * starts_.back() + starts_[static_cast<std::size_t>(t)] + code);
  }

  void shift(std::int64_t row, std::int64_t c, int sign) {
    const double w = sign * rows_.weight(row);
    sizes_[static_cast<std::size_t>(c)] += rows_.weight(row) > 0 ? sign : 0;
    for (std::int64_t t = 0; t < rows_.numbers.cols; ++t) {
      const double x = rows_.numbers.row(row)[t];
      if (x != x) continue;
      sums_[index(c, t, rows_.numbers.cols)] += w * x;
      masses_[index(c, t, rows_.numbers.cols)] += w;
    }
    for (std::int64_t t = 0; t < rows_.codes.cols; ++t)
      if (const std::int32_t code = rows_.codes.row(row)[t]; code >= 0) counts_[slot(c, t, code)] += w;
  }

  void find_tops(std::int64_t c, std::int64_t t) {
    Tops found;
    const double* counts = counts_.data() + slot(c, t, 0);
    for (std::int64_t level = 0; level < rows_.n_levels[t]; ++level) {
      const double count = counts[level];
      if (count > found.first) {
        found.second = found.first;
        found.first = count;
        found.mode = static_cast<std::int32_t>(level);
      } else if (count > found.second) {
        found.second = count;
      }
    }
    tops_[index(c, t, rows_.codes.cols)] = found;
  }

  const MixedRows& rows_;
  std::int64_t k_;
  std::vector<std::int64_t> starts_, sizes_;
  std::vector<double> sums_, masses_, counts_;
  std::vector<Tops> tops_;
};

double total_of(const MixedRows& rows, const std::vector<double>& costs) {
  double total = 0;
  for (std::int64_t i = 0; i < rows.n(); ++i) total += rows.weight(i) * costs[static_cast<std::size_t>(i)];
  return total;
}

// Every cluster without rows takes the row that costs most, of those whose cluster keeps another one.
void refill(const MixedRows& rows, std::int64_t k, std::vector<std::int32_t>& labels, std::vector<double>& costs) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(k), 0);
  for (std::int64_t i = 0; i < rows.n(); ++i)
    sizes[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])] += rows.weight(i) > 0;
  for (std::int64_t c = 0; c < k; ++c) {
    if (sizes[static_cast<std::size_t>(c)] > 0) continue;
    std::int64_t farthest = -1;
    for (std::int64_t i = 0; i < rows.n(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool may_go = rows.weight(i) > 0 && costs[at] > 0 && sizes[static_cast<std::size_t>(labels[at])] > 1;
      if (may_go && (farthest < 0 || costs[at] > costs[static_cast<std::size_t>(farthest)])) farthest = i;
    }
    if (farthest < 0) return;
    const auto at = static_cast<std::size_t>(farthest);
    --sizes[static_cast<std::size_t>(labels[at])];
    ++sizes[static_cast<std::size_t>(c)];
    labels[at] = static_cast<std::int32_t>(c);
    costs[at] = 0;
  }
}

// Moves rows one by one while the objective falls; returns how many moved.
std::int64_t move_single_rows(const MixedRows& rows, std::int64_t k, Tallies& tallies, std::vector<std::int32_t>& labels) {
  std::int64_t n_moved = 0;
  for (std::int64_t i = 0; i < rows.n(); ++i) {
    if (i % rows_per_task == 0) check_interrupt();
    const std::int32_t own = labels[static_cast<std::size_t>(i)];
    if (!(rows.weight(i) > 0) || tallies.size(own) < 2) continue;
    const double gain = tallies.gain_of_leaving(i, own);
    if (!(gain > 0)) continue;
    double least = gain * (1 - least_gain);
    std::int32_t best = own;
    for (std::int64_t c = 0; c < k; ++c) {
      if (c == own) continue;
      const double cost = tallies.cost_of_joining(i, c);
      if (cost < least) least = cost, best = static_cast<std::int32_t>(c);
    }
    if (best == own) continue;
    tallies.move(i, own, best);
    labels[static_cast<std::size_t>(i)] = best;
    ++n_moved;
  }
  return n_moved;
}

}  // namespace

void label_by_prototypes(const MixedRows& rows, const Prototypes& prototypes, int threads, std::int32_t* labels, double* costs) {
  const Columns columns(prototypes, rows.numbers.cols, rows.codes.cols);
  parallel_for(block_count(rows.n(), rows_per_task), threads, [&](std::int64_t task, int) {
    std::vector<double> to_all(static_cast<std::size_t>(prototypes.k));
    const Range range = block_range(rows.n(), rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      add_costs(rows, columns, i, to_all.data());
      const auto best = std::min_element(to_all.begin(), to_all.end());  // ties by index
      labels[i] = static_cast<std::int32_t>(best - to_all.begin());
      costs[i] = *best;
    }
  });
}

PrototypeFit fit_prototypes(const MixedRows& rows, const Prototypes& start, std::int64_t max_passes, int threads) {
  PrototypeFit fit{start, std::vector<std::int32_t>(static_cast<std::size_t>(rows.n())), {}, false};
  std::vector<double> costs(fit.labels.size());
  std::vector<std::int32_t> before;
  Tallies tallies(rows, start.k);
  for (std::int64_t pass = 0; pass < max_passes && !fit.is_settled; ++pass) {
    before = fit.labels;
    label_by_prototypes(rows, fit.prototypes, threads, fit.labels.data(), costs.data());
    const double total = total_of(rows, costs);
    refill(rows, start.k, fit.labels, costs);
    const bool has_stopped = pass > 0 && (fit.labels == before || !(total < fit.costs.back()));
    tallies.count(fit.labels);
    if (has_stopped) fit.is_settled = move_single_rows(rows, start.k, tallies, fit.labels) == 0;
    tallies.write(fit.prototypes);
    fit.costs.push_back(total);
  }
  label_by_prototypes(rows, fit.prototypes, threads, fit.labels.data(), costs.data());
  fit.costs.push_back(total_of(rows, costs));
  return fit;
}

}  // namespace coterie
