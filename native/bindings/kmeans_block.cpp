#include "kmeans/kmeans_block.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/kmeans_fit.h"
#include "support/parallel.h"

namespace coterie {
namespace {

template <class T>
NewVector<T> copied_values(const T* values, std::int64_t count) {
  auto result = new_vector<T>(count);
  std::copy(values, values + count, result.data());
  return result;
}

// Sums, squares, least, greatest of every column, then the weight.
template <class T>
auto bind_block_sums(const Matrix<T>& X, const Vector<T>& origin, const std::optional<Vector<double>>& weights, int threads) {
  const std::int64_t cols = view(X).cols;
  check_size("origin", origin.shape(0), cols);
  check_optional_size("weights", weights, view(X).rows);
  auto table = new_matrix<double>(block_count(view(X).rows, moment_rows), 4 * cols + 1);
  without_gil([&] {
    double* to = table.data();
    for (const ColumnSums& block : column_sums<T>(view(X), data_or_null(weights), origin.data(), threads)) {
      for (const std::vector<double>* part : {&block.sum, &block.square, &block.low, &block.high})
        to = std::copy(part->begin(), part->end(), to);
      *to++ = block.weight;
    }
  });
  return table;
}

template <class T>
ColumnMoments bind_total(const Vector<double>& total, const Vector<T>& origin) {
  const std::size_t cols = origin.shape(0);
  check_size("total", total.shape(0), static_cast<std::int64_t>(4 * cols + 1));
  ColumnSums sums(cols);
  const double* from = total.data();
  for (std::vector<double>* part : {&sums.sum, &sums.square, &sums.low, &sums.high}) {
    std::copy(from, from + cols, part->begin());
    from += cols;
  }
  sums.weight = *from;
  return moments_of<T>(sums, origin.data());
}

// The block and what it looks at.
template <class T>
struct BoundBlock {
  Matrix<T> X;
  std::optional<Vector<double>> weights;
  KMeansBlock<T> block;
  std::int64_t n_clusters;
  bool is_assigned = false;
};

template <class T>
void make_block(BoundBlock<T>* self, const Matrix<T>& X, const std::optional<Vector<double>>& weights, const KMeansWhole& whole,
                std::int64_t n_clusters, KMeansAlgorithm algorithm) {
  check_that(n_clusters > 0, "n_clusters must be at least 1.");
  check_optional_size("weights", weights, view(X).rows);
  check_moments(whole.columns, view(X).cols);
  new (self) BoundBlock<T>{X, weights, {view(X), data_or_null(weights), whole, n_clusters, algorithm}, n_clusters};
}

template <class T>
auto bind_assign(BoundBlock<T>& self, const Matrix<T>& centres) {
  check_columns("centres", centres, view(self.X).cols);
  check_that(view(centres).rows == self.n_clusters, "centres must have n_clusters rows.");
  self.is_assigned = true;
  without_gil([&] { self.block.assign(view(centres)); });
  const ClusterSums sums = self.block.sums();
  const std::int64_t cells = sums.n_clusters * (sums.cols + 1);
  auto table = new_vector<std::int64_t>(cells * (sums.fine == nullptr ? 1 : 2) + sums.n_clusters);
  std::int64_t* to = std::copy(sums.coarse, sums.coarse + cells, table.data());
  if (sums.fine != nullptr) to = std::copy(sums.fine, sums.fine + cells, to);
  std::copy(sums.count, sums.count + sums.n_clusters, to);
  return table;
}

template <class T>
auto bind_block_labels(BoundBlock<T>& self) {
  check_that(self.is_assigned, "labels are there after assign.");
  return copied_values(self.block.labels().data(), view(self.X).rows);
}

template <class T>
auto bind_block_distances(BoundBlock<T>& self) {
  check_that(self.is_assigned, "distances are there after assign.");
  auto squared = new_vector<T>(view(self.X).rows);
  std::vector<double> sums;
  without_gil([&] { sums = self.block.own_distances(squared.data()); });
  return std::make_pair(squared, copied_values(sums.data(), static_cast<std::int64_t>(sums.size())));
}

template <class T>
auto bind_units(const KMeansWhole& whole, const Vector<T>& origin) {
  check_moments(whole.columns, static_cast<std::int64_t>(origin.shape(0)));
  const ExactSums<T> sums(whole.rows, 1, whole.columns, {origin.data(), origin.data() + origin.shape(0)}, whole.largest_weight, 1);
  return std::make_pair(copied_values(sums.units().scale, static_cast<std::int64_t>(origin.shape(0)) + 1), sums.units().fine_scale);
}

template <class T>
void bind_kmeans_block_for(nb::module_& module, const char* name) {
  nb::class_<BoundBlock<T>>(module, name, "One block of the rows of a k-means run whose other blocks are elsewhere.")
      .def("__init__", &make_block<T>, "X"_a, "weights"_a.none(), "whole"_a, "n_clusters"_a, "algorithm"_a)
      .def("assign", &bind_assign<T>, "centres"_a,
           "The sums of the nearest centres: coarse, fine (float64 only), then counts of rows.")
      .def("labels", &bind_block_labels<T>, "Of the last assign.")
      .def("own_distances", &bind_block_distances<T>, "Squared, to the own centre; and the weighted sum of every 1024 of them.")
      .def_prop_ro("algorithm", [](const BoundBlock<T>& self) { return self.block.algorithm(); });
  module.def("column_sums", &bind_block_sums<T>, "X"_a.noconvert(), "origin"_a, "weights"_a.none() = nb::none(), "n_threads"_a = 0,
             "Sums, squares, least, greatest and weight of every 8192 rows, about the origin.");
  module.def("moments_of_sums", &bind_total<T>, "total"_a, "origin"_a, "The moments of columns from the total of their sums.");
  module.def("kmeans_units", &bind_units<T>, "whole"_a, "origin"_a, "How the sums of blocks count: per column and weight, and finer.");
}

}  // namespace

void bind_kmeans_block(nb::module_& module) {
  nb::class_<KMeansWhole>(module, "KMeansWhole", "What all blocks of a k-means run agree on.")
      .def(
          "__init__",
          [](KMeansWhole* self, std::int64_t rows, const ColumnMoments& columns, double largest_weight) {
            new (self) KMeansWhole{rows, columns, largest_weight};
          },
          "rows"_a, "columns"_a, "largest_weight"_a = 1.0);
  bind_kmeans_block_for<float>(module, "KMeansBlock32");
  bind_kmeans_block_for<double>(module, "KMeansBlock64");
}

}  // namespace coterie
