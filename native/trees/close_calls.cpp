#include "trees/close_calls.h"

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

}  // namespace coterie
