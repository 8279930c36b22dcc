// BUILD by lazy evaluation: what a candidate gains never grows while medoids join, so that an old gain is an upper bound
// and only the candidates on top of the heap are looked at again.
#include <algorithm>
#include <cmath>
#include <queue>

#include "medoids/medoids.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

struct Gain {
  double value;
  std::int64_t at;  // place among the candidates
  std::int64_t age;  // medoids when it was computed

  bool operator<(const Gain& other) const { return value != other.value ? value < other.value : at > other.at; }
};

template <class T>
class Builder {
 public:
  Builder(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights, int threads)
      : rows_(rows), candidates_(candidates), threads_(threads), near_(static_cast<std::size_t>(rows.n_points())) {
    points_.n = rows.n_points();
    points_.weights = weights;
    points_.distance[0] = near_.data();
  }

  std::vector<std::int64_t> run(std::int64_t n_medoids) {
    join(lowest_total());
    if (n_medoids > 1) push(evaluate_all([this](const T* row) { return kernels().gain(row, points_); }));
    while (static_cast<std::int64_t>(medoids_.size()) < n_medoids) {
      refresh();
      if (heap_.top().value <= rounding()) {  // nobody gains anything now, nor later
        join_rest(n_medoids);
        break;
      }
      join(take_best());
    }
    return medoids_;
  }

 private:
  static constexpr std::int64_t first_batch = 8, largest_batch = 64;  // gains that are renewed together

  static const MedoidKernels<T>& kernels() { return engine().of<T>().medoids; }

  template <class Value>
  std::vector<double> evaluate_all(const Value& value) {
    const auto count = static_cast<std::int64_t>(candidates_.size());
    std::vector<double> values(candidates_.size());
    for (std::int64_t first = 0; first < count; first += DistanceRows<T>::most_rows) {
      const std::int64_t size = std::min(DistanceRows<T>::most_rows, count - first);
      const T* const* fetched = rows_.fetch(candidates_.data() + first, size);
      parallel_for(size, threads_, [&](std::int64_t i, int) { values[static_cast<std::size_t>(first + i)] = value(fetched[i]); });
    }
    return values;
  }

  std::int64_t lowest_total() {
    const std::vector<double> totals = evaluate_all([this](const T* row) { return kernels().total(row, points_.weights, points_.n); });
    const double least = *std::min_element(totals.begin(), totals.end());
    const double limit = least + equal_share<T>(points_.n) * least;
    const auto first = std::find_if(totals.begin(), totals.end(), [=](double total) { return total <= limit; });
    return (first == totals.end() ? totals.begin() : first) - totals.begin();  // none where the totals are not numbers
  }

  // Gains are differences of the distances to the nearest medoids, and as uncertain as their sum.
  double rounding() const {
    const double loss = kernels().total(near_.data(), points_.weights, points_.n);
    return std::isfinite(loss) ? equal_share<T>(points_.n) * loss : 0;
  }

  // The top of the heap, which is up to date; or, of those that gain as much but for rounding, the first candidate.
  std::int64_t take_best() {
    const double limit = heap_.top().value - rounding();
    const auto age = static_cast<std::int64_t>(medoids_.size());
    std::vector<Gain> equals;
    do {
      equals.push_back(heap_.top());
      heap_.pop();
      while (!heap_.empty() && heap_.top().value >= limit && heap_.top().age != age) refresh();
    } while (!heap_.empty() && heap_.top().value >= limit);
    const auto first = std::min_element(equals.begin(), equals.end(), [](const Gain& a, const Gain& b) { return a.at < b.at; });
    for (auto gain = equals.begin(); gain != equals.end(); ++gain)
      if (gain != first) heap_.push(*gain);
    return first->at;
  }

  void join_rest(std::int64_t n_medoids) {
    std::vector<std::int64_t> left;
    for (; !heap_.empty(); heap_.pop()) left.push_back(heap_.top().at);
    std::sort(left.begin(), left.end());
    left.resize(static_cast<std::size_t>(n_medoids) - medoids_.size());
    for (const std::int64_t at : left) medoids_.push_back(candidates_[static_cast<std::size_t>(at)]);
  }

  void push(const std::vector<double>& gains) {
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(gains.size()); ++at)
      if (candidates_[static_cast<std::size_t>(at)] != medoids_.front()) heap_.push({gains[static_cast<std::size_t>(at)], at, 1});
  }

  // Until the top of the heap is up to date.
  void refresh() {
    const auto age = static_cast<std::int64_t>(medoids_.size());
    for (std::int64_t batch = first_batch; heap_.top().age != age; batch = std::min(2 * batch, largest_batch)) {
      std::vector<Gain> stale;
      while (!heap_.empty() && heap_.top().age != age && static_cast<std::int64_t>(stale.size()) < batch) {
        stale.push_back(heap_.top());
        heap_.pop();
      }
      std::vector<std::int64_t> ids;
      for (const Gain& gain : stale) ids.push_back(candidates_[static_cast<std::size_t>(gain.at)]);
      const T* const* fetched = rows_.fetch(ids.data(), static_cast<std::int64_t>(ids.size()));
      parallel_for(static_cast<std::int64_t>(ids.size()), threads_,
                   [&](std::int64_t i, int) { stale[static_cast<std::size_t>(i)].value = kernels().gain(fetched[i], points_); });
      for (const Gain& gain : stale) heap_.push({gain.value, gain.at, age});
    }
  }

  void join(std::int64_t at) {
    const std::int64_t id = candidates_[static_cast<std::size_t>(at)];
    const T* row = *rows_.fetch(&id, 1);
    for (std::size_t o = 0; o < near_.size(); ++o) near_[o] = medoids_.empty() ? row[o] : std::min(near_[o], row[o]);
    medoids_.push_back(id);
  }

  DistanceRows<T>& rows_;
  const std::vector<std::int64_t>& candidates_;
  int threads_;
  std::vector<T> near_;
  MedoidPoints<T> points_{};
  std::priority_queue<Gain> heap_;
  std::vector<std::int64_t> medoids_;
};

}  // namespace

template <class T>
std::vector<std::int64_t> build_medoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& candidates, const double* weights,
                                        std::int64_t n_medoids, int threads) {
  return Builder<T>(rows, candidates, weights, threads).run(n_medoids);
}

template std::vector<std::int64_t> build_medoids<float>(DistanceRows<float>&, const std::vector<std::int64_t>&, const double*,
                                                        std::int64_t, int);
template std::vector<std::int64_t> build_medoids<double>(DistanceRows<double>&, const std::vector<std::int64_t>&, const double*,
                                                         std::int64_t, int);

}  // namespace coterie
