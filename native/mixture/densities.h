// Log densities of a tile of rows under every component; rows stand in the lanes of vectors.
#pragma once

#include <limits>

#include "mixture/mixture.h"
#include "support/exponential.h"
#include "support/scratch.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr std::int64_t tile_rows = 128;
inline constexpr int panel_columns = 4;  // columns of U at a time: 4 x 2 sums fit in sixteen registers

// The upper triangle of U, four columns at a time, each panel only as deep as its last column.
template <class T>
struct Triangle {
  static COTERIE_INLINE std::int64_t depth(std::int64_t panel, std::int64_t cols) {
    const std::int64_t rows = (panel + 1) * panel_columns;
    return rows < cols ? rows : cols;
  }
  static COTERIE_INLINE std::int64_t size(std::int64_t cols) {
    std::int64_t total = 0;
    for (std::int64_t panel = 0; panel * panel_columns < cols; ++panel) total += depth(panel, cols) * panel_columns;
    return total;
  }
  static COTERIE_INLINE void pack(const double* factor, std::int64_t cols, T* to) {
    for (std::int64_t panel = 0; panel * panel_columns < cols; ++panel)
      for (std::int64_t i = 0; i < depth(panel, cols); ++i)
        for (std::int64_t j = panel * panel_columns; j < (panel + 1) * panel_columns; ++j)
          *to++ = j < cols && i <= j ? static_cast<T>(factor[i * cols + j]) : T(0);
  }
};

// Calls take(panel, sums) with sums[j][v] = (row vector v minus the mean) times column j of the panel.
template <class T, class Take>
COTERIE_INLINE void times_triangle(const T* tile, std::int64_t first, const T* mean, const T* triangle, std::int64_t cols,
                                   Take&& take) {
  for (std::int64_t panel = 0; panel * panel_columns < cols; ++panel) {
    Vec<T> sums[panel_columns][2] = {};
    for (std::int64_t i = 0; i < Triangle<T>::depth(panel, cols); ++i, triangle += panel_columns) {
      const Vec<T> middle = broadcast(mean[i]);
      const Vec<T> left = load(tile + i * tile_rows + first) - middle, right = load(tile + i * tile_rows + first + lanes<T>) - middle;
      for (int j = 0; j < panel_columns; ++j) {
        const Vec<T> value = broadcast(triangle[j]);
        sums[j][0] += value * left;
        sums[j][1] += value * right;
      }
    }
    take(panel, sums);
  }
}

// The parameters, in the type and the order that the loops below want.
template <class T>
class Densities {
 public:
  explicit Densities(const MixtureView& model)
      : model_(model),
        triangle_size_(model.shape == CovarianceShape::diagonal ? 0 : Triangle<T>::size(model.cols)),
        triangles_(triangle_size_ * (model.shape == CovarianceShape::full ? model.n_components : 1) + 1),
        means_(model.n_components * model.cols),
        scales_(model.n_components * model.cols),
        tile_(model.cols * tile_rows),
        moved_(model.shape == CovarianceShape::tied ? model.cols * tile_rows : 1),
        zeros_(model.cols) {
    for (std::int64_t j = 0; j < model.cols; ++j) zeros_[j] = 0;
    const std::int64_t n_triangles = model.shape == CovarianceShape::full ? model.n_components : 1, cols = model.cols;
    for (std::int64_t k = 0; triangle_size_ > 0 && k < n_triangles; ++k)
      Triangle<T>::pack(model.factors + k * cols * cols, cols, triangles_.data() + k * triangle_size_);
    for (std::int64_t i = 0; i < model.n_components * cols; ++i) {
      means_[i] = static_cast<T>(model.shape == CovarianceShape::tied ? whitened_mean(i / cols, i % cols) : model.means[i]);
      scales_[i] = model.shape == CovarianceShape::diagonal ? static_cast<T>(model.factors[i]) : T(1);
    }
  }

  // logs[k * tile_rows + row] for at most tile_rows rows; rows beyond the last are those of a zero row.
  void fill(const MatrixView<T>& rows, double* logs) const {
    load_tile(rows);
    if (model_.shape == CovarianceShape::tied) whiten_tile();
    for (std::int64_t k = 0; k < model_.n_components; ++k) {
      if (model_.shape == CovarianceShape::full)
        fill_full(k, logs + k * tile_rows);
      else
        fill_diagonal(k, logs + k * tile_rows);
    }
  }

 private:
  double whitened_mean(std::int64_t k, std::int64_t j) const {
    double total = 0;
    for (std::int64_t i = 0; i <= j; ++i) {
      total += model_.means[k * model_.cols + i] * model_.factors[i * model_.cols + j];
      keep_fused(total);
    }
    return total;
  }

  void load_tile(const MatrixView<T>& rows) const {
    for (std::int64_t j = 0; j < model_.cols; ++j) {
      T* to = tile_.data() + j * tile_rows;
      const double shift = model_.shift[j];
      for (std::int64_t i = 0; i < rows.rows; ++i) to[i] = static_cast<T>(static_cast<double>(rows.row(i)[j]) - shift);
      for (std::int64_t i = rows.rows; i < tile_rows; ++i) to[i] = 0;
    }
  }

  void whiten_tile() const {
    for (std::int64_t j = 0; j < model_.cols * tile_rows; ++j) moved_[j] = tile_[j];
    for (std::int64_t first = 0; first < tile_rows; first += 2 * lanes<T>)
      times_triangle(moved_.data(), first, zeros_.data(), triangles_.data(), model_.cols,
                     [&](std::int64_t panel, const Vec<T>(&sums)[panel_columns][2]) {
                       for (std::int64_t j = 0; j < panel_columns && panel * panel_columns + j < model_.cols; ++j)
                         for (int v = 0; v < 2; ++v)
                           store(tile_.data() + (panel * panel_columns + j) * tile_rows + first + v * lanes<T>, sums[j][v]);
                     });
  }

  void fill_full(std::int64_t k, double* logs) const {
    for (std::int64_t first = 0; first < tile_rows; first += 2 * lanes<T>) {
      Vec<T> squares[2] = {};
      times_triangle(tile_.data(), first, means_.data() + k * model_.cols, triangles_.data() + k * triangle_size_, model_.cols,
                     [&](std::int64_t, const Vec<T>(&sums)[panel_columns][2]) {
                       for (int j = 0; j < panel_columns; ++j)
                         for (int v = 0; v < 2; ++v) squares[v] += sums[j][v] * sums[j][v];
                     });
      put(squares, k, logs + first);
    }
  }

  void fill_diagonal(std::int64_t k, double* logs) const {
    for (std::int64_t first = 0; first < tile_rows; first += 2 * lanes<T>) {
      Vec<T> squares[2] = {};
      for (std::int64_t j = 0; j < model_.cols; ++j) {
        const Vec<T> mean = broadcast(means_[k * model_.cols + j]), scale = broadcast(scales_[k * model_.cols + j]);
        for (int v = 0; v < 2; ++v) {
          const Vec<T> value = (load(tile_.data() + j * tile_rows + first + v * lanes<T>) - mean) * scale;
          squares[v] += value * value;
        }
      }
      put(squares, k, logs + first);
    }
  }

  COTERIE_INLINE void put(const Vec<T> (&squares)[2], std::int64_t k, double* logs) const {
    for (int v = 0; v < 2; ++v)
      for (int lane = 0; lane < lanes<T>; ++lane)
        logs[v * lanes<T> + lane] = model_.log_factors[k] - 0.5 * static_cast<double>(squares[v][lane]);
  }

  const MixtureView& model_;
  std::int64_t triangle_size_;
  Scratch<T> triangles_, means_, scales_;
  Scratch<T> tile_, moved_;  // cols x tile_rows; the second before whitening
  Scratch<T> zeros_;
};

// Turns log densities into densities relative to the likeliest component; `sums` gets their sum, `greatest` the largest log,
// `moments`, where wanted, the sum of density * log(density). A row beyond the range of numbers from every component is
// equally unlikely under each of them.
COTERIE_INLINE void relative_densities(double* logs, std::int64_t n_components, double* greatest, double* sums,
                                       double* moments = nullptr) {
  for (std::int64_t first = 0; first < tile_rows; first += lanes<double>) {
    const Doubles least = broadcast(std::numeric_limits<double>::lowest());
    Doubles most = load(logs + first), total = {}, moment = {};
    for (std::int64_t k = 1; k < n_components; ++k) most = maximum<double>(load(logs + k * tile_rows + first), most);
    const Doubles top = most > least ? most : least;
    for (std::int64_t k = 0; k < n_components; ++k) {
      const Doubles log = load(logs + k * tile_rows + first), below = (log > least ? log : least) - top;
      const Doubles density = exponential(below);
      store(logs + k * tile_rows + first, density);
      total += density;
      moment += density > 0 ? density * below : Doubles{};  // a component without weight is infinitely far below
    }
    store(greatest + first, most);
    store(sums + first, total);
    if (moments != nullptr) store(moments + first, moment);
  }
}

}  // namespace coterie::COTERIE_ISA
