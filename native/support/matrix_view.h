// Views over memory that somebody else owns.
#pragma once

#include <cstdint>

namespace coterie {

// Rows of `cols` numbers; row i starts at data + i * stride.
template <class T>
struct MatrixView {
  const T* data;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t stride;

  __attribute__((always_inline)) const T* row(std::int64_t i) const { return data + i * stride; }
};

template <class T>
struct MutableMatrixView {
  T* data;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t stride;

  __attribute__((always_inline)) T* row(std::int64_t i) const { return data + i * stride; }
};

// A CSR matrix; indices within a row need not be sorted, but none may come twice.
template <class T>
struct SparseView {
  const T* values;
  const std::int32_t* columns;
  const std::int64_t* row_starts;  // rows + 1 entries
  std::int64_t rows;
  std::int64_t cols;
};

}  // namespace coterie
