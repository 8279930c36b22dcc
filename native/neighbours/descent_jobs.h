// What goes in and out of the kernels of approximate neighbours.
//
// Rows are whole numbers of 16 bits or of 8, their products sums of 32 bits: exact, so that every processor finds the same neighbours. A list
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
  const std::int8_t* small_values;  // instead of them, where no code is beyond -127 to 127
  const std::int32_t* terms;
  const std::int32_t* sums;  // of the small codes of each row
  std::int64_t n, cols, stride;
  const std::int32_t* columns;  // sparse: columns and starts of CSR
  const std::int64_t* starts;
  bool is_small;  // rows are small_values
  bool is_euclidean;  // terms are squared lengths
};

inline constexpr std::int64_t stride_bytes = 64;  // rows are padded to the widest vector

template <class Code>
inline const Code* codes_of(const CodedRows& rows, std::int64_t row) {
  if constexpr (sizeof(Code) == 1)
    return rows.small_values + row * rows.stride;
  else
    return rows.values + row * rows.stride;
}

// Entries: key << 32 | row << 1 | flag, rising; `empty_entry` where there is none. Keys are not negative.
inline constexpr std::uint64_t empty_entry = ~std::uint64_t{0} >> 1;
inline constexpr std::int64_t list_step = 8;  // lists have room for whole vectors

inline constexpr std::int64_t room_of_list(std::int64_t size) { return (size + list_step - 1) / list_step * list_step; }

struct LockedLists {
  std::uint64_t* entries;  // n x stride, of which the first `size` count
  std::uint64_t* last;  // per row: its last entry, read without the lock
  std::uint8_t* locks;  // per row
  std::int64_t size, stride;
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
  const LockedLists& lists;
  const std::int32_t* ids;
  std::int64_t n_fresh;
  std::int64_t n_ids;
  std::int32_t* workspace;
};

// Every pair of a query and a member, rows of products, is offered to the lists of both.
struct CompareJob {
  const CodedRows& rows;
  const LockedLists& lists;
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
  const std::int32_t* cell_ids;  // which of them; nullptr: the first n_cells
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
  std::uint64_t* found;  // `size` entries, and room for whole vectors
  std::int64_t size;
  std::int32_t* workspace;
};

}  // namespace coterie
