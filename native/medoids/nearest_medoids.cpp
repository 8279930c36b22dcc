#include "medoids/nearest_medoids.h"

#include <algorithm>
#include <limits>

#include "support/not_finite.h"
#include "support/parallel.h"

namespace coterie {
template <class T>
NearestMedoids<T>::NearestMedoids(DistanceRows<T>& rows, const std::vector<std::int64_t>& medoids, int depth, const double* weights,
                                  bool is_coded, int threads)
    : depth_(depth), threads_(threads), is_lasting_(rows.is_lasting()), rows_(medoids.size()) {
  const std::int64_t n = rows.n_points(), k = n_medoids();
  if (!is_lasting_) copies_.resize(static_cast<std::size_t>(n * k));
  for (std::int64_t first = 0; first < k; first += DistanceRows<T>::most_rows) {
    const std::int64_t count = std::min(DistanceRows<T>::most_rows, k - first);
    const T* const* fetched = rows.fetch(medoids.data() + first, count);
    for (std::int64_t i = 0; i < count; ++i) keep_row(first + i, fetched[i]);
  }
  points_.n = n;
  points_.weights = weights;
  distances_.resize(static_cast<std::size_t>(depth));
  slots_.resize(static_cast<std::size_t>(depth));
  for (int rank = 0; rank < depth; ++rank) {
    distances_[static_cast<std::size_t>(rank)].resize(static_cast<std::size_t>(n));
    slots_[static_cast<std::size_t>(rank)].resize(static_cast<std::size_t>(n));
    points_.distance[rank] = &distance(rank, 0);
    points_.slot[rank] = &slot(rank, 0);
  }
  if (is_coded) {
    coded_.resize(static_cast<std::size_t>(n));
    limits_.resize(static_cast<std::size_t>(n));
  }
  parallel_for(block_count(n, points_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n, points_per_task, task);
    for (std::int64_t o = range.begin; o < range.end; ++o) {
      look_again(o);
      if (is_coded) code(o);
    }
  });
}

template <class T>
void NearestMedoids<T>::code(std::int64_t point) {
  const auto o = static_cast<std::size_t>(point);
  const float weight = points_.weights == nullptr ? 1.0f : static_cast<float>(points_.weights[point]);
  coded_[o] = {static_cast<float>(distance(0, point)), static_cast<float>(distance(1, point)), slot(0, point), weight};
  limits_[o] = static_cast<DistanceCode>(code_of(static_cast<double>(distance(1, point))) + 1);
}

template <class T>
void NearestMedoids<T>::keep_row(std::int64_t slot, const T* row) {
  const auto at = static_cast<std::size_t>(slot);
  if (is_lasting_) {
    rows_[at] = row;
    return;
  }
  const std::int64_t n = static_cast<std::int64_t>(copies_.size()) / n_medoids();
  std::copy_n(row, n, copies_.data() + slot * n);
  rows_[at] = copies_.data() + slot * n;
}

// From all medoids; of equals the lowest slot comes first.
template <class T>
void NearestMedoids<T>::look_again(std::int64_t point) {
  for (int rank = 0; rank < depth_; ++rank) {
    distance(rank, point) = std::numeric_limits<T>::infinity();
    slot(rank, point) = -1;
  }
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(n_medoids()); ++s) {
    const T d = rows_[static_cast<std::size_t>(s)][point];
    if (d < distance(depth_ - 1, point)) insert(point, depth_ - 1, s, d);
  }
  if (slot(static_cast<int>(std::min<std::int64_t>(depth_, n_medoids())) - 1, point) < 0) throw NotFinite();
}

// Puts a medoid among the first `kept` ranks, which are sorted.
template <class T>
void NearestMedoids<T>::insert(std::int64_t point, int kept, std::int32_t new_slot, T d) {
  int rank = kept;
  for (; rank > 0 && d < distance(rank - 1, point); --rank) {
    distance(rank, point) = distance(rank - 1, point);
    slot(rank, point) = slot(rank - 1, point);
  }
  distance(rank, point) = d;
  slot(rank, point) = new_slot;
}

template <class T>
void NearestMedoids<T>::replace(std::int64_t slot, const T* row) {
  keep_row(slot, row);
  const auto replaced = static_cast<std::int32_t>(slot);
  parallel_for(block_count(points_.n, points_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(points_.n, points_per_task, task);
    const T* farthest = points_.distance[depth_ - 1];
    const std::int32_t *first = points_.slot[0], *second = points_.slot[1], *last = points_.slot[depth_ - 1];
    for (std::int64_t o = range.begin; o < range.end; ++o) {
      const bool is_near = row[o] < farthest[o];
      const bool is_lost = (first[o] == replaced) | (second[o] == replaced) | (last[o] == replaced);
      if (!(is_near | is_lost)) continue;
      update(o, replaced, row[o]);
      if (!coded_.empty()) code(o);
    }
  });
}

// A point that has lost one of its medoids, or gets a nearer one.
template <class T>
void NearestMedoids<T>::update(std::int64_t point, std::int32_t replaced, T d) {
  if (!(d < distance(depth_ - 1, point))) {
    look_again(point);  // some medoid that was too far to be kept comes in
    return;
  }
  int lost = 0;
  while (lost < depth_ && slot(lost, point) != replaced) ++lost;
  for (int rank = lost; rank + 1 < depth_; ++rank) {
    distance(rank, point) = distance(rank + 1, point);
    slot(rank, point) = slot(rank + 1, point);
  }
  insert(point, depth_ - 1, replaced, d);
}

template class NearestMedoids<float>;
template class NearestMedoids<double>;

}  // namespace coterie
