// Rows as whole numbers of 16 bits.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "neighbours/descent.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_block = 256;
constexpr double most_small_code = 127;
constexpr std::int32_t product_term = 1 << 29;  // keys of products are not negative: twice a product is less than two of these

std::int32_t squared_length(const std::int16_t* codes, std::int64_t count) {
  std::int32_t sum = 0;
  for (std::int64_t t = 0; t < count; ++t) sum += codes[t] * codes[t];
  return sum;
}

std::int32_t term_of(const CodedRows& rows, const Coding& coding, const std::int16_t* codes, std::int64_t count) {
  if (rows.kind == CodeKind::equality) return static_cast<std::int32_t>(rows.stride);
  return coding.is_euclidean ? squared_length(codes, count) : product_term;
}

// A row that would be too long is shortened; small codes are cut off one by one instead.
double factor_of(const std::vector<double>& row, const Coding& coding) {
  if (coding.kind != CodeKind::product || coding.is_small) return coding.scale;
  double squares = 0;
  for (const double value : row) squares += value * value;
  const double length = std::sqrt(squares);
  return length > coding.longest ? coding.scale * (coding.longest / length) : coding.scale;
}

// Rounds to whole numbers, halves to even ones.
void round_codes(const double* row, std::int64_t count, double factor, double most, std::int16_t* codes) {
  constexpr double whole = 6755399441055744.0;  // 1.5 * 2^52: a sum with it has no digits behind the point
  for (std::int64_t t = 0; t < count; ++t) {
    const double scaled = std::min(std::max(row[t] * factor, -most), most);
    codes[t] = static_cast<std::int16_t>(static_cast<std::int32_t>((scaled + whole) - whole));
  }
}

}  // namespace

void CodedMatrix::allocate(std::int64_t n, std::int64_t cols, CodeKind kind) {
  rows_.kind = kind;
  rows_.n = n;
  rows_.cols = cols;
  rows_.stride = block_count(cols, stride_codes) * stride_codes;
  memory_ = std::shared_ptr<void>(allocate_aligned(static_cast<std::size_t>(n * rows_.stride) * sizeof(std::int16_t)), free_aligned);
  rows_.values = static_cast<std::int16_t*>(memory_.get());
  terms_.resize(static_cast<std::size_t>(n));
  rows_.terms = terms_.data();
}

template <class T>
CodedMatrix::CodedMatrix(const MatrixView<T>& X, const T* shift, const Coding& coding, int threads) {
  allocate(X.rows, X.cols, coding.kind);
  rows_.is_small = coding.is_small;
  rows_.is_euclidean = coding.is_euclidean;
  auto* values = static_cast<std::int16_t*>(memory_.get());
  const double most = coding.is_small ? most_small_code : 32767;
  parallel_for(block_count(X.rows, rows_per_block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_block, task);
    std::vector<double> row(static_cast<std::size_t>(X.cols));
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      for (std::int64_t t = 0; t < X.cols; ++t) row[static_cast<std::size_t>(t)] = static_cast<double>(X.row(i)[t]);
      if (shift != nullptr)
        for (std::int64_t t = 0; t < X.cols; ++t) row[static_cast<std::size_t>(t)] -= static_cast<double>(shift[t]);
      std::int16_t* codes = values + i * rows_.stride;
      round_codes(row.data(), X.cols, factor_of(row, coding), most, codes);
      std::fill(codes + X.cols, codes + rows_.stride, std::int16_t{0});
      terms_[static_cast<std::size_t>(i)] = term_of(rows_, coding, codes, X.cols);
    }
  });
}

CodedMatrix::CodedMatrix(const std::vector<double>& values, std::int64_t cols, const CodedRows& like) {
  const auto n = static_cast<std::int64_t>(values.size()) / cols;
  const Coding coding{like.kind, 1.0, 0.0, like.is_euclidean, like.is_small};
  allocate(n, cols, like.kind);
  rows_.is_small = like.is_small;
  rows_.is_euclidean = like.is_euclidean;
  auto* to = static_cast<std::int16_t*>(memory_.get());
  for (std::int64_t i = 0; i < n; ++i, to += rows_.stride) {
    round_codes(values.data() + i * cols, cols, 1.0, like.is_small ? most_small_code : 32767, to);
    std::fill(to + cols, to + rows_.stride, std::int16_t{0});
    terms_[static_cast<std::size_t>(i)] = term_of(rows_, coding, to, cols);
  }
}

CodedMatrix::CodedMatrix(const SparseView<float>& X, const Coding& coding) {
  const std::int64_t total = X.row_starts[X.rows];
  columns_.assign(X.columns, X.columns + total);
  starts_.assign(X.row_starts, X.row_starts + X.rows + 1);
  terms_.resize(static_cast<std::size_t>(X.rows));
  memory_ = std::shared_ptr<void>(allocate_aligned(static_cast<std::size_t>(total) * sizeof(std::int16_t)), free_aligned);
  auto* values = static_cast<std::int16_t*>(memory_.get());
  rows_ = {CodeKind::sparse, values, terms_.data(), X.rows, X.cols, 0, columns_.data(), starts_.data(), false, coding.is_euclidean};
  for (std::int64_t at = 0; at < total; ++at)
    values[at] = static_cast<std::int16_t>(std::nearbyint(static_cast<double>(X.values[at]) * coding.scale));
  for (std::int64_t i = 0; i < X.rows; ++i)
    terms_[static_cast<std::size_t>(i)] = term_of(rows_, coding, values + starts_[static_cast<std::size_t>(i)],
                                                  starts_[static_cast<std::size_t>(i) + 1] - starts_[static_cast<std::size_t>(i)]);
}

CodedMatrix::CodedMatrix(const CodedRows& source, const std::vector<std::int32_t>& order, int threads) {
  const auto n = static_cast<std::int64_t>(order.size());
  const auto size_of = [&](std::int64_t row) {
    return source.kind == CodeKind::sparse ? source.starts[row + 1] - source.starts[row] : source.stride;
  };
  const auto begin_of = [&](std::int64_t row) { return source.kind == CodeKind::sparse ? source.starts[row] : row * source.stride; };
  std::vector<std::int64_t> starts(static_cast<std::size_t>(n) + 1);
  for (std::int64_t i = 0; i < n; ++i)
    starts[static_cast<std::size_t>(i) + 1] = starts[static_cast<std::size_t>(i)] + size_of(order[static_cast<std::size_t>(i)]);
  const auto total = static_cast<std::size_t>(starts.back());
  memory_ = std::shared_ptr<void>(allocate_aligned(total * sizeof(std::int16_t)), free_aligned);
  auto* values = static_cast<std::int16_t*>(memory_.get());
  terms_.resize(static_cast<std::size_t>(n));
  if (source.kind == CodeKind::sparse) columns_.resize(total);
  parallel_for(block_count(n, rows_per_block), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, rows_per_block, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t row = order[static_cast<std::size_t>(i)], to = starts[static_cast<std::size_t>(i)];
      std::copy_n(source.values + begin_of(row), size_of(row), values + to);
      if (source.kind == CodeKind::sparse) std::copy_n(source.columns + begin_of(row), size_of(row), columns_.data() + to);
      terms_[static_cast<std::size_t>(i)] = source.terms[row];
    }
  });
  if (source.kind == CodeKind::sparse) starts_ = std::move(starts);
  rows_ = {source.kind,    values,          terms_.data(),      n, source.cols, source.stride, columns_.data(),
           starts_.data(), source.is_small, source.is_euclidean};
}

template CodedMatrix::CodedMatrix(const MatrixView<float>&, const float*, const Coding&, int);
template CodedMatrix::CodedMatrix(const MatrixView<double>&, const double*, const Coding&, int);

}  // namespace coterie
