#include "evaluate/contingency.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace coterie {
namespace {

constexpr std::int64_t chunk_rows = 2048;           // two chunks of offsets stay in the first cache
constexpr std::int64_t min_slice_rows = 1 << 16;    // less is not worth a task
constexpr std::int64_t max_slices = 64;
constexpr std::int64_t always_dense_cells = 1 << 12;
constexpr int bucket_bits = 8;  // at most 256 buckets of rows: one open cache line each while scattering
constexpr int radix_bits = 11;
constexpr std::uint64_t radix = 1 << radix_bits;

// One of the two labelings: its labels are lowest + offset, offset < width.
struct Side {
  IntegerLabels labels;
  std::uint64_t lowest;
  std::int64_t width;
};

bool is_dense(std::uint64_t rows, std::uint64_t columns, std::int64_t n) {
  const auto limit = static_cast<std::uint64_t>(std::max(n, always_dense_cells));
  return rows <= limit && columns <= limit && rows * columns <= limit;
}

// One count, or the weight of the row.
struct Ones {
  std::int64_t operator[](std::int64_t) const { return 1; }
};

struct Weights {
  const double* data;
  double operator[](std::int64_t i) const { return data[i]; }
};

template <class Count, class Amounts>
void add_slice(const Side& first, const Side& second, Amounts amounts, Range rows, Count* cells) {
  std::uint32_t row_of[chunk_rows], column_of[chunk_rows];
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += chunk_rows) {
    const Range chunk{begin, std::min(begin + chunk_rows, rows.end)};
    load_offsets(first.labels, chunk, first.lowest, row_of);
    load_offsets(second.labels, chunk, second.lowest, column_of);
    for (std::int64_t i = 0; i < chunk.size(); ++i) {
      cells[static_cast<std::int64_t>(row_of[i]) * second.width + column_of[i]] += amounts[begin + i];
    }
  }
}

// A full table per slice, added up in the order of the slices.
template <class Count, class Amounts>
std::vector<Count> fill_dense(const Side& first, const Side& second, Amounts amounts, int threads) {
  const std::int64_t n = first.labels.size, cells = first.width * second.width;
  // a slice must be worth its own table
  const std::int64_t slice_rows = std::max({min_slice_rows, 2 * cells, block_count(n, max_slices)});
  const std::int64_t slices = std::max<std::int64_t>(1, block_count(n, slice_rows));
  std::vector<std::unique_ptr<Count[]>> parts(static_cast<std::size_t>(slices));
  parallel_for(slices, threads, [&](std::int64_t slice, int) {
    parts[slice] = std::make_unique<Count[]>(static_cast<std::size_t>(cells));
    add_slice(first, second, amounts, block_range(n, slice_rows, slice), parts[slice].get());
  });
  std::vector<Count> total(static_cast<std::size_t>(cells));
  for (const auto& part : parts) {
    for (std::int64_t cell = 0; cell < cells; ++cell) total[cell] += part[cell];
  }
  return total;
}

// Weights may be zero: a label counts as present when it occurs, so presence is counted apart from the weights.
template <class Count>
SparseTable<Count> compress(const std::vector<Count>& cells, const std::vector<std::int64_t>& occurrences, const Side& first,
                            const Side& second) {
  SparseTable<Count> table;
  std::vector<std::int64_t> column_of(static_cast<std::size_t>(second.width), -1);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (occurrences[cell] != 0) column_of[static_cast<std::int64_t>(cell) % second.width] = 0;
  }
  for (std::int64_t j = 0; j < second.width; ++j) {
    if (column_of[j] < 0) continue;
    column_of[j] = static_cast<std::int64_t>(table.column_labels.size());
    table.column_labels.push_back(second.lowest + static_cast<std::uint64_t>(j));
  }
  table.row_starts.push_back(0);
  for (std::int64_t i = 0; i < first.width; ++i) {
    for (std::int64_t j = 0; j < second.width; ++j) {
      const std::int64_t cell = i * second.width + j;
      if (occurrences[cell] == 0) continue;
      table.columns.push_back(column_of[j]);
      table.counts.push_back(cells[cell]);
    }
    const auto filled = static_cast<std::int64_t>(table.columns.size());
    if (filled == table.row_starts.back()) continue;
    table.row_labels.push_back(first.lowest + static_cast<std::uint64_t>(i));
    table.row_starts.push_back(filled);
  }
  return table;
}

SparseTable<std::int64_t> dense_table(const Side& first, const Side& second, Ones ones, int threads) {
  const auto cells = fill_dense<std::int64_t>(first, second, ones, threads);
  return compress(cells, cells, first, second);
}

SparseTable<double> dense_table(const Side& first, const Side& second, Weights weights, int threads) {
  return compress(fill_dense<double>(first, second, weights, threads), fill_dense<std::int64_t>(first, second, Ones{}, threads), first,
                  second);
}

// A sample as it is sorted: its place within the bucket's part of the table, and what it adds there.
struct CountEntry {
  std::uint64_t cell;

  static CountEntry of(std::uint64_t cell, Ones, std::int64_t) { return {cell}; }
  std::int64_t amount() const { return 1; }
};

struct WeightEntry {
  std::uint64_t cell;
  double weight;

  static WeightEntry of(std::uint64_t cell, Weights weights, std::int64_t i) { return {cell, weights[i]}; }
  double amount() const { return weight; }
};

int bits_of(std::int64_t value) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))); }

struct Codes {
  const std::int32_t* rows;
  const std::int32_t* columns;
  std::int64_t n, n_rows, n_columns;
};

// Rows of the table in buckets of 2^shift consecutive ones; starts[b] is where the samples of bucket b begin.
template <class Entry>
struct Buckets {
  int shift;
  std::vector<std::int64_t> starts;
  std::unique_ptr<Entry[]> entries;
};

// A stable counting sort by bucket: within a bucket, samples keep their order.
template <class Entry, class Amounts>
Buckets<Entry> scatter(const Codes& codes, Amounts amounts, int threads) {
  const int shift = std::max(0, bits_of(codes.n_rows - 1) - bucket_bits);
  const std::int64_t buckets = ((codes.n_rows - 1) >> shift) + 1;
  const std::int64_t slice_rows = std::max(min_slice_rows, block_count(codes.n, max_slices));
  const std::int64_t slices = block_count(codes.n, slice_rows);
  std::vector<std::int64_t> next(static_cast<std::size_t>(slices * buckets));
  parallel_for(slices, threads, [&](std::int64_t slice, int) {
    const Range range = block_range(codes.n, slice_rows, slice);
    for (std::int64_t i = range.begin; i < range.end; ++i) ++next[slice * buckets + (codes.rows[i] >> shift)];
  });
  Buckets<Entry> result{shift, {0}, std::unique_ptr<Entry[]>(new Entry[static_cast<std::size_t>(codes.n)])};
  std::int64_t filled = 0;
  for (std::int64_t bucket = 0; bucket < buckets; ++bucket) {
    for (std::int64_t slice = 0; slice < slices; ++slice) filled += std::exchange(next[slice * buckets + bucket], filled);
    result.starts.push_back(filled);
  }
  parallel_for(slices, threads, [&](std::int64_t slice, int) {
    const Range range = block_range(codes.n, slice_rows, slice);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t bucket = codes.rows[i] >> shift, row = codes.rows[i] - (bucket << shift);
      const auto cell = static_cast<std::uint64_t>(row * codes.n_columns + codes.columns[i]);
      result.entries[next[slice * buckets + bucket]++] = Entry::of(cell, amounts, i);
    }
  });
  return result;
}

// Stable radix sort by cell: equal cells keep their order, so that sums of weights are always taken alike.
template <class Entry>
void sort_by_cell(std::vector<Entry>& entries, std::int64_t highest_cell) {
  std::vector<Entry> sorted(entries.size());
  for (int bit = 0; bit < bits_of(highest_cell); bit += radix_bits) {
    std::int64_t next[radix] = {};
    for (const Entry& entry : entries) ++next[(entry.cell >> bit) & (radix - 1)];
    std::int64_t filled = 0;
    for (std::int64_t& start : next) filled += std::exchange(start, filled);
    for (const Entry& entry : entries) sorted[next[(entry.cell >> bit) & (radix - 1)]++] = entry;
    entries.swap(sorted);
  }
}

template <class Count>
struct TablePart {
  std::vector<std::int64_t> cells_in_row;
  std::vector<std::int64_t> columns;
  std::vector<Count> counts;
};

template <class Count, class Entry>
TablePart<Count> fill_bucket(const Entry* begin, const Entry* end, std::int64_t n_rows, std::int64_t n_columns) {
  std::vector<Entry> entries(begin, end);
  sort_by_cell(entries, n_rows * n_columns - 1);
  TablePart<Count> part;
  part.cells_in_row.resize(static_cast<std::size_t>(n_rows));
  std::uint64_t last_cell = ~std::uint64_t{0};
  for (const Entry& entry : entries) {
    if (entry.cell != last_cell) {
      const auto cell = static_cast<std::int64_t>(entry.cell);
      ++part.cells_in_row[cell / n_columns];
      part.columns.push_back(cell % n_columns);
      part.counts.push_back(0);
      last_cell = entry.cell;
    }
    part.counts.back() += entry.amount();
  }
  return part;
}

template <class Count, class Entry, class Amounts>
SparseTable<Count> sparse_table(const Codes& codes, Amounts amounts, int threads) {
  const Buckets<Entry> buckets = scatter<Entry>(codes, amounts, threads);
  const auto count = static_cast<std::int64_t>(buckets.starts.size()) - 1;
  std::vector<TablePart<Count>> parts(static_cast<std::size_t>(count));
  parallel_for(count, threads, [&](std::int64_t bucket, int) {
    const Range rows = block_range(codes.n_rows, std::int64_t{1} << buckets.shift, bucket);
    const Entry* entries = buckets.entries.get();
    parts[bucket] =
        fill_bucket<Count>(entries + buckets.starts[bucket], entries + buckets.starts[bucket + 1], rows.size(), codes.n_columns);
  });
  SparseTable<Count> table;
  table.row_starts.push_back(0);
  for (const auto& part : parts) {
    for (const std::int64_t cells : part.cells_in_row) table.row_starts.push_back(table.row_starts.back() + cells);
    table.columns.insert(table.columns.end(), part.columns.begin(), part.columns.end());
    table.counts.insert(table.counts.end(), part.counts.begin(), part.counts.end());
  }
  return table;
}

SparseTable<std::int64_t> sparse_table(const Codes& codes, Ones ones, int threads) {
  return sparse_table<std::int64_t, CountEntry>(codes, ones, threads);
}

SparseTable<double> sparse_table(const Codes& codes, Weights weights, int threads) {
  return sparse_table<double, WeightEntry>(codes, weights, threads);
}

template <class Count, class Amounts>
SparseTable<Count> tabulate(const IntegerLabels& first, const IntegerLabels& second, Amounts amounts, int threads) {
  const std::int64_t n = first.size;
  if (n == 0) return {{}, {}, {0}, {}, {}};
  const LabelSpan rows = find_span(first, threads), columns = find_span(second, threads);
  if (is_dense(rows.width, columns.width, n) && is_dense(rows.width + 1, columns.width + 1, n)) {
    return dense_table(Side{first, rows.lowest, static_cast<std::int64_t>(rows.width) + 1},
                       Side{second, columns.lowest, static_cast<std::int64_t>(columns.width) + 1}, amounts, threads);
  }
  const std::unique_ptr<std::int32_t[]> row_of(new std::int32_t[static_cast<std::size_t>(n)]);
  const std::unique_ptr<std::int32_t[]> column_of(new std::int32_t[static_cast<std::size_t>(n)]);
  auto row_labels = encode_integers(first, row_of.get(), threads);
  auto column_labels = encode_integers(second, column_of.get(), threads);
  const auto n_rows = static_cast<std::int64_t>(row_labels.size()), n_columns = static_cast<std::int64_t>(column_labels.size());
  SparseTable<Count> table = is_dense(row_labels.size(), column_labels.size(), n)
                                 ? dense_table(Side{{row_of.get(), n, 4, true}, 0, n_rows},
                                               Side{{column_of.get(), n, 4, true}, 0, n_columns}, amounts, threads)
                                 : sparse_table(Codes{row_of.get(), column_of.get(), n, n_rows, n_columns}, amounts, threads);
  table.row_labels = std::move(row_labels);
  table.column_labels = std::move(column_labels);
  return table;
}

}  // namespace

SparseTable<std::int64_t> count_pairs(const IntegerLabels& first, const IntegerLabels& second, int threads) {
  return tabulate<std::int64_t>(first, second, Ones{}, threads);
}

SparseTable<double> sum_pairs(const IntegerLabels& first, const IntegerLabels& second, const double* weights, int threads) {
  return tabulate<double>(first, second, Weights{weights}, threads);
}

}  // namespace coterie
