// Greedy k-means++ on CSR rows: what the steps of seeder.h ask of them.
#include <algorithm>

#include "kmeans/seeding/seeder.h"
#include "kmeans/sparse/sparse_kernels.h"
#include "support/cpu_dispatch.h"

namespace coterie {
namespace {

template <class T>
class SparseSource {
 public:
  static constexpr bool lists_pairs = false;

  SparseSource(const SparseView<T>& X, const double* weights, int threads)
      : data_{X, weights, weights == nullptr ? 1.0 : *std::max_element(weights, weights + X.rows), threads},
        length_(static_cast<std::size_t>(X.rows), 0.0),
        room_(static_cast<std::size_t>(X.cols * most_direct_candidates), T(0)) {
    for (std::int64_t i = 0; i < X.rows; ++i)
      for (std::int64_t p = X.row_starts[i]; p < X.row_starts[i + 1]; ++p)
        length_[static_cast<std::size_t>(i)] += static_cast<double>(X.values[p]) * static_cast<double>(X.values[p]);
  }

  std::int64_t rows() const { return data_.X.rows; }

  void gains(const T* nearest, const std::int64_t* candidates, std::int64_t count, std::uint16_t* closer, double* out) const {
    engine().of<T>().sparse.gains(data_, length_.data(), nearest, candidates, count, closer, out, room_.data());
  }

  void take(std::int64_t pick, const std::uint16_t* closer, int bit, T* nearest) const {
    engine().of<T>().sparse.take(data_, length_.data(), pick, closer, bit, nearest, room_.data());
  }

 private:
  const SeedingData<SparseView<T>> data_;
  std::vector<double> length_;
  mutable std::vector<T> room_;
};

}  // namespace

template <class T>
Seeds seed_kmeans(const SparseView<T>& X, const double* weights, const SeedingOptions& options, double* probabilities) {
  const SparseSource<T> source(X, weights, options.threads);
  return Seeder<T, SparseSource<T>>(source, weights, options, probabilities).run();
}

template Seeds seed_kmeans<float>(const SparseView<float>&, const double*, const SeedingOptions&, double*);
template Seeds seed_kmeans<double>(const SparseView<double>&, const double*, const SeedingOptions&, double*);

}  // namespace coterie
