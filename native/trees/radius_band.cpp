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

template <class T>
void sort_hits(HitOrder order, std::int64_t count, std::int64_t* indices, T* distances) {
  struct Hit {
    T distance;
    std::int64_t index;
  };
  if (order == HitOrder::none || count < 2) return;
  std::vector<Hit> hits(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) hits[i] = {distances[i], indices[i]};
  if (order == HitOrder::index)
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.index < b.index; });
  else
    std::sort(hits.begin(), hits.end(),
              [](const Hit& a, const Hit& b) { return a.distance < b.distance || (a.distance == b.distance && a.index < b.index); });
  for (std::int64_t i = 0; i < count; ++i) {
    distances[i] = hits[i].distance;
    indices[i] = hits[i].index;
  }
}

template void sort_hits(HitOrder, std::int64_t, std::int64_t*, float*);
template void sort_hits(HitOrder, std::int64_t, std::int64_t*, double*);

}  // namespace coterie
