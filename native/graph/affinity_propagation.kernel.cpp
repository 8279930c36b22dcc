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
    for (int lane = 0; lane < width; ++lane)
      for (const double number : {first[lane], second[lane]}) {
        next = next > (largest < number ? largest : number) ? next : (largest < number ? largest : number);
        largest = largest > number ? largest : number;
      }
  }
};

template <class T>
void respond(const MessageRow<T>& row, double alpha, double level) {
  std::int64_t k = 0;
  for (; k + width <= row.n; k += width) store<double>(row.responsibilities + k, load_numbers(row.similarities + k) * alpha - level);
  for (; k < row.n; ++k) row.responsibilities[k] = static_cast<double>(row.similarities[k]) * alpha - level;
}

// Columns [begin, end), none of them the row's own.
template <class T>
COTERIE_INLINE void offer_to(const MessageRow<T>& row, std::int64_t begin, std::int64_t end, TwoLargest& largest) {
  const double kept = row.damping, fresh = 1 - row.damping;
  const Lanes zero{};
  std::int64_t k = begin;
  for (; k + width <= end; k += width) {
    const Lanes sums = load<double>(row.column_sums + k);
    const Lanes positive = maximum<double>(load<double>(row.responsibilities + k), zero);
    const Lanes less = maximum<double>(positive - sums, zero) - maximum<double>(-sums, zero);
    const Lanes deviation = load<double>(row.deviations + k) * kept - less * fresh;
    const Lanes offer = load<double>(row.availability + k) + deviation + load_numbers(row.similarities + k);
    store<double>(row.deviations + k, deviation);
    store<double>(row.offers + k, offer);
    largest.meet(offer);
  }
  for (; k < end; ++k) {
    const double sum = row.column_sums[k], positive = row.responsibilities[k] > 0 ? row.responsibilities[k] : 0.0;
    const double less = (positive - sum > 0 ? positive - sum : 0.0) - (-sum > 0 ? -sum : 0.0);
    row.deviations[k] = row.deviations[k] * kept - less * fresh;
    row.offers[k] = row.availability[k] + row.deviations[k] + static_cast<double>(row.similarities[k]);
    largest.meet(row.offers[k]);
  }
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
BestOffers offer(const MessageRow<T>& row, double own_offer) {
  TwoLargest largest;
  offer_to(row, 0, row.row, largest);
  offer_to(row, row.row + 1, row.n, largest);
  row.deviations[row.row] = 0;
  row.offers[row.row] = own_offer;
  largest.meet(own_offer);
  BestOffers found;
  largest.finish(found.best, found.next);
  found.at = first_of(row.offers, row.n, found.best);
  return found;
}

template <class T>
void add_positive(const MessageRow<T>& row, double alpha, double level, double* sums) {
  const Lanes zero{};
  std::int64_t k = 0;
  for (; k + width <= row.n; k += width)
    store<double>(sums + k, load<double>(sums + k) + maximum<double>(load_numbers(row.similarities + k) * alpha - level, zero));
  for (; k < row.n; ++k) {
    const double responsibility = static_cast<double>(row.similarities[k]) * alpha - level;
    sums[k] += responsibility > 0 ? responsibility : 0.0;
  }
}

}  // namespace

void install_affinity_propagation(Engine& engine) {
  engine.float32.messages = {respond<float>, offer<float>, add_positive<float>};
  engine.float64.messages = {respond<double>, offer<double>, add_positive<double>};
}

}  // namespace coterie::COTERIE_ISA
