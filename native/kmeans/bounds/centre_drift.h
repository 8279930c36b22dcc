// How far the centres went since the last pass, and how far apart they are: what the bounds of their rows suffer from it.
#pragma once

#include <cstdint>
#include <vector>

#include "kmeans/kmeans_kernels.h"

namespace coterie {

class CentreDrift {
 public:
  CentreDrift() = default;
  // `keeps_distances`: those between all pairs of centres, for neighbourhoods.
  CentreDrift(std::int64_t n_clusters, bool keeps_distances, int threads);

  // Compares the centres with those of the last pass; all count as slow again.
  template <class T>
  void measure(const MatrixView<T>& centres, const std::vector<T>& previous);
  // The bounds no longer suffer from the drift of these centres: rows meet them one by one.
  void leave_out(const std::vector<std::int32_t>& fast);
  // Share of the centres that the ball about a centre holds, with the radius that its farthest row needs.
  double crowding() const;
  // The centres that may take a failing row, given how far those of each cluster are at most from theirs.
  Neighbourhoods neighbourhoods(const float* failing_upper);

  void note_largest_upper(const std::vector<float>& upper, const std::int32_t* labels);
  // After a pass that did not keep the largest bounds.
  void follow_largest_upper(const std::vector<float>& upper, const std::int32_t* labels);

  bool keeps_distances() const { return !between_.empty(); }
  const float* moved() const { return moved_.data(); }
  const float* between() const { return between_.data(); }
  const ClusterDrift* per_cluster() const { return drift_.data(); }
  const std::int32_t* fast_column() const { return fast_column_.data(); }
  float* largest_upper() { return largest_upper_.data(); }

 private:
  void measure_cluster(std::int64_t cluster, const float* distances);

  std::int64_t n_clusters_ = 0;
  int threads_ = 1;
  int passes_in_order_ = 0;
  std::vector<float> moved_;          // per centre, rounded up
  std::vector<float> largest_upper_;  // per cluster: over all of its rows
  std::vector<float> between_;        // clusters x clusters: lower bounds of the distances of centres, if they are kept
  std::vector<std::int32_t> fast_column_;  // per centre, -1 if it is slow
  std::vector<ClusterDrift> drift_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::int64_t> neighbour_starts_;
  std::vector<float> beyond_;
};

}  // namespace coterie
