// How often each pair of labels occurs together, counted in one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/label_codes.h"

namespace coterie {

// The non-zero cells of the table by row (compressed rows, columns ascending), and the labels of its rows and columns.
// Count is int64 for plain counts and double for sums of weights.
template <class Count>
struct SparseTable {
  std::vector<std::uint64_t> row_labels;  // 64-bit patterns of the distinct labels, sorted
  std::vector<std::uint64_t> column_labels;
  std::vector<std::int64_t> row_starts;  // one more than there are rows
  std::vector<std::int64_t> columns;
  std::vector<Count> counts;
};

// Exact for counts; sums of weights are taken in an order that does not depend on the threads.
// Time is O(n + cells) when the labels (or, once they are encoded, their numbers) span a small table, otherwise that of
// sorting the second label within each first one. `weights` holds one weight per label.
SparseTable<std::int64_t> count_pairs(const IntegerLabels& first, const IntegerLabels& second, int threads);
SparseTable<double> sum_pairs(const IntegerLabels& first, const IntegerLabels& second, const double* weights, int threads);

}  // namespace coterie
