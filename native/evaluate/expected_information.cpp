#include "evaluate/expected_information.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr double negligible = 1e-22;  // of the weight of the mode; what lies beyond it cannot reach the last bit

constexpr double terms_worth_threads = 1 << 16;  // below, about a millisecond, waking threads costs more than it saves

// The cell of clusters of sizes a and b holds a hypergeometric number of samples. Its mean of x log(n x / (a b)) is taken
// with weights relative to the mode, by the ratio of neighbouring probabilities: no factorial, so none of their rounding,
// and only the few standard deviations around the mode that matter.
struct Cell {
  double a, b, n;
  double weight_sum = 0, value_sum = 0;

  double rest(double x) const { return n - a - b + x; }
  void add(double x, double weight) {
    weight_sum += weight;
    if (x > 0) value_sum += weight * x * std::log(n * x / (a * b));
  }
  double mean() {
    const double lowest = std::max(0.0, a + b - n), highest = std::min(a, b);
    const double mode = std::clamp(std::floor((a + 1) * (b + 1) / (n + 2)), lowest, highest);
    add(mode, 1);
    double weight = 1;
    for (double x = mode; x < highest && weight > negligible; ++x) {
      weight *= (a - x) * (b - x) / ((x + 1) * rest(x + 1));
      add(x + 1, weight);
    }
    weight = 1;
    for (double x = mode; x > lowest && weight > negligible; --x) {
      weight *= x * rest(x) / ((a - x + 1) * (b - x + 1));
      add(x - 1, weight);
    }
    return value_sum / weight_sum;
  }
};

// About twelve standard deviations to either side of the mode.
double expected_terms(const SizeCounts& first, const SizeCounts& second, double n) {
  double terms = 0;
  for (std::int64_t i = 0; i < first.count; ++i) {
    for (std::int64_t j = 0; j < second.count; ++j) {
      const auto a = static_cast<double>(first.sizes[i]), b = static_cast<double>(second.sizes[j]);
      terms += std::min({a, b, 24 * std::sqrt(a * b / n) + 24});
    }
  }
  return terms;
}

}  // namespace

double expected_mutual_information(const SizeCounts& first, const SizeCounts& second, std::int64_t n, int threads) {
  const auto total = static_cast<double>(n);
  if (expected_terms(first, second, total) < terms_worth_threads) threads = 1;
  std::vector<double> parts(static_cast<std::size_t>(first.count));
  parallel_for(first.count, threads, [&](std::int64_t i, int) {
    double sum = 0;
    for (std::int64_t j = 0; j < second.count; ++j) {
      Cell cell{static_cast<double>(first.sizes[i]), static_cast<double>(second.sizes[j]), total};
      sum += static_cast<double>(second.multiplicities[j]) * cell.mean();
    }
    parts[i] = static_cast<double>(first.multiplicities[i]) * sum;
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum / total;
}

}  // namespace coterie
