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
void encode(const T* row, std::int64_t n, DistanceCode* codes) {
  for (std::int64_t o = 0; o < n; ++o) codes[o] = code_of(static_cast<double>(row[o]));
}

typedef DistanceCode Codes __attribute__((vector_size(vector_bytes)));
typedef DistanceCode UnalignedCodes __attribute__((vector_size(vector_bytes), aligned(2), may_alias));
constexpr int code_lanes = vector_bytes / 2;

COTERIE_INLINE Codes load_codes(const DistanceCode* from) { return *reinterpret_cast<const UnalignedCodes*>(from); }

#if defined(__AVX512BW__) || !defined(__SSE2__)
constexpr int bits_per_code = 1;
#else
constexpr int bits_per_code = 2;  // the mask has one per byte
#endif

// The lowest of each lane's bits is set where the lane of the mask is.
COTERIE_INLINE std::uint64_t code_bits(Codes mask) {
#if defined(__AVX512BW__)
  return static_cast<std::uint32_t>(__builtin_ia32_cvtw2mask512(reinterpret_cast<__attribute__((vector_size(64))) short>(mask)));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb256(reinterpret_cast<__attribute__((vector_size(32))) char>(mask))) &
         0x55555555u;
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128(reinterpret_cast<__attribute__((vector_size(16))) char>(mask))) &
         0x5555u;
#else
  std::uint64_t bits = 0;
  for (int lane = 0; lane < code_lanes; ++lane) bits |= static_cast<std::uint64_t>(mask[lane] & 1) << lane;
  return bits;
#endif
}

constexpr std::int64_t chunk = 4096;  // points whose list is made at once: it stays in the first-level cache
constexpr int usual_served = 4;       // of a vector; that many are written without a branch, which would often go the wrong way

// Writes the points with codes[o] < limit[o] in their order, and returns how many; `list` has room for some more.
COTERIE_INLINE std::int64_t list_served(const DistanceCode* codes, const DistanceCode* limit, std::int64_t begin, std::int64_t end,
                                        std::int32_t* list) {
  std::int64_t count = 0, o = begin;
  for (; o + code_lanes <= end; o += code_lanes) {
    std::uint64_t bits = code_bits(load_codes(codes + o) < load_codes(limit + o));
    const int found = __builtin_popcountll(bits);
    const auto next = [&](int i) __attribute__((always_inline)) {
      list[count + i] = static_cast<std::int32_t>(o) + __builtin_ctzll(bits | 1ull << 63) / bits_per_code;
      bits &= bits - 1;
    };
    for (int i = 0; i < usual_served; ++i) next(i);
    for (int i = usual_served; i < found; ++i) next(i);
    count += found;
  }
  for (; o < end; ++o) {
    list[count] = static_cast<std::int32_t>(o);
    count += codes[o] < limit[o];
  }
  return count;
}

// Points take turns with two sets of sums: those of a group follow each other, and would wait for each other's.
double change_bound(const DistanceCode* codes, const CodedPoints& points, double* change) {
  std::int32_t list[chunk + code_lanes];
  double for_all[2] = {};
  const auto serve = [&](std::int64_t o, int set) __attribute__((always_inline)) {
    const CodedPoint point = points.point[o];
    const float d = distance_of(codes[o]), larger = d < point.nearest ? point.nearest : d;
    for_all[set] += static_cast<double>(point.weight * (d - larger));
    change[set * points.n_slots + point.slot] += static_cast<double>(point.weight * (larger - point.second));
  };
  for (std::int64_t begin = 0; begin < points.n; begin += chunk) {
    const std::int64_t end = begin + chunk < points.n ? begin + chunk : points.n;
    const std::int64_t count = list_served(codes, points.limit, begin, end, list);
    std::int64_t i = 0;
    for (; i + 2 <= count; i += 2)
      for (int set = 0; set < 2; ++set) serve(list[i + set], set);
    if (i < count) serve(list[i], 0);
  }
  for (std::int64_t slot = 0; slot < points.n_slots; ++slot) change[slot] += change[points.n_slots + slot];
  return for_all[0] + for_all[1];
}

template <class T>
constexpr MedoidKernels<T> kernels = {total<T>, gain<T>, distance_change<T>, ratio_change<T>};

}  // namespace

void install_medoids(Engine& engine) {
  engine.float32.medoids = kernels<float>;
  engine.float64.medoids = kernels<double>;
  engine.distance_codes = {encode<float>, encode<double>, change_bound};
}

}  // namespace coterie::COTERIE_ISA
