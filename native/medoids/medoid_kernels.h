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

// What a point adds to the medoid silhouette's loss: one for two medoids in the same place.
template <class T>
inline __attribute__((always_inline)) double medoid_ratio(T nearest, T second) {
  return second > 0 ? static_cast<double>(nearest) / static_cast<double>(second) : 1.0;
}

}  // namespace coterie
