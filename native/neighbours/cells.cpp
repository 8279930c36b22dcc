#include "neighbours/cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "neighbours/descent.h"
#include "support/cpu_dispatch.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_ranking = 1024;  // all cells are laid out anew for so many rows
constexpr std::int64_t rows_per_block_of_cells = 8192;
constexpr std::int64_t most_cells = 16384;
constexpr double cells_per_root = 3;              // of the number of rows
constexpr std::int64_t drawn_rows_per_cell = 24;  // whose means are the centres

void rank_rows(const CodedRows& rows, const std::vector<std::int32_t>& members, const CodedRows& cells, std::int64_t n_ranks,
               std::vector<std::uint16_t>& ranks, int threads) {
  const auto count = static_cast<std::int64_t>(members.size());
  ranks.resize(static_cast<std::size_t>(count * n_ranks));
  parallel_for(block_count(count, rows_per_ranking), threads, [&](std::int64_t task, int) {
    const Range range = block_range(count, rows_per_ranking, task);
    engine().neighbours.rank({rows, members.data() + range.begin, range.size(), cells, nullptr, cells.n, n_ranks,
                              ranks.data() + range.begin * n_ranks, nullptr});
  });
}

// Different rows as counters draw them: one of each of `count` equal stretches.
std::vector<std::int32_t> draw_rows(std::int64_t n, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = n * i / count, end = n * (i + 1) / count;
    drawn[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(
        begin + static_cast<std::int64_t>(mix(seed, static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(end - begin)));
  }
  return drawn;
}

// Means of the members of each cell, in codes; that of a cell without members stays.
template <class Code>
CodedMatrix means_of(const CodedRows& rows, const std::vector<std::int32_t>& members, const std::vector<std::uint16_t>& cell,
                     const CodedRows& before) {
  std::vector<double> sums(static_cast<std::size_t>(before.n * rows.cols), 0.0);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(before.n), 0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Code* codes = codes_of<Code>(rows, members[i]);
    double* sum = sums.data() + cell[i] * rows.cols;
    for (std::int64_t t = 0; t < rows.cols; ++t) sum[t] += codes[t];  // whole numbers: exact
    ++counts[cell[i]];
  }
  for (std::int64_t c = 0; c < before.n; ++c) {
    double* sum = sums.data() + c * rows.cols;
    const std::int64_t count = counts[static_cast<std::size_t>(c)];
    for (std::int64_t t = 0; t < rows.cols; ++t)
      sum[t] = count == 0 ? codes_of<Code>(before, c)[t] : sum[t] / static_cast<double>(count);
  }
  return CodedMatrix(sums, rows.cols, rows);
}

}  // namespace

std::int64_t cells_wanted(std::int64_t n) {
  const auto wanted = static_cast<std::int64_t>(cells_per_root * std::sqrt(static_cast<double>(n)));
  return std::clamp<std::int64_t>(wanted, 1, std::min(n, most_cells));
}

Cells find_cells(const CodedRows& rows, std::int64_t n_cells, std::int64_t n_ranks, std::uint64_t seed, int threads) {
  Cells found{n_cells, std::min(n_cells, n_ranks), {}};
  const CodedMatrix start(rows, draw_rows(rows.n, n_cells, mix(seed, 1)), threads);
  const std::vector<std::int32_t> drawn = draw_rows(rows.n, std::min(rows.n, n_cells * drawn_rows_per_cell), mix(seed, 2));
  std::vector<std::uint16_t> cell;
  rank_rows(rows, drawn, start.rows(), 1, cell, threads);
  const CodedMatrix centres =
      rows.is_small ? means_of<std::int8_t>(rows, drawn, cell, start.rows()) : means_of<std::int16_t>(rows, drawn, cell, start.rows());
  std::vector<std::int32_t> everyone(static_cast<std::size_t>(rows.n));
  std::iota(everyone.begin(), everyone.end(), 0);
  rank_rows(rows, everyone, centres.rows(), found.n_ranks, found.ranks, threads);
  return found;
}

void nearest_by_codes(const CodedRows& rows, const std::vector<std::int32_t>& members, std::int64_t m, std::int32_t* out,
                      int threads) {
  const auto count = static_cast<std::int64_t>(members.size()), n_blocks = block_count(rows.n, rows_per_block_of_cells);
  std::vector<std::pair<std::int32_t, std::int32_t>> nearest(static_cast<std::size_t>(count * n_blocks * m), {0x7fffffff, -1});
  parallel_for(n_blocks, threads, [&](std::int64_t block, int) {
    const Range range = block_range(rows.n, rows_per_block_of_cells, block);
    CodedRows cells = rows;  // each row as a cell of its own
    if (rows.is_small) {
      cells.small_values += range.begin * rows.stride;
      cells.sums += range.begin;
    } else {
      cells.values += range.begin * rows.stride;
    }
    cells.terms += range.begin;
    cells.n = range.size();
    const std::int64_t n_ranks = std::min(m, cells.n);
    std::vector<std::uint16_t> ranks(static_cast<std::size_t>(count * n_ranks));
    std::vector<std::int32_t> keys(ranks.size());
    engine().neighbours.rank({rows, members.data(), count, cells, nullptr, cells.n, n_ranks, ranks.data(), keys.data()});
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t e = 0; e < n_ranks; ++e) {
        const auto at = static_cast<std::size_t>(i * n_ranks + e);
        nearest[static_cast<std::size_t>((i * n_blocks + block) * m + e)] = {keys[at],
                                                                             static_cast<std::int32_t>(range.begin + ranks[at])};
      }
  });
  parallel_for(count, threads, [&](std::int64_t i, int) {
    const auto first = nearest.begin() + i * n_blocks * m;
    std::partial_sort(first, first + m, first + n_blocks * m);
    for (std::int64_t e = 0; e < m; ++e) out[i * m + e] = (first + e)->second;
  });
}

CellParts sort_by_cell(const Cells& cells, std::int64_t n, std::int64_t most_rows) {
  CellParts out;
  std::vector<std::int64_t> starts(static_cast<std::size_t>(cells.n_cells) + 1, 0);
  const auto cell_of = [&](std::int64_t i) {
    return static_cast<std::size_t>(cells.ranks[static_cast<std::size_t>(i * cells.n_ranks)]);
  };
  for (std::int64_t i = 0; i < n; ++i) ++starts[cell_of(i) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  out.order.resize(static_cast<std::size_t>(n));
  std::vector<std::int64_t> at(starts.begin(), starts.end() - 1);
  for (std::int64_t i = 0; i < n; ++i) out.order[static_cast<std::size_t>(at[cell_of(i)]++)] = static_cast<std::int32_t>(i);
  for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
    out.first_part.push_back(static_cast<std::int32_t>(out.parts.size()));
    const std::int64_t size = starts[c + 1] - starts[c], n_parts = block_count(size, most_rows);
    for (std::int64_t p = 0; p < n_parts; ++p)
      out.parts.push_back({starts[c] + size * p / n_parts, starts[c] + size * (p + 1) / n_parts});
  }
  out.first_part.push_back(static_cast<std::int32_t>(out.parts.size()));
  return out;
}

void reorder_ranks(Cells& cells, const std::vector<std::int32_t>& order, int threads) {
  std::vector<std::uint16_t> sorted(cells.ranks.size());
  const auto n = static_cast<std::int64_t>(order.size());
  parallel_for(block_count(n, rows_per_ranking), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, rows_per_ranking, task);
    for (std::int64_t i = range.begin; i < range.end; ++i)
      std::copy_n(cells.ranks.begin() + order[static_cast<std::size_t>(i)] * cells.n_ranks, cells.n_ranks,
                  sorted.begin() + i * cells.n_ranks);
  });
  cells.ranks.swap(sorted);
}

}  // namespace coterie
