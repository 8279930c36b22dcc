#include "kmeans/seeding/seeding.h"

#include <algorithm>

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

struct KMeansSeeds {
  nb::object indices, probabilities;
  double potential;
};

// Runs seed(probabilities or null) and hands its picks to Python.
template <class Seed>
KMeansSeeds seeds_for_python(std::int64_t n, std::int64_t n_clusters, bool record, const Seed& seed) {
  KMeansSeeds result{nb::none(), nb::none(), 0};
  double* probabilities = nullptr;
  if (record) {
    auto table = new_matrix<double>(n, n_clusters);
    probabilities = std::fill_n(table.data(), n * n_clusters, 0.0) - n * n_clusters;
    result.probabilities = nb::cast(table);
  }
  Seeds seeds;
  without_gil([&] { seeds = seed(probabilities); });
  auto indices = new_vector<std::int64_t>(static_cast<std::int64_t>(seeds.rows.size()));
  std::copy(seeds.rows.begin(), seeds.rows.end(), indices.data());
  result.indices = nb::cast(indices);
  result.potential = seeds.potential;
  return result;
}

template <class T>
KMeansSeeds bind_seed(const Matrix<T>& X, std::int64_t n_clusters, const std::optional<Vector<double>>& weights,
                      std::int64_t n_candidates, std::uint64_t seed, bool record, int threads) {
  const SeedingOptions options{n_clusters, n_candidates, seed, threads};
  check_optional_size("weights", weights, view(X).rows);
  return seeds_for_python(view(X).rows, n_clusters, record,
                          [&](double* chances) { return seed_kmeans<T>(view(X), data_or_null(weights), options, chances); });
}

template <class T>
KMeansSeeds bind_seed_sparse(const Vector<T>& values, const Vector<std::int32_t>& columns, const Vector<std::int64_t>& row_starts,
                             std::int64_t n_cols, std::int64_t n_clusters, const std::optional<Vector<double>>& weights,
                             std::int64_t n_candidates, std::uint64_t seed, bool record, int threads) {
  const SeedingOptions options{n_clusters, n_candidates, seed, threads};
  const SparseView<T> X = checked_sparse_view(values, columns, row_starts, n_cols);
  check_optional_size("weights", weights, X.rows);
  return seeds_for_python(X.rows, n_clusters, record,
                          [&](double* chances) { return seed_kmeans<T>(X, data_or_null(weights), options, chances); });
}

template <class T>
void bind_seeding_for(nb::module_& module) {
  module.def("kmeans_seed", &bind_seed<T>, "X"_a.noconvert(), "n_clusters"_a, "weights"_a.none(), "n_candidates"_a, "seed"_a,
             "record"_a = false, "n_threads"_a = 0, "Greedy k-means++: rows of X as first centres.");
  module.def("kmeans_seed_sparse", &bind_seed_sparse<T>, "values"_a.noconvert(), "columns"_a, "row_starts"_a, "n_cols"_a,
             "n_clusters"_a, "weights"_a.none(), "n_candidates"_a, "seed"_a, "record"_a = false, "n_threads"_a = 0,
             "Greedy k-means++: CSR rows as first centres.");
}

}  // namespace

void bind_seeding(nb::module_& module) {
  nb::class_<KMeansSeeds>(module, "KMeansSeeds", "The rows that greedy k-means++ picked.")
      .def_ro("indices", &KMeansSeeds::indices)
      .def_ro("potential", &KMeansSeeds::potential)
      .def_ro("probabilities", &KMeansSeeds::probabilities);
  bind_seeding_for<float>(module);
  bind_seeding_for<double>(module);
}

}  // namespace coterie
