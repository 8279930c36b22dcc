#include "bindings/bindings.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "trees/kdtree.h"

namespace coterie {
namespace {

TreeMetric metric_named(const std::string& name) {
  if (name == "euclidean") return TreeMetric::euclidean;
  if (name == "sqeuclidean") return TreeMetric::sqeuclidean;
  if (name == "manhattan") return TreeMetric::manhattan;
  if (name == "chebyshev") return TreeMetric::chebyshev;
  if (name == "minkowski") return TreeMetric::minkowski;
  if (name == "great_circle") return TreeMetric::great_circle;
  throw std::invalid_argument(
      "metric of KDTree must be euclidean, sqeuclidean, manhattan, chebyshev, minkowski or great_circle, got " + name + ".");
}

HitOrder order_named(const std::string& name) {
  if (name == "none") return HitOrder::none;
  if (name == "index") return HitOrder::index;
  if (name == "distance") return HitOrder::distance;
  throw std::invalid_argument("sort of KDTree.radius must be index, distance or none, got " + name + ".");
}

template <class T>
TreeQueries<T> make_queries(const KDTree<T>& tree, const Matrix<T>& rows, int threads) {
  if (static_cast<std::int64_t>(rows.shape(1)) != tree.view().dims)
    throw std::invalid_argument("Q of KDTree must have as many columns as X, " + std::to_string(tree.view().dims) + ", got " +
                                std::to_string(rows.shape(1)) + ".");
  const nb::gil_scoped_release no_gil;
  return TreeQueries<T>(tree, view(rows), threads);
}

template <class T>
void check_k(const KDTree<T>& tree, std::int64_t k, bool exclude_self) {
  const std::int64_t most = tree.view().n_points - (exclude_self ? 1 : 0);
  if (k < 1 || k > most)
    throw std::invalid_argument("k of KDTree must be at least 1 and at most " + std::to_string(most) +
                                (exclude_self ? " (the points without the query itself)" : " (the points)") + ", got " +
                                std::to_string(k) + ".");
}

void check_radius(double radius) {
  if (!(radius >= 0)) throw std::invalid_argument("r of KDTree must be at least 0, got " + std::to_string(radius) + ".");
}

template <class T>
nb::tuple nearest(const KDTree<T>& tree, const TreeQueries<T>& queries, std::int64_t k, bool exclude_self, const T* upper_bounds,
                  int threads) {
  check_k(tree, k, exclude_self);
  NewMatrix<std::int64_t> indices = new_matrix<std::int64_t>(queries.n_rows(), k);
  NewMatrix<T> distances = new_matrix<T>(queries.n_rows(), k);
  {
    const nb::gil_scoped_release no_gil;
    find_nearest(tree, queries, k, exclude_self, upper_bounds, indices.data(), distances.data(), threads);
  }
  return nb::make_tuple(indices, distances);
}

template <class T>
const T* checked_bounds(const std::optional<Vector<T>>& bounds, std::int64_t n_rows) {
  if (bounds && static_cast<std::int64_t>(bounds->shape(0)) != n_rows)
    throw std::invalid_argument("upper_bound of KDTree.query must have one entry per row of Q, " + std::to_string(n_rows) + ", got " +
                                std::to_string(bounds->shape(0)) + ".");
  return data_or_null(bounds);
}

template <class T>
NewVector<std::int64_t> radius_count(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, int threads) {
  check_radius(radius);
  NewVector<std::int64_t> counts = new_vector<std::int64_t>(queries.n_rows());
  const nb::gil_scoped_release no_gil;
  count_within(tree, queries, radius, counts.data(), threads);
  return counts;
}

template <class T>
nb::tuple radius_lists(const KDTree<T>& tree, const TreeQueries<T>& queries, double radius, const std::string& sort, int threads) {
  check_radius(radius);
  const HitOrder order = order_named(sort);
  NewVector<std::int64_t> starts = new_vector<std::int64_t>(queries.n_rows() + 1);
  std::int64_t* start = starts.data();
  start[0] = 0;
  {
    const nb::gil_scoped_release no_gil;
    count_within(tree, queries, radius, start + 1, threads);
  }
  for (std::int64_t i = 0; i < queries.n_rows(); ++i) start[i + 1] += start[i];
  NewVector<std::int64_t> indices = new_vector<std::int64_t>(start[queries.n_rows()]);
  NewVector<T> distances = new_vector<T>(start[queries.n_rows()]);
  {
    const nb::gil_scoped_release no_gil;
    list_within(tree, queries, radius, order, start, indices.data(), distances.data(), threads);
  }
  return nb::make_tuple(starts, indices, distances);
}

// Q from outside.
template <class T>
nb::tuple query(const KDTree<T>& tree, const Matrix<T>& Q, std::int64_t k, bool exclude_self,
                const std::optional<Vector<T>>& upper_bound, int n_threads) {
  const TreeQueries<T> queries = make_queries(tree, Q, n_threads);
  return nearest(tree, queries, k, exclude_self, checked_bounds(upper_bound, queries.n_rows()), n_threads);
}

template <class T>
NewVector<std::int64_t> count(const KDTree<T>& tree, const Matrix<T>& Q, double r, int n_threads) {
  return radius_count(tree, make_queries(tree, Q, n_threads), r, n_threads);
}

template <class T>
nb::tuple lists(const KDTree<T>& tree, const Matrix<T>& Q, double r, const std::string& sort, int n_threads) {
  return radius_lists(tree, make_queries(tree, Q, n_threads), r, sort, n_threads);
}

// The points of the tree as queries.
template <class T>
nb::tuple query_self(const KDTree<T>& tree, std::int64_t k, bool include_self, int n_threads) {
  return nearest<T>(tree, TreeQueries<T>(tree), k, !include_self, nullptr, n_threads);
}

template <class T>
NewVector<std::int64_t> count_self(const KDTree<T>& tree, double r, int n_threads) {
  return radius_count(tree, TreeQueries<T>(tree), r, n_threads);
}

template <class T>
nb::tuple lists_self(const KDTree<T>& tree, double r, const std::string& sort, int n_threads) {
  return radius_lists(tree, TreeQueries<T>(tree), r, sort, n_threads);
}

template <class T>
KDTree<T>* make_tree(const Matrix<T>& X, const std::string& metric, double p, std::int64_t leaf_size, int n_threads) {
  const TreeMetric tree_metric = metric_named(metric);
  const nb::gil_scoped_release no_gil;
  return new KDTree<T>(view(X), tree_metric, p, leaf_size, n_threads);
}

template <class T>
void bind_tree(nb::module_& module, const char* name) {
  nb::class_<KDTree<T>>(module, name, "A kd-tree over the rows of X; see KDTree.")
      .def_prop_ro("n_points", [](const KDTree<T>& tree) { return tree.view().n_points; })
      .def_prop_ro("n_features", [](const KDTree<T>& tree) { return tree.view().dims; })
      .def("query", &query<T>, "Q"_a.noconvert(), "k"_a, "exclude_self"_a = false, "upper_bound"_a = nb::none(), "n_threads"_a = 0,
           "Indices and distances of the k nearest points per row of Q, by (distance, index). exclude_self leaves point i "
           "out of row i. Beyond upper_bound (one per row, inclusive): index -1, distance infinity.")
      .def("query_self", &query_self<T>, "k"_a, "include_self"_a = true, "n_threads"_a = 0,
           "As query, for the points of the tree themselves.")
      .def("radius_count", &count<T>, "Q"_a.noconvert(), "r"_a, "n_threads"_a = 0,
           "How many points lie within r of each row of Q, inclusive.")
      .def("radius_count_self", &count_self<T>, "r"_a, "n_threads"_a = 0,
           "As radius_count, for the points of the tree; each counts itself.")
      .def("radius", &lists<T>, "Q"_a.noconvert(), "r"_a, "sort"_a = "index", "n_threads"_a = 0,
           "CSR lists (indptr, indices, distances) of the points within r of each row of Q, inclusive; sorted by index, "
           "by distance (ties by index), or none: in a fixed order of the tree.")
      .def("radius_self", &lists_self<T>, "r"_a, "sort"_a = "index", "n_threads"_a = 0,
           "As radius, for the points of the tree; each finds itself.");
  module.def("KDTree", &make_tree<T>, "X"_a.noconvert(), "metric"_a = "euclidean", "p"_a = 2.0, "leaf_size"_a = default_leaf_size,
             "n_threads"_a = 0,
             "Build a kd-tree that copies the rows of X (float32 or float64, C order, finite). Metrics: euclidean, "
             "sqeuclidean, manhattan, chebyshev, minkowski with p >= 1, great_circle: unit vectors on a sphere of radius p.");
}

}  // namespace

void bind_trees(nb::module_& module) {
  bind_tree<float>(module, "KDTreeFloat32");
  bind_tree<double>(module, "KDTreeFloat64");
}

}  // namespace coterie
