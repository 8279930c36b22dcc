// Latent classes: a mixture over numbers and categories whose columns are independent in each class. One pass gives what the
// next parameters are made of; a missing cell adds nothing.
//
// Rows are cut into tasks by their number only, and the sums of the tasks are added in their order: any number of threads
// gives the same bits.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

struct LatentRows {
  MatrixView<double> numbers;       // NaN: missing
  MatrixView<std::int32_t> levels;  // of all columns of categories in one list; n_levels: missing
  std::int64_t n_levels;
  const double* weights;  // of rows
};

// Parameters; the log density of a number is log_factor - (x - mean)^2 / (2 variance).
struct LatentClassesView {
  std::int64_t n_classes;
  const double* log_weights;
  const double* log_tables;   // n_classes x (n_levels + 1), the last entry 0
  const double* log_factors;  // n_classes x n_numbers, as the next two
  const double* means;
  const double* variances;
};

// Added to, about the means of the view.
struct LatentSums {
  double* log_likelihood;  // one number
  double* weight;          // per class
  double* counts;          // n_classes x (n_levels + 1)
  double* mass;            // n_classes x n_numbers, as the next two: weight of the cells that are there
  double* deviation;
  double* squares;
};

struct LatentKernels {
  void (*add_sums)(const LatentRows& rows, const LatentClassesView& model, const LatentSums& sums);
};

void latent_class_sums(const LatentRows& rows, const LatentClassesView& model, int threads, const LatentSums& sums);

}  // namespace coterie
