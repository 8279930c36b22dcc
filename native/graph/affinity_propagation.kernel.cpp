// The messages of affinity propagation, a row at a time.
#include <limits>

#include "engine.h"
#include "graph/message_kernels.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

using Lanes = Vec<double>;
constexpr int width = lanes<double>;

COTERIE_INLINE Lanes load_numbers(const double* from) { return load<double>(from); }

COTERIE_INLINE Lanes load_numbers(const float* from) {
  Lanes numbers;
  for (int lane = 0; lane < width; ++lane) numbers[lane] = from[lane];
  return numbers;
}

// The two largest numbers met so far, lane by lane; equal ones count as two.
struct TwoLargest {
  Lanes first, second;

  TwoLargest() : first(broadcast<double>(-std::numeric_limits<double>::infinity())), second(first) {}
  COTERIE_INLINE void meet(Lanes numbers) {
    second = maximum<double>(second, minimum<double>(first, numbers));
    first = maximum<double>(first, numbers);
  }
  COTERIE_INLINE void meet(double number) {
    Lanes numbers = broadcast<double>(-std::numeric_limits<double>::infinity());
    numbers[0] = number;
    meet(numbers);
  }
  COTERIE_INLINE void finish(double& largest, double& next) const {
    largest = next = -std::numeric_limits<double>::infinity();
    for (int lane = 0; lane < 2 * width; ++lane) {
      const double number = lane < width ? first[lane] : second[lane - width];
      const double smaller = largest < number ? largest : number;
      next = next > smaller ? next : smaller;
      largest = largest > number ? largest : number;
    }
  }
};

// What a column does: its deviation and its offer. Value is a number or a vector of them.
template <class Value, class Larger>
COTERIE_INLINE void deviate(Value responsibility, Value sum, double damping, const Larger& larger, Value& deviation) {
  const Value zero{};
  const Value less = larger(larger(responsibility, zero) - sum, zero) - larger(-sum, zero);
  deviation = deviation * damping - less * (1 - damping);
}

COTERIE_INLINE double larger_number(double a, double b) { return a > b ? a : b; }

template <class T>
COTERIE_INLINE void offer_one(const MessageRow<T>& row, std::int64_t k, double favour) {
  const auto s = static_cast<double>(row.similarities[k]);
  deviate(s * row.alpha - row.level + favour, row.column_sums[k], row.damping, larger_number, row.deviations[k]);
  row.offers[k] = row.availability[k] + row.deviations[k] + s;
}

// All columns as if none were favoured; returns how many deviate.
template <class T>
COTERIE_INLINE std::int64_t offer_all(const MessageRow<T>& row) {
  const auto larger = [](Lanes a, Lanes b) __attribute__((always_inline)) { return maximum<double>(a, b); };
  const MessageRow<T> my = row;  // so that no store can change it
  std::int64_t k = 0, n_different = 0;
  for (; k + width <= my.n; k += width) {
    const Lanes s = load_numbers(my.similarities + k);
    Lanes deviation = load<double>(my.deviations + k);
    deviate(s * my.alpha - my.level, load<double>(my.column_sums + k), my.damping, larger, deviation);
    store<double>(my.deviations + k, deviation);
    store<double>(my.offers + k, load<double>(my.availability + k) + deviation + s);
    for (std::uint32_t bits = lane_bits<double>(deviation != Lanes{}); bits != 0; bits &= bits - 1)
      my.different[n_different++] = static_cast<std::int32_t>(k + __builtin_ctz(bits));
  }
  for (; k < my.n; ++k) {
    offer_one(my, k, 0.0);
    if (my.deviations[k] != 0) my.different[n_different++] = static_cast<std::int32_t>(k);
  }
  return n_different;
}

COTERIE_INLINE std::int64_t first_of(const double* numbers, std::int64_t n, double wanted) {
  std::int64_t k = 0;
  for (; k + width <= n; k += width) {
    const std::uint32_t is_wanted = lane_bits<double>(load<double>(numbers + k) == broadcast<double>(wanted));
    if (is_wanted != 0) return k + __builtin_ctz(is_wanted);
  }
  while (k < n - 1 && numbers[k] != wanted) ++k;
  return k;
}

template <class T>
BestOffers offer(const MessageRow<T>& row) {
  for (std::int64_t c = 0; c < row.n_favoured; ++c) row.before[c] = row.deviations[row.favoured[c]];
  BestOffers found;
  found.n_different = offer_all(row);
  for (std::int64_t c = 0; c < row.n_favoured; ++c) {
    const std::int64_t k = row.favoured[c];
    const bool is_listed = row.deviations[k] != 0;
    row.deviations[k] = row.before[c];
    offer_one(row, k, row.favours[c]);
    if (!is_listed && row.deviations[k] != 0) row.different[found.n_different++] = row.favoured[c];
  }
  row.deviations[row.row] = 0;  // its own availability is kept elsewhere
  row.offers[row.row] = row.own_offer;
  TwoLargest largest;
  std::int64_t k = 0;
  for (; k + width <= row.n; k += width) largest.meet(load<double>(row.offers + k));
  for (; k < row.n; ++k) largest.meet(row.offers[k]);
  largest.finish(found.best, found.next);
  found.at = first_of(row.offers, row.n, found.best);
  return found;
}

template <class T>
void add_positive(const T* similarities, std::int64_t n, double alpha, double level, double* sums) {
  const Lanes zero{};
  std::int64_t k = 0;
  for (; k + width <= n; k += width)
    store<double>(sums + k, load<double>(sums + k) + maximum<double>(load_numbers(similarities + k) * alpha - level, zero));
  for (; k < n; ++k) sums[k] += larger_number(static_cast<double>(similarities[k]) * alpha - level, 0.0);
}

}  // namespace

void install_affinity_propagation(Engine& engine) {
  engine.float32.messages = {offer<float>, add_positive<float>};
  engine.float64.messages = {offer<double>, add_positive<double>};
}

}  // namespace coterie::COTERIE_ISA
