// Squared distances of one row to gathered ones, by differences. Products are rounded before they are added (see native.cmake), in as many
// lanes on every width: the same bits everywhere.
#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
COTERIE_INLINE T squared_distance(const T* a, const T* b, std::int64_t cols) {
  WideSum<T> sum{};
  std::int64_t t = 0;
  for (; t + WideSum<T>::width <= cols; t += WideSum<T>::width)
    for (int i = 0; i < WideSum<T>::vectors; ++i) {
      const Vec<T> difference = load(a + t + i * lanes<T>) - load(b + t + i * lanes<T>);
      sum.part[i] += difference * difference;
    }
  double total = sum.total();
  for (; t < cols; ++t) {
    const double difference = static_cast<double>(a[t]) - static_cast<double>(b[t]);
    total += difference * difference;
  }
  return static_cast<T>(total);
}

template <class T>
void squares_to(const T* row, const T* X, std::int64_t stride, std::int64_t cols, const std::int32_t* ids, std::int64_t count,
                T* out) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t ahead = 2;  // rows that are fetched before their turn
  const auto fetch = [&](std::int64_t e) __attribute__((always_inline)) {
    for (std::int64_t t = 0; t < cols; t += line) __builtin_prefetch(X + ids[e] * stride + t);
  };
  for (std::int64_t e = 0; e < (count < ahead ? count : ahead); ++e) fetch(e);
  for (std::int64_t e = 0; e < count; ++e) {
    if (e + ahead < count) fetch(e + ahead);
    out[e] = squared_distance(row, X + ids[e] * stride, cols);
  }
}

}  // namespace

void install_rerank(Engine& engine) {
  engine.neighbours.squares_of_floats = squares_to<float>;
  engine.neighbours.squares_of_doubles = squares_to<double>;
}

}  // namespace coterie::COTERIE_ISA
