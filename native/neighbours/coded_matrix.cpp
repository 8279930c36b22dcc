// Rows as whole numbers of 16 bits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "neighbours/descent.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_block = 256;
constexpr double most_small_code = 127, most_code = 32767;
constexpr std::int32_t product_term = 1 << 29;  // keys of products are not negative: twice a product is less than two of these

template <class Code>
std::int32_t squared_length(const Code* codes, std::int64_t count) {
  std::int32_t sum = 0;
  for (std::int64_t t = 0; t < count; ++t) sum += codes[t] * codes[t];
  return sum;
}

template <class Code>
std::int32_t term_of(const CodedRows& rows, const Code* codes, std::int64_t count) {
  if (rows.kind == CodeKind::equality) return static_cast<std::int32_t>(rows.stride);
  return rows.is_euclidean ? squared_length(codes, count) : product_term;
}

// A row that would be too long is shortened; small codes are cut off one by one instead.
double factor_of(const std::vector<double>& row, const Coding& coding) {
  if (coding.kind != CodeKind::product || coding.is_small) return coding.scale;
  double squares = 0;
  for (const double value : row) squares += value * value;
  const double length = std::sqrt(squares);
  return length > coding.longest ? coding.scale * (coding.longest / length) : coding.scale;
}

// Rounds to whole numbers, halves to even ones; what is beyond the largest code becomes it.
template <class Code>
void round_codes(const double* row, std::int64_t count, double factor, Code* codes) {
  constexpr double whole = 6755399441055744.0;  // 1.5 * 2^52: a sum with it has no digits behind the point
  constexpr double most = sizeof(Code) == 1 ? most_small_code : most_code;
  for (std::int64_t t = 0; t < count; ++t) {
    const double scaled = std::min(std::max(row[t] * factor, -most), most);
    codes[t] = static_cast<Code>(static_cast<std::int32_t>((scaled + whole) - whole));
  }
}

}  // namespace

void CodedMatrix::allocate(std::int64_t n, std::int64_t cols, const Coding& coding) {
  const std::int64_t code_bytes = coding.is_small ? 1 : 2;
  rows_.kind = coding.kind;
  rows_.is_small = coding.is_small;
  rows_.is_euclidean = coding.is_euclidean;
  rows_.n = n;
  rows_.cols = cols;
  rows_.stride = block_count(cols * code_bytes, stride_bytes) * stride_bytes / code_bytes;
  memory_ = std::shared_ptr<void>(allocate_aligned(static_cast<std::size_t>(n * rows_.stride * code_bytes)), free_aligned);
  terms_.resize(static_cast<std::size_t>(n));
  rows_.terms = terms_.data();
  if (coding.is_small) {
    sums_.resize(static_cast<std::size_t>(n));
    rows_.sums = sums_.data();
    rows_.small_values = static_cast<std::int8_t*>(memory_.get());
  } else {
    rows_.values = static_cast<std::int16_t*>(memory_.get());
  }
}

template <class Code>
void CodedMatrix::write_row(std::int64_t i, const double* values, double factor) {
  Code* codes = static_cast<Code*>(memory_.get()) + i * rows_.stride;
  round_codes(values, rows_.cols, factor, codes);
  std::fill(codes + rows_.cols, codes + rows_.stride, Code{0});
  terms_[static_cast<std::size_t>(i)] = term_of(rows_, codes, rows_.cols);
  if constexpr (sizeof(Code) == 1) sums_[static_cast<std::size_t>(i)] = std::accumulate(codes, codes + rows_.cols, std::int32_t{0});
}

template <class T>
CodedMatrix::CodedMatrix(const MatrixView<T>& X, const T* shift, const Coding& coding, int threads) {
  allocate(X.rows, X.cols, coding);
  parallel_for(block_count(X.rows, rows_per_block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_block, task);
    std::vector<double> row(static_cast<std::size_t>(X.cols));
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      for (std::int64_t t = 0; t < X.cols; ++t) row[static_cast<std::size_t>(t)] = static_cast<double>(X.row(i)[t]);
      if (shift != nullptr)
        for (std::int64_t t = 0; t < X.cols; ++t) row[static_cast<std::size_t>(t)] -= static_cast<double>(shift[t]);
      if (coding.is_small)
        write_row<std::int8_t>(i, row.data(), coding.scale);
      else
        write_row<std::int16_t>(i, row.data(), factor_of(row, coding));
    }
  });
}

CodedMatrix::CodedMatrix(const std::vector<double>& values, std::int64_t cols, const CodedRows& like) {
  const auto n = static_cast<std::int64_t>(values.size()) / cols;
  allocate(n, cols, {like.kind, 1.0, 0.0, like.is_euclidean, like.is_small});
  for (std::int64_t i = 0; i < n; ++i) {
    if (like.is_small)
      write_row<std::int8_t>(i, values.data() + i * cols, 1.0);
    else
      write_row<std::int16_t>(i, values.data() + i * cols, 1.0);
  }
}

CodedMatrix::CodedMatrix(const SparseView<float>& X, const Coding& coding) {
  const std::int64_t total = X.row_starts[X.rows];
  columns_.assign(X.columns, X.columns + total);
  starts_.assign(X.row_starts, X.row_starts + X.rows + 1);
  terms_.resize(static_cast<std::size_t>(X.rows));
  memory_ = std::shared_ptr<void>(allocate_aligned(static_cast<std::size_t>(total) * sizeof(std::int16_t)), free_aligned);
  auto* values = static_cast<std::int16_t*>(memory_.get());
  rows_.kind = CodeKind::sparse;
  rows_.is_euclidean = coding.is_euclidean;
  rows_.n = X.rows;
  rows_.cols = X.cols;
  rows_.values = values;
  rows_.terms = terms_.data();
  rows_.columns = columns_.data();
  rows_.starts = starts_.data();
  for (std::int64_t at = 0; at < total; ++at)
    values[at] = static_cast<std::int16_t>(std::nearbyint(static_cast<double>(X.values[at]) * coding.scale));
  for (std::int64_t i = 0; i < X.rows; ++i)
    terms_[static_cast<std::size_t>(i)] = term_of(rows_, values + starts_[static_cast<std::size_t>(i)],
                                                  starts_[static_cast<std::size_t>(i) + 1] - starts_[static_cast<std::size_t>(i)]);
}

CodedMatrix::CodedMatrix(const CodedRows& source, const std::vector<std::int32_t>& order, int threads) {
  const auto n = static_cast<std::int64_t>(order.size());
  if (source.kind == CodeKind::sparse) {
    copy_sparse(source, order, threads);
    return;
  }
  allocate(n, source.cols, {source.kind, 1.0, 0.0, source.is_euclidean, source.is_small});
  const auto* from =
      source.is_small ? reinterpret_cast<const char*>(source.small_values) : reinterpret_cast<const char*>(source.values);
  const auto row_bytes = static_cast<std::size_t>(source.stride * (source.is_small ? 1 : 2));
  auto* to = static_cast<char*>(memory_.get());
  parallel_for(block_count(n, rows_per_block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, rows_per_block, task);
    for (auto i = static_cast<std::size_t>(range.begin); i < static_cast<std::size_t>(range.end); ++i) {
      std::memcpy(to + i * row_bytes, from + static_cast<std::size_t>(order[i]) * row_bytes, row_bytes);
      terms_[i] = source.terms[order[i]];
      if (source.is_small) sums_[i] = source.sums[order[i]];
    }
  });
}

void CodedMatrix::copy_sparse(const CodedRows& source, const std::vector<std::int32_t>& order, int threads) {
  const auto n = static_cast<std::int64_t>(order.size());
  starts_.assign(order.size() + 1, 0);
  for (std::size_t i = 0; i < order.size(); ++i) starts_[i + 1] = starts_[i] + source.starts[order[i] + 1] - source.starts[order[i]];
  const auto total = static_cast<std::size_t>(starts_.back());
  memory_ = std::shared_ptr<void>(allocate_aligned(total * sizeof(std::int16_t)), free_aligned);
  auto* values = static_cast<std::int16_t*>(memory_.get());
  terms_.resize(order.size());
  columns_.resize(total);
  parallel_for(block_count(n, rows_per_block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, rows_per_block, task);
    for (auto i = static_cast<std::size_t>(range.begin); i < static_cast<std::size_t>(range.end); ++i) {
      const std::int64_t begin = source.starts[order[i]], count = starts_[i + 1] - starts_[i];
      std::copy_n(source.values + begin, count, values + starts_[i]);
      std::copy_n(source.columns + begin, count, columns_.data() + starts_[i]);
      terms_[i] = source.terms[order[i]];
    }
  });
  rows_ = source;
  rows_.n = n;
  rows_.values = values;
  rows_.terms = terms_.data();
  rows_.columns = columns_.data();
  rows_.starts = starts_.data();
}

template CodedMatrix::CodedMatrix(const MatrixView<float>&, const float*, const Coding&, int);
template CodedMatrix::CodedMatrix(const MatrixView<double>&, const double*, const Coding&, int);

}  // namespace coterie
