#include "trees/radius_band.h"

#include <algorithm>
#include <vector>

#include "trees/metric_terms.h"

namespace coterie {

bool is_within(const KDTreeView<float>& tree, const float* query, std::int64_t query_stride, const float* point,
               std::int64_t point_stride, double reduced_radius) {
  double total = 0;
  COTERIE_ISA::with_term<double>(tree.metric, tree.p, [&](auto term) {
    for (std::int64_t j = 0; j < tree.dims; ++j)
      total = term.add(total, static_cast<double>(point[j * point_stride]) - static_cast<double>(query[j * query_stride]));
  });
  return total <= reduced_radius;
}

namespace {

template <class T>
struct Hit {
  T distance;
  std::int64_t index;
};

// Hits come leaf by leaf, and a leaf's points are in order of their indices: short rows are nearly sorted.
template <class T, class IsBefore>
void insertion_sort(std::int64_t count, std::int64_t* indices, T* distances, IsBefore is_before) {
  for (std::int64_t i = 1; i < count; ++i) {
    const Hit<T> hit{distances[i], indices[i]};
    std::int64_t place = i;
    for (; place > 0 && is_before(hit, Hit<T>{distances[place - 1], indices[place - 1]}); --place) {
      distances[place] = distances[place - 1];
      indices[place] = indices[place - 1];
    }
    distances[place] = hit.distance;
    indices[place] = hit.index;
  }
}

template <class T, class IsBefore>
void sort_by(std::int64_t count, std::int64_t* indices, T* distances, IsBefore is_before) {
  constexpr std::int64_t few = 32;
  if (count <= few) return insertion_sort(count, indices, distances, is_before);
  std::vector<Hit<T>> hits(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) hits[i] = {distances[i], indices[i]};
  std::sort(hits.begin(), hits.end(), is_before);
  for (std::int64_t i = 0; i < count; ++i) {
    distances[i] = hits[i].distance;
    indices[i] = hits[i].index;
  }
}

}  // namespace

template <class T>
void sort_hits(HitOrder order, std::int64_t count, std::int64_t* indices, T* distances) {
  if (order == HitOrder::index)
    sort_by(count, indices, distances, [](const Hit<T>& a, const Hit<T>& b) { return a.index < b.index; });
  if (order == HitOrder::distance)
    sort_by(count, indices, distances,
            [](const Hit<T>& a, const Hit<T>& b) { return a.distance < b.distance || (a.distance == b.distance && a.index < b.index); });
}

template void sort_hits(HitOrder, std::int64_t, std::int64_t*, float*);
template void sort_hits(HitOrder, std::int64_t, std::int64_t*, double*);

}  // namespace coterie
