#include "evaluate/silhouette.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

template <class T>
auto bind_silhouette(const Matrix<T>& X, const Vector<std::int32_t>& groups, std::int64_t n_groups, const Metric& metric, bool between,
                     const std::optional<Vector<T>>& weights, int threads) {
  check_labels("groups", groups, view(X).rows, n_groups);
  check_optional_size("weights", weights, view(X).rows);
  auto own = new_vector<double>(view(X).rows);
  auto nearest = new_vector<double>(view(X).rows);
  auto neighbour = new_vector<std::int32_t>(view(X).rows);
  const std::int64_t pairs = between ? n_groups : 0;
  auto sums = new_matrix<double>(pairs, pairs);
  const SilhouetteOutput out{own.data(), nearest.data(), neighbour.data(), between ? sums.data() : nullptr};
  const SilhouetteInput<T> input{view(X), groups.data(), n_groups, weights ? weights->data() : nullptr};
  without_gil([&] { silhouette<T>(input, metric, threads, out); });
  return std::make_tuple(own, nearest, neighbour, sums);
}

template <class T>
void bind_silhouette_for(nb::module_& module) {
  module.def("silhouette", &bind_silhouette<T>, "X"_a.noconvert(), "groups"_a, "n_groups"_a, "metric"_a, "between"_a = false,
             "weights"_a.none() = nb::none(), "n_threads"_a = 0,
             "Sum of distances to the own group, least mean distance to another group, that group, sums between groups.");
}

}  // namespace

void bind_silhouette(nb::module_& module) {
  bind_silhouette_for<float>(module);
  bind_silhouette_for<double>(module);
}

}  // namespace coterie
