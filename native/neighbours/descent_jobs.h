// What goes in and out of the kernels of approximate neighbours.
//
// Rows are whole numbers of 16 bits, their products sums of 32 bits: exact, so that every processor finds the same neighbours. A list
// holds the nearest rows found so far, nearest first, each as one number: key, row, and whether it is new. What a list holds after some
// offers does not depend on their order, so that any number of threads may offer at the same time.
#pragma once

#include <cstdint>

namespace coterie {

enum class CodeKind : std::int32_t {
  product,  // key = term + term - 2 x.y
  equality,  // key = term + term - 2 (number of equal columns)
  sparse,  // as product, of rows in CSR
};

// Whole numbers that stand for rows.
struct CodedRows {
  CodeKind kind;
  const std::int16_t* values;  // dense: row i at i * stride, zeros from cols to stride
  const std::int32_t* terms;
  std::int64_t n, cols, stride;
  const std::int32_t* columns;  // sparse: columns and starts of CSR
  const std::int64_t* starts;
  bool is_small;  // dense: no code is beyond -127 to 127
  bool is_euclidean;  // terms are squared lengths
};

inline constexpr std::int64_t stride_codes = 32;  // rows are padded to the widest vector

// Entries: key << 32 | row << 1 | flag, rising; `empty_entry` where there is none.
inline constexpr std::uint64_t empty_entry = ~std::uint64_t{0};

struct NearLists {
  std::uint64_t* entries;  // n x size
  std::uint64_t* last;  // per row: its last entry, read without the lock
  std::uint8_t* locks;  // per row
  std::int64_t size;
};

// The nearest of some pivots for each member; of equally near ones the first.
struct AssignJob {
  const CodedRows& rows;
  const std::int32_t* members;
  std::int64_t count;
  const std::int32_t* pivots;
  std::int64_t n_pivots;
  std::uint8_t* group;
  std::int32_t* workspace;  // of sparse rows: zeros, one per column
};

// Every pair of rows of which the first is among the fresh ones, which come first, is offered to the lists of both.
struct JoinJob {
  const CodedRows& rows;
  const NearLists& lists;
  const std::int32_t* ids;
  std::int64_t n_fresh;
  std::int64_t n_ids;
  std::int32_t* workspace;
};

// Every pair of a query and a member, rows of products, is offered to the lists of both.
struct CompareJob {
  const CodedRows& rows;
  const NearLists& lists;
  const std::int32_t* queries;
  std::int64_t n_queries;
  const std::int32_t* members;
  std::int64_t n_members;
  bool is_triangle;  // the queries are the first members, and each pair is compared once
};

// The nearest cells of some rows of products.
struct RankJob {
  const CodedRows& rows;
  const std::int32_t* members;
  std::int64_t count;
  const CodedRows& cells;
  std::int64_t n_cells;
  std::int64_t n_ranks;
  std::uint16_t* ranks;  // count x n_ranks
  std::int32_t* keys;  // of the ranks; nullptr where nobody asks
};

// The nearest rows of one query along the edges of a graph.
struct SearchJob {
  const CodedRows& rows;
  const CodedRows& queries;
  std::int64_t query;
  const std::int32_t* graph;  // rows x degree, -1 where there are fewer
  std::int64_t degree;
  const std::int32_t* doors;  // where the search begins
  std::int64_t n_doors;
  std::uint32_t* visits;  // per row: the last query + 1 that saw it
  std::uint64_t* found;  // `size` entries
  std::int64_t size;
  std::int32_t* workspace;
};

}  // namespace coterie
