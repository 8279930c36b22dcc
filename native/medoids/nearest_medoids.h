// The nearest two or three medoids of every point, kept up to date while medoids are replaced.
#pragma once

#include <cstdint>
#include <vector>

#include "medoids/distance_rows.h"
#include "medoids/medoid_kernels.h"

namespace coterie {

inline constexpr std::int64_t points_per_task = 16384;

template <class T>
class NearestMedoids {
 public:
  // `depth` of them; `rows` may move its rows, which are then copied. `is_coded`: the points are kept as codes too.
  NearestMedoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& medoids, int depth, const double* weights, bool is_coded,
                 int threads);

  // Puts the candidate of this row in the place of a medoid.
  void replace(std::int64_t slot, const T* row);

  const MedoidPoints<T>& points() const { return points_; }
  CodedPoints coded_points() const { return {points_.n, n_medoids(), coded_.data(), limits_.data()}; }
  std::int64_t n_medoids() const { return static_cast<std::int64_t>(rows_.size()); }

 private:
  void keep_row(std::int64_t slot, const T* row);
  void look_again(std::int64_t point);
  void code(std::int64_t point);
  void update(std::int64_t point, std::int32_t slot, T distance);
  void insert(std::int64_t point, int kept, std::int32_t slot, T distance);
  T& distance(int rank, std::int64_t point) { return distances_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(point)]; }
  std::int32_t& slot(int rank, std::int64_t point) { return slots_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(point)]; }

  int depth_, threads_;
  bool is_lasting_;
  std::vector<std::vector<T>> distances_;
  std::vector<std::vector<std::int32_t>> slots_;
  std::vector<const T*> rows_;  // of the medoids
  std::vector<T> copies_;
  std::vector<CodedPoint> coded_;  // empty: not wanted
  std::vector<DistanceCode> limits_;
  MedoidPoints<T> points_{};
};

}  // namespace coterie
