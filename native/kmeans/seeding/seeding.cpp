// Greedy k-means++ on dense rows: what the steps of seeder.h ask of them.
#include "kmeans/seeding/seeding.h"

#include <algorithm>
#include <limits>

#include "kmeans/seeding/seeder.h"
#include "support/cpu_dispatch.h"
#include "tiles/tiles.h"

namespace coterie {
namespace {

constexpr Metric by_product = {Kernel::dot, Finish::squared_norm, 2},
                 by_difference = {Kernel::squared_difference, Finish::identity, 2};
constexpr std::int64_t most_columns_for_differences = 8;  // beyond, products are faster in spite of what they need around them

double largest_of(const double* weights, std::int64_t n) { return weights == nullptr ? 1.0 : *std::max_element(weights, weights + n); }

template <class T>
class DenseSource {
 public:
  static constexpr bool lists_pairs = true;

  DenseSource(const MatrixView<T>& X, const double* weights, int threads) : data_{X, weights, largest_of(weights, X.rows), threads} {}

  std::int64_t rows() const { return data_.X.rows; }

  void gains(const T* nearest, const std::int64_t* candidates, std::int64_t count, std::uint16_t* closer, double* out) const {
    engine().of<T>().seeding.gains(data_, nearest, candidates, count, closer, out);
  }

  void take(std::int64_t pick, const std::uint16_t* closer, int bit, T* nearest) const {
    engine().of<T>().seeding.take(data_, pick, closer, bit, nearest);
  }

  void list_closer(const T* nearest, const std::vector<std::int64_t>& candidates, const CloserPairs<T>& out) const {
    const std::int64_t cols = data_.X.cols;
    std::vector<T> copies;
    for (const std::int64_t row : candidates) copies.insert(copies.end(), data_.X.row(row), data_.X.row(row) + cols);
    const MatrixView<T> view{copies.data(), static_cast<std::int64_t>(candidates.size()), cols, cols};
    const bool is_product = cols > most_columns_for_differences;
    const std::vector<T> shift = is_product ? shift_for(view, nearest, candidates) : std::vector<T>{};
    const T* origin = shift.empty() ? nullptr : shift.data();
    const ColumnPack<T> pack(view, origin, is_product ? by_product : by_difference, data_.threads);
    engine().of<T>().seeding.list_closer(data_, origin, pack.columns(), is_product, candidates.data(), nearest, out);
  }

  // Pairs per row that there is memory for, 8 bytes each in float32: an eighth of the data, within limits.
  double room_for_pairs() const { return std::clamp(static_cast<double>(data_.X.cols) / 16, 0.5, 4.0); }

 private:
  // The mean of the candidates where rounding would otherwise blur the tiles; none where it does not matter, which saves a copy.
  std::vector<T> shift_for(const MatrixView<T>& view, const T* nearest, const std::vector<std::int64_t>& candidates) const {
    double lengths = 0, distances = 0;
    for (std::int64_t i = 0; i < view.rows * view.cols; ++i)
      lengths += static_cast<double>(view.data[i]) * static_cast<double>(view.data[i]);
    for (const std::int64_t row : candidates) distances += static_cast<double>(nearest[row]);
    const double blur = static_cast<double>(view.cols + 8) * std::numeric_limits<T>::epsilon() * lengths;
    return blur > 1e-2 * distances ? centring_shift(view, by_product, 1) : std::vector<T>{};
  }

  const SeedingData<MatrixView<T>> data_;
};

}  // namespace

template <class T>
Seeds seed_kmeans(const MatrixView<T>& X, const double* weights, const SeedingOptions& options, double* probabilities) {
  const DenseSource<T> source(X, weights, options.threads);
  return Seeder<T, DenseSource<T>>(source, weights, options, probabilities).run();
}

template Seeds seed_kmeans<float>(const MatrixView<float>&, const double*, const SeedingOptions&, double*);
template Seeds seed_kmeans<double>(const MatrixView<double>&, const double*, const SeedingOptions&, double*);

}  // namespace coterie
