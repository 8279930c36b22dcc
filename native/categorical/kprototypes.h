// K-modes and k-prototypes: groups about a mean of numbers and a mode of categories. Missing cells are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// Rows of a table: numbers (NaN where missing) and codes of categories (-1 where missing, -2 for one that no prototype has).
struct MixedRows {
  MatrixView<double> numbers;
  MatrixView<std::int32_t> codes;
  const std::int64_t* n_levels;  // per column of codes
  const double* weights;         // null: 1 each
  double gamma;                  // what a category that differs costs

  std::int64_t n() const { return numbers.rows; }
  double weight(std::int64_t row) const { return weights == nullptr ? 1.0 : weights[row]; }
};

// One prototype per cluster; a column without any observed cell in a cluster has NaN or -1, which costs nothing.
struct Prototypes {
  std::int64_t k;
  std::vector<double> means;        // k x numbers
  std::vector<std::int32_t> modes;  // k x codes
};

struct PrototypeFit {
  Prototypes prototypes;
  std::vector<std::int32_t> labels;
  std::vector<double> costs;  // the objective after every pass: it never rises
  bool is_settled;
};

// The nearest prototype of each row (the lowest of equals), and the cost of the row without its weight.
void label_by_prototypes(const MixedRows& rows, const Prototypes& prototypes, int threads, std::int32_t* labels, double* costs);

// From the given prototypes: passes over all rows at once until no label changes, then rows one by one, each where the objective
// falls most, until none moves.
PrototypeFit fit_prototypes(const MixedRows& rows, const Prototypes& start, std::int64_t max_passes, int threads);

}  // namespace coterie
