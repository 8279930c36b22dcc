// Cells of near rows, and for every row its nearest cells: k-means in whole numbers, one step from drawn rows.
#pragma once

#include <cstdint>
#include <vector>

#include "neighbours/descent_jobs.h"
#include "support/parallel.h"

namespace coterie {

struct Cells {
  std::int64_t n_cells = 0;
  std::int64_t n_ranks = 0;          // how many of its nearest cells are known of a row
  std::vector<std::uint16_t> ranks;  // n x n_ranks, nearest first: a row belongs to the first
};

// As many cells as rows of this number ask for.
std::int64_t cells_wanted(std::int64_t n);

// The same for any number of threads. Rows must be of products.
Cells find_cells(const CodedRows& rows, std::int64_t n_cells, std::int64_t n_ranks, std::uint64_t seed, int threads);

// Of some rows the m nearest of all rows by their codes, themselves among them, nearest first: members x m.
void nearest_by_codes(const CodedRows& rows, const std::vector<std::int32_t>& members, std::int64_t m, std::int32_t* out, int threads);

// Rows sorted by cell; large cells are several parts.
struct CellParts {
  std::vector<std::int32_t> order;       // rows, part by part
  std::vector<Range> parts;              // places in the order
  std::vector<std::int32_t> first_part;  // of each cell, and their number at the end
};

CellParts sort_by_cell(const Cells& cells, std::int64_t n, std::int64_t most_rows);

// Puts the cells of the rows in that order of the rows.
void reorder_ranks(Cells& cells, const std::vector<std::int32_t>& order, int threads);

}  // namespace coterie
