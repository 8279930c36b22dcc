// Fuzzy c-means: the memberships of every row in every group, and the sums that the next centres are made of.
//
// With squared distances d_k of a row to the centres and the fuzzifier m > 1, the memberships u_k = (1 / d_k)^p / sum (1 / d_j)^p with
// p = 1 / (m - 1) make the sum of u_k^m d_k least among those that add up to 1. With d the least distance, r_k = (d / d_k)^p and R their
// sum, u_k = r_k / R, u_k^m = r_k (d / d_k) / R^m, and the sum is d R^(1 - m): one power per pair and one per row.
//
// Rows are cut into tasks by their number alone, and the sums of the tasks are added in their order: the number of threads changes no bit.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

struct FuzzyView {
  std::int64_t n_clusters;
  std::int64_t cols;
  double fuzzifier;  // m > 1
  const double* shift;  // taken off every row first: squares are small numbers then
  const double* centres;  // n_clusters x cols, shift taken off
};

// Added to.
struct FuzzySums {
  double* objective;  // one number
  double* weight;  // per group: sum of u^m
  double* deviation;  // n_clusters x cols: sum of u^m (x - shift)
};

// What a row can be asked for; null: not wanted.
template <class T>
struct FuzzyRows {
  T* memberships;  // rows x n_clusters
  std::int32_t* labels;  // the nearest centre, the first of equals
};

template <class T>
struct FuzzyTask {
  MatrixView<T> rows;
  const double* weights;  // of rows; null: all 1
  const FuzzyView* model;
};

template <class T>
struct FuzzyKernels {
  void (*add_sums)(const FuzzyTask<T>& task, const FuzzySums& sums);
  void (*place_rows)(const FuzzyTask<T>& task, const FuzzyRows<T>& out);
};

template <class T>
void fuzzy_sums(const MatrixView<T>& X, const double* weights, const FuzzyView& model, int threads, const FuzzySums& sums);

template <class T>
void fuzzy_rows(const MatrixView<T>& X, const FuzzyView& model, int threads, const FuzzyRows<T>& out);

}  // namespace coterie
