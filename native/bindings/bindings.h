// What every binding file shares: array types, and the translation of native to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/matrix_view.h"
#include "support/scratch.h"

namespace coterie {

namespace nb = nanobind;
using namespace nanobind::literals;

// Inputs: read-only C-ordered arrays on the CPU; the Python layer guarantees order and type.
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Outputs: fresh NumPy arrays.
template <class T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
MatrixView<T> view(const Matrix<T>& array) {
  const auto cols = static_cast<std::int64_t>(array.shape(1));
  return {array.data(), static_cast<std::int64_t>(array.shape(0)), cols, cols};
}

template <class T>
const T* data_or_null(const std::optional<Vector<T>>& array) {
  return array ? array->data() : nullptr;
}

// Large arrays come in large pages, see allocate_aligned.
template <class T>
T* new_memory(std::int64_t count) {
  return static_cast<T*>(allocate_aligned(static_cast<std::size_t>(count) * sizeof(T)));
}

template <class T>
NewVector<T> new_vector(std::int64_t size) {
  T* data = new_memory<T>(size);
  const nb::capsule owner(data, free_aligned);
  return NewVector<T>(data, {static_cast<std::size_t>(size)}, owner);
}

template <class T>
NewVector<T> copied(const std::vector<T>& values) {
  NewVector<T> result = new_vector<T>(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

template <class T>
NewMatrix<T> new_matrix(std::int64_t rows, std::int64_t cols) {
  T* data = new_memory<T>(rows * cols);
  const nb::capsule owner(data, free_aligned);
  return NewMatrix<T>(data, {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)}, owner);
}

// Runs native work while other Python threads go on.
template <class Work>
void without_gil(Work&& work) {
  const nb::gil_scoped_release release;
  work();
}

void bind_contingency(nb::module_& module);
void bind_silhouette(nb::module_& module);
void bind_mixture(nb::module_& module);
void bind_latent_classes(nb::module_& module);
void bind_spectral(nb::module_& module);
void bind_support(nb::module_& module);
void bind_tiles(nb::module_& module);
void bind_kmeans(nb::module_& module);
void bind_kmeans_block(nb::module_& module);
void bind_fuzzy(nb::module_& module);
void bind_seeding(nb::module_& module);
void bind_sparse(nb::module_& module);
void bind_distances(nb::module_& module);
void bind_medoids(nb::module_& module);
void bind_kernel_kmeans(nb::module_& module);
void bind_trees(nb::module_& module);
void bind_dendrogram(nb::module_& module);
void bind_layout(nb::module_& module);
void bind_linkage(nb::module_& module);
void bind_spanning(nb::module_& module);
void bind_density(nb::module_& module);
void bind_birch(nb::module_& module);
void bind_categorical(nb::module_& module);
void bind_size_limits(nb::module_& module);
void bind_valleys(nb::module_& module);
void bind_communities(nb::module_& module);
void bind_neighbours(nb::module_& module);
void bind_series(nb::module_& module);
void bind_exemplars(nb::module_& module);
void bind_image(nb::module_& module);
void bind_phylogeny(nb::module_& module);

}  // namespace coterie
