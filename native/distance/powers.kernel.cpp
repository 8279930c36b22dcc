#include "engine.h"
#include "support/vector_math.h"

namespace coterie::COTERIE_ISA {
namespace {

// The last, partly filled vector goes through here too, so that each number meets the same operations.
struct LastLanes {
  double number[lanes<double>] = {};
  LastLanes(const double* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) number[i] = from[i];
  }
};

void raise(double* values, std::int64_t count, double p) {
  std::int64_t i = 0;
  for (; i + lanes<double> <= count; i += lanes<double>) store(values + i, power_of(load(values + i), p));
  LastLanes last(values + i, count - i);
  store(last.number, power_of(load(last.number), p));
  for (std::int64_t lane = 0; i + lane < count; ++lane) values[i + lane] = last.number[lane];
}

COTERIE_INLINE Doubles signed_power(Doubles difference, double p) {
  const Doubles power = power_of(absolute<double>(difference), p);
  return difference < Doubles{} ? -power : power;
}

double pull(const WeightedValues& points, double centre, double p) {
  WideSum<double> sum{};
  const std::int64_t n_whole = points.count / sum.width * sum.width;
  std::int64_t i = 0;
  for (; i < n_whole; i += lanes<double>) {
    const Doubles power = signed_power(centre - load(points.values + i), p);
    sum.vector(i / lanes<double>) += points.weights == nullptr ? power : power * load(points.weights + i);
  }
  double total = sum.total();
  for (; i < points.count; i += lanes<double>) {
    const std::int64_t left = points.count - i < lanes<double> ? points.count - i : lanes<double>;
    const LastLanes last(points.values + i, left);
    const Doubles power = signed_power(centre - load(last.number), p);
    for (std::int64_t lane = 0; lane < left; ++lane) total += power[lane] * (points.weights == nullptr ? 1 : points.weights[i + lane]);
  }
  return total;
}

}  // namespace

void install_powers(Engine& engine) { engine.powers = {raise, pull}; }

}  // namespace coterie::COTERIE_ISA
