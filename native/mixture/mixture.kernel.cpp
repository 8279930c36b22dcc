// The passes over a range of rows: sums for the next parameters, or what is asked of each row.
#include "engine.h"
#include "mixture/densities.h"
#include "mixture/scatter.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr double negligible = 1e-20;  // a million smaller shares weigh less than the rounding error of one row

// Calls take(first row of the tile, rows, densities, TileTotals) for every tile.
struct TileTotals {
  const double* greatest;  // log density of the likeliest component
  double* sums;            // of the densities
  const double* moments;   // sum of density * log(density)
};

template <class T, class Take>
COTERIE_INLINE void for_each_tile(const MixtureTask<T>& task, Take&& take) {
  const Densities<T> densities(*task.model);
  const Scratch<double> logs(task.model->n_components * tile_rows), greatest(tile_rows), sums(tile_rows), moments(tile_rows);
  for (std::int64_t first = 0; first < task.rows.rows; first += tile_rows) {
    const std::int64_t count = first + tile_rows < task.rows.rows ? tile_rows : task.rows.rows - first;
    const MatrixView<T> rows = {task.rows.row(first), count, task.rows.cols, task.rows.stride};
    densities.fill(rows, logs.data());
    relative_densities(logs.data(), task.model->n_components, greatest.data(), sums.data(), moments.data());
    take(first, rows, logs.data(), TileTotals{greatest.data(), sums.data(), moments.data()});
  }
}

// Adds rows to the sums of components. Rows and sums are padded to whole vectors, so that no loop has an end to mind.
template <class T>
class Accumulator {
 public:
  Accumulator(const MixtureTask<T>& task, const MixtureSums& sums)
      : model_(*task.model),
        sums_(sums),
        is_diagonal_(model_.shape == CovarianceShape::diagonal),
        stride_((model_.cols + lanes<double> - 1) / lanes<double> * lanes<double>),
        queues_(is_diagonal_ ? 0 : model_.n_components, model_.cols),
        rows_(tile_rows * stride_),
        means_(model_.n_components * stride_),
        deviations_(model_.n_components * stride_),
        squares_(is_diagonal_ ? model_.n_components * stride_ : 1) {
    for (std::int64_t i = 0; i < tile_rows * stride_; ++i) rows_[i] = 0;
    for (std::int64_t i = 0; i < model_.n_components * stride_; ++i) {
      means_[i] = i % stride_ < model_.cols ? model_.means[i / stride_ * model_.cols + i % stride_] : 0.0;
      deviations_[i] = 0;
      if (is_diagonal_) squares_[i] = 0;
    }
  }

  COTERIE_INLINE void add_tile(const MatrixView<T>& rows, const double* densities, const double* row_factor) {
    for (std::int64_t i = 0; i < rows.rows; ++i)
      for (std::int64_t j = 0; j < model_.cols; ++j) rows_[i * stride_ + j] = static_cast<double>(rows.row(i)[j]) - model_.shift[j];
    for (std::int64_t k = 0; k < model_.n_components; ++k)
      for (std::int64_t i = 0; i < rows.rows; ++i) {
        const double density = densities[k * tile_rows + i];
        if (density > negligible) add_row(k, rows_.data() + i * stride_, density * row_factor[i]);
      }
  }

  void finish() {
    for (std::int64_t k = 0; k < model_.n_components; ++k) {
      for (std::int64_t j = 0; j < model_.cols; ++j) {
        sums_.deviation[k * model_.cols + j] += deviations_[k * stride_ + j];
        if (is_diagonal_) sums_.scatter[k * model_.cols + j] += squares_[k * stride_ + j];
      }
      if (!is_diagonal_) queues_.finish(k, sums_.scatter + k * model_.cols * model_.cols);
    }
  }

 private:
  COTERIE_INLINE void add_row(std::int64_t k, const double* row, double share) {
    sums_.weight[k] += share;
    const Doubles shares = broadcast(share);
    if (is_diagonal_) {
      for (std::int64_t j = 0; j < stride_; j += lanes<double>) {
        const Doubles deviation = add_deviation(k, row, j, shares);
        double* to = squares_.data() + k * stride_ + j;
        store(to, load(to) + shares * deviation * deviation);
      }
      return;
    }
    const Doubles root = broadcast(std::sqrt(share));
    double* queued = queues_.next(k);
    for (std::int64_t j = 0; j < stride_; j += lanes<double>) store(queued + j, root * add_deviation(k, row, j, shares));
    queues_.advance(k);
  }

  COTERIE_INLINE Doubles add_deviation(std::int64_t k, const double* row, std::int64_t j, Doubles shares) {
    const Doubles deviation = load(row + j) - load(means_.data() + k * stride_ + j);
    double* to = deviations_.data() + k * stride_ + j;
    store(to, load(to) + shares * deviation);
    return deviation;
  }

  const MixtureView& model_;
  const MixtureSums& sums_;
  bool is_diagonal_;
  std::int64_t stride_;
  ScatterQueues queues_;
  Scratch<double> rows_, means_, deviations_, squares_;
};

template <class T>
void add_sums(const MixtureTask<T>& task, const MixtureSums& sums) {
  Accumulator<T> accumulator(task, sums);
  for_each_tile(task, [&](std::int64_t first, const MatrixView<T>& rows, const double* densities, const TileTotals& tile) {
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      const double weight = task.weights == nullptr ? 1.0 : task.weights[first + i], log_sum = std::log(tile.sums[i]);
      if (weight > 0) {
        *sums.log_likelihood += weight * (tile.greatest[i] + log_sum);
        *sums.entropy += weight * (log_sum - tile.moments[i] / tile.sums[i]);
      }
      tile.sums[i] = weight / tile.sums[i];
    }
    accumulator.add_tile(rows, densities, tile.sums);
  });
  accumulator.finish();
}

template <class T>
COTERIE_INLINE std::int32_t likeliest(const double* densities, std::int64_t n_components) {
  std::int32_t best = 0;
  for (std::int64_t k = 1; k < n_components; ++k)
    if (densities[k * tile_rows] > densities[best * tile_rows]) best = static_cast<std::int32_t>(k);
  return best;
}

template <class T>
void place_rows(const MixtureTask<T>& task, const MixtureRows<T>& out) {
  const std::int64_t n_components = task.model->n_components;
  for_each_tile(task, [&](std::int64_t first, const MatrixView<T>& rows, const double* densities, const TileTotals& tile) {
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      if (out.labels != nullptr) out.labels[first + i] = likeliest<T>(densities + i, n_components);
      if (out.log_likelihood != nullptr) out.log_likelihood[first + i] = static_cast<T>(tile.greatest[i] + std::log(tile.sums[i]));
      for (std::int64_t k = 0; out.shares != nullptr && k < n_components; ++k)
        out.shares[(first + i) * n_components + k] = static_cast<T>(densities[k * tile_rows + i] / tile.sums[i]);
    }
  });
}

}  // namespace

void install_mixture(Engine& engine) {
  engine.float32.mixture = {add_sums<float>, place_rows<float>};
  engine.float64.mixture = {add_sums<double>, place_rows<double>};
}

}  // namespace coterie::COTERIE_ISA
