// What the medoid kernels of one instruction set offer: one candidate's row of distances against what the points have now.
#pragma once

#include <cstdint>

namespace coterie {

// The points and their nearest medoids, nearest first. What is not needed is null.
template <class T>
struct MedoidPoints {
  std::int64_t n;
  const double* weights;  // null: all one
  const T* distance[3];   // to the nearest, the second and the third medoid; +inf where there are fewer
  const std::int32_t* slot[3];
};

// A distance as 16 bits, rounded down: the exponent and eight digits of a float, moved so that signed numbers compare as distances do.
using DistanceCode = std::int16_t;

// What a bound of a swap needs of a point.
struct CodedPoint {
  float nearest, second;
  std::int32_t slot;  // of the nearest
  float weight;
};

struct CodedPoints {
  std::int64_t n, n_slots;
  const CodedPoint* point;
  const DistanceCode* limit;  // the least code that no distance below that of the second medoid has
};

template <class T>
struct MedoidKernels {
  // Sum of weighted distances.
  double (*total)(const T* row, const double* weights, std::int64_t n);
  // By how much the sum of distances falls when the candidate joins the medoids; needs the nearest ones.
  double (*gain)(const T* row, const MedoidPoints<T>& points);
  // `change` holds what the loss of each medoid costs, and gets what replacing it costs, apart from what is returned:
  // the change for all medoids alike. Needs the two nearest.
  double (*distance_change)(const T* row, const MedoidPoints<T>& points, double* change);
  // The same for the sum of nearest / second nearest. Needs the three nearest.
  double (*ratio_change)(const T* row, const MedoidPoints<T>& points, double* change);
};

struct DistanceCodeKernels {
  // The codes of a row.
  void (*encode_float32)(const float* row, std::int64_t n, DistanceCode* codes);
  void (*encode_float64)(const double* row, std::int64_t n, DistanceCode* codes);
  // As distance_change, from distances rounded down: at most that, but for the rounding of sums and of CodedPoint. Behind `change`
  // there are as many zeros to work with.
  double (*change_bound)(const DistanceCode* codes, const CodedPoints& points, double* change);

  void encode(const float* row, std::int64_t n, DistanceCode* codes) const { encode_float32(row, n, codes); }
  void encode(const double* row, std::int64_t n, DistanceCode* codes) const { encode_float64(row, n, codes); }
};

// What a point adds to the medoid silhouette's loss: one for two medoids in the same place.
template <class T>
inline __attribute__((always_inline)) double medoid_ratio(T nearest, T second) {
  return second > 0 ? static_cast<double>(nearest) / static_cast<double>(second) : 1.0;
}

// Of a distance that is not negative; beyond the largest float it is that one's.
inline __attribute__((always_inline)) DistanceCode code_of(double distance) {
  constexpr double below = 1 - 0x1.0p-22;  // the conversion to float may round up by less
  constexpr std::uint32_t largest = 0x7f7fffff;  // bits of the largest float
  const float rounded = static_cast<float>(distance * below) + 0.0f;  // not -0
  const auto bits = __builtin_bit_cast(std::uint32_t, rounded);
  return static_cast<DistanceCode>(static_cast<std::int32_t>((bits < largest ? bits : largest) >> 15) - 32768);
}

// The least distance that has the code.
inline __attribute__((always_inline)) float distance_of(DistanceCode code) {
  return __builtin_bit_cast(float, (static_cast<std::uint32_t>(code) + 32768u) << 15);
}

}  // namespace coterie
