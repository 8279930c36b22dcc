// A candidate's row against the points: vector comparisons find the few points that it would serve.
#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t sums = 8;  // side by side, so that they become vectors; added up in a fixed order

COTERIE_INLINE double added(const double* parts) {
  double all = 0;
  for (std::int64_t s = 0; s < sums; ++s) all += parts[s];
  return all;
}

template <class Term>
COTERIE_INLINE double sum_of(std::int64_t n, const Term& term) {
  double parts[sums] = {};
  std::int64_t o = 0;
  for (; o + sums <= n; o += sums)
    for (std::int64_t s = 0; s < sums; ++s) parts[s] += term(o + s);
  for (std::int64_t s = 0; o < n; ++o, ++s) parts[s] += term(o);
  return added(parts);
}

template <class T>
double total(const T* row, const double* weights, std::int64_t n) {
  if (weights == nullptr) return sum_of(n, [&](std::int64_t o) __attribute__((always_inline)) { return static_cast<double>(row[o]); });
  return sum_of(n, [&](std::int64_t o) __attribute__((always_inline)) { return weights[o] * static_cast<double>(row[o]); });
}

template <class T>
double gain(const T* row, const MedoidPoints<T>& points) {
  const T* near = points.distance[0];
  const double* weights = points.weights;
  const auto term = [&](std::int64_t o) __attribute__((always_inline)) {
    const T fall = near[o] - row[o];
    return static_cast<double>(fall > 0 ? fall : T(0));
  };
  if (weights == nullptr) return sum_of(points.n, term);
  return sum_of(points.n, [&](std::int64_t o) __attribute__((always_inline)) { return weights[o] * term(o); });
}

// Calls serve(o) for every point with row[o] < limit[o], in their order.
template <class T, class Serve>
COTERIE_INLINE void for_served(const T* row, const T* limit, std::int64_t n, const Serve& serve) {
  constexpr std::int64_t step = 2 * lanes<T>;
  std::int64_t o = 0;
  for (; o + step <= n; o += step) {
    const std::uint32_t low = lane_bits<T>(load(row + o) < load(limit + o));
    const std::uint32_t high = lane_bits<T>(load(row + o + lanes<T>) < load(limit + o + lanes<T>));
    for (std::uint32_t bits = low | high << lanes<T>; bits != 0; bits &= bits - 1) serve(o + __builtin_ctz(bits));
  }
  for (; o < n; ++o)
    if (row[o] < limit[o]) serve(o);
}

template <class T, bool is_weighted>
COTERIE_INLINE double distance_change_of(const T* row, const MedoidPoints<T>& points, double* change) {
  const T *near = points.distance[0], *second = points.distance[1];
  double for_all = 0;
  for_served(
      row, second, points.n, [&](std::int64_t o) __attribute__((always_inline)) {
        const double weight = is_weighted ? points.weights[o] : 1.0;
        const double d = static_cast<double>(row[o]), first = static_cast<double>(near[o]);
        const double larger = d < first ? first : d;
        for_all += weight * (d - larger);
        change[points.slot[0][o]] += weight * (larger - static_cast<double>(second[o]));
      });
  return for_all;
}

template <class T>
double distance_change(const T* row, const MedoidPoints<T>& points, double* change) {
  return points.weights == nullptr ? distance_change_of<T, false>(row, points, change)
                                   : distance_change_of<T, true>(row, points, change);
}

template <class T>
double ratio_change(const T* row, const MedoidPoints<T>& points, double* change) {
  const T *d1 = points.distance[0], *d2 = points.distance[1], *d3 = points.distance[2];
  double for_all = 0;
  for_served(
      row, d3, points.n, [&](std::int64_t o) __attribute__((always_inline)) {
        const double weight = points.weights == nullptr ? 1.0 : points.weights[o];
        const T d = row[o];
        const double now = medoid_ratio(d1[o], d2[o]);
        const double joined = d < d1[o] ? medoid_ratio(d, d1[o]) : (d < d2[o] ? medoid_ratio(d1[o], d) : now);
        const double without_first = d < d2[o] ? medoid_ratio(d, d2[o]) : medoid_ratio(d2[o], d);
        const double without_second = d < d1[o] ? medoid_ratio(d, d1[o]) : medoid_ratio(d1[o], d);
        for_all += weight * (joined - now);
        change[points.slot[0][o]] += weight * (without_first - joined - medoid_ratio(d2[o], d3[o]) + now);
        change[points.slot[1][o]] += weight * (without_second - joined - medoid_ratio(d1[o], d3[o]) + now);
      });
  return for_all;
}

template <class T>
constexpr MedoidKernels<T> kernels = {total<T>, gain<T>, distance_change<T>, ratio_change<T>};

}  // namespace

void install_medoids(Engine& engine);

void install_medoids(Engine& engine) {
  engine.float32.medoids = kernels<float>;
  engine.float64.medoids = kernels<double>;
}

}  // namespace coterie::COTERIE_ISA
