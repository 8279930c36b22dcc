// Sums of weighted outer products: rows are queued per component, so that the rank update always has many of them.
#pragma once

#include "support/scratch.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

inline constexpr std::int64_t queue_rows = 64;
inline constexpr int update_rows = 4, update_vectors = 3;  // 12 sums, 3 loads and a broadcast: sixteen registers

// Upper triangles of sum r d d^T for each component.
class ScatterQueues {
 public:
  ScatterQueues(std::int64_t n_components, std::int64_t cols)
      : cols_(cols),
        stride_((cols + block - 1) / block * block),
        queued_(n_components * queue_rows * stride_),
        scatter_(n_components * stride_ * stride_),
        counts_(n_components) {
    for (std::int64_t i = 0; i < n_components * queue_rows * stride_; ++i) queued_[i] = 0;
    for (std::int64_t i = 0; i < n_components * stride_ * stride_; ++i) scatter_[i] = 0;
    for (std::int64_t k = 0; k < n_components; ++k) counts_[k] = 0;
  }

  // Where the next row of component k goes: its deviation, scaled by the root of its share. `advance` takes it.
  COTERIE_INLINE double* next(std::int64_t k) { return queued_.data() + (k * queue_rows + counts_[k]) * stride_; }

  COTERIE_INLINE void advance(std::int64_t k) {
    if (++counts_[k] == queue_rows) flush(k);
  }

  // Adds everything of component k to `to`, cols x cols.
  void finish(std::int64_t k, double* to) {
    flush(k);
    for (std::int64_t i = 0; i < cols_; ++i)
      for (std::int64_t j = i; j < cols_; ++j) to[i * cols_ + j] += scatter_[(k * stride_ + i) * stride_ + j];
  }

 private:
  static constexpr std::int64_t block = lanes<double> > update_rows ? lanes<double> : update_rows;

  __attribute__((noinline)) void flush(std::int64_t k) {
    for (std::int64_t i = 0; i < cols_; i += update_rows)
      for (std::int64_t j = i / lanes<double> * lanes<double>; j < stride_;) {
        const std::int64_t left = (stride_ - j) / lanes<double>;
        if (left >= 3)
          update<3>(k, i, j);
        else if (left == 2)
          update<2>(k, i, j);
        else
          update<1>(k, i, j);
        j += (left < update_vectors ? left : update_vectors) * lanes<double>;
      }
    counts_[k] = 0;
  }

  template <int vectors>
  COTERIE_INLINE void update(std::int64_t k, std::int64_t i, std::int64_t j) {
    Vec<double> sums[update_rows][vectors] = {};
    const double* row = queued_.data() + k * queue_rows * stride_;
    for (std::int64_t q = 0; q < counts_[k]; ++q, row += stride_) {
      Vec<double> right[vectors];
      for (int v = 0; v < vectors; ++v) right[v] = load(row + j + v * lanes<double>);
      for (int r = 0; r < update_rows; ++r) {
        const Vec<double> left = broadcast(row[i + r]);
        for (int v = 0; v < vectors; ++v) sums[r][v] += left * right[v];
      }
    }
    for (int r = 0; r < update_rows; ++r)
      for (int v = 0; v < vectors; ++v) {
        double* to = scatter_.data() + (k * stride_ + i + r) * stride_ + j + v * lanes<double>;
        store(to, load(to) + sums[r][v]);
      }
  }

  std::int64_t cols_, stride_;
  Scratch<double> queued_, scatter_;
  Scratch<std::int64_t> counts_;
};

}  // namespace coterie::COTERIE_ISA
