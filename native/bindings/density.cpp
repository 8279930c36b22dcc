#include "bindings/bindings.h"

#include <nanobind/stl/pair.h>

#include "density/dbscan.h"

namespace coterie {
namespace {

template <class T>
auto bind_dbscan(const KDTree<T>& tree, double radius, double least_weight, const std::optional<Vector<double>>& weight,
                 int threads) {
  const std::int64_t n = tree.view().n_points;
  if (weight && static_cast<std::int64_t>(weight->shape(0)) != n)
    throw nb::value_error("weight of dbscan must have one entry per row.");
  auto is_core = new_vector<std::uint8_t>(n);
  auto labels = new_vector<std::int64_t>(n);
  const DbscanQuestion question{radius, least_weight, data_or_null(weight)};
  without_gil([&] { dbscan<T>(tree, question, is_core.data(), labels.data(), threads); });
  return std::make_pair(is_core, labels);
}

template <class T>
void bind_for(nb::module_& module) {
  module.def("dbscan", &bind_dbscan<T>, "tree"_a, "radius"_a, "least_weight"_a, "weight"_a.none() = nb::none(), "n_threads"_a = 0,
             "Whether each row is a core point (0 or 1), and the labels of DBSCAN, noise -1.");
  module.def("share_within", &share_within<T>, "tree"_a, "radius"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Share of the leaves of a tree that lie within the radius of a leaf, from a sample.");
}

}  // namespace

void bind_density(nb::module_& module) {
  bind_for<float>(module);
  bind_for<double>(module);
}

}  // namespace coterie
