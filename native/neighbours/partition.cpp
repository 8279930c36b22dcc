#include "neighbours/partition.h"

#include <algorithm>
#include <numeric>

#include "support/cpu_dispatch.h"

namespace coterie {
namespace {

constexpr std::int64_t most_pivots = 16;
constexpr std::int64_t rows_per_assignment = 512;

struct Cell {
  Range range;
  std::uint64_t path;  // which pivots led here: seeds the next ones
  std::vector<std::int32_t> pivots;
};

std::int64_t pivots_wanted(std::int64_t count, std::int64_t leaf_size) {
  return std::clamp<std::int64_t>(2 * count / leaf_size, 2, most_pivots);
}

// Different rows of the cell, as the counters draw them.
std::vector<std::int32_t> draw_pivots(const std::vector<std::int32_t>& order, const Cell& cell, std::int64_t leaf_size) {
  const auto count = static_cast<std::uint64_t>(cell.range.size());
  const auto wanted = static_cast<std::size_t>(pivots_wanted(cell.range.size(), leaf_size));
  std::vector<std::int32_t> pivots;
  for (std::uint64_t draw = 0; pivots.size() < wanted && draw < 4 * most_pivots; ++draw) {
    const std::int32_t row = order[static_cast<std::size_t>(cell.range.begin) + mix(cell.path, draw) % count];
    if (std::find(pivots.begin(), pivots.end(), row) == pivots.end()) pivots.push_back(row);
  }
  return pivots;
}

// Cuts a cell into pieces of the size of a leaf where no pivot tells its rows apart.
void cut_evenly(const Range& range, std::int64_t leaf_size, std::vector<Range>& leaves) {
  for (std::int64_t begin = range.begin; begin < range.end; begin += leaf_size)
    leaves.push_back({begin, std::min(begin + leaf_size, range.end)});
}

// Sorts the rows of a cell by group, stably, and hands on the groups.
void split_cell(const Cell& cell, const std::vector<std::uint8_t>& groups, std::int64_t leaf_size, Partition& out,
                std::vector<std::int32_t>& spare, std::vector<Cell>& next) {
  std::int64_t starts[most_pivots + 1] = {};
  for (std::int64_t i = cell.range.begin; i < cell.range.end; ++i) ++starts[groups[static_cast<std::size_t>(i)] + 1];
  for (std::int64_t g = 0; g < most_pivots; ++g) {
    if (starts[g + 1] == cell.range.size()) return cut_evenly(cell.range, leaf_size, out.leaves);
    starts[g + 1] += starts[g];
  }
  std::int64_t at[most_pivots];
  std::copy_n(starts, most_pivots, at);
  for (std::int64_t i = cell.range.begin; i < cell.range.end; ++i)
    spare[static_cast<std::size_t>(cell.range.begin + at[groups[static_cast<std::size_t>(i)]]++)] =
        out.order[static_cast<std::size_t>(i)];
  std::copy(spare.begin() + cell.range.begin, spare.begin() + cell.range.end, out.order.begin() + cell.range.begin);
  for (std::int64_t g = 0; g < most_pivots; ++g) {
    const Range range{cell.range.begin + starts[g], cell.range.begin + starts[g + 1]};
    if (range.size() == 0) continue;
    if (range.size() <= leaf_size)
      out.leaves.push_back(range);
    else
      next.push_back({range, mix(cell.path, 1000 + static_cast<std::uint64_t>(g)), {}});
  }
}

}  // namespace

Workspaces::Workspaces(const CodedRows& rows, int threads) : cols_(rows.kind == CodeKind::sparse ? rows.cols : 0) {
  zeros_.resize(static_cast<std::size_t>(cols_ * resolve_threads(threads)));
}

std::int32_t* Workspaces::of(int thread) { return cols_ == 0 ? nullptr : zeros_.data() + thread * cols_; }

Partition partition_rows(const CodedRows& rows, std::int64_t leaf_size, std::uint64_t seed, int threads) {
  Partition out;
  out.order.resize(static_cast<std::size_t>(rows.n));
  std::iota(out.order.begin(), out.order.end(), 0);
  std::vector<std::int32_t> spare(out.order.size());
  std::vector<std::uint8_t> groups(out.order.size());
  std::vector<Cell> cells, next;
  if (rows.n <= leaf_size)
    out.leaves.push_back({0, rows.n});
  else
    cells.push_back({{0, rows.n}, seed, {}});
  Workspaces workspaces(rows, threads);
  while (!cells.empty()) {
    std::vector<std::pair<std::size_t, Range>> tasks;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      cells[c].pivots = draw_pivots(out.order, cells[c], leaf_size);
      for (std::int64_t begin = cells[c].range.begin; begin < cells[c].range.end; begin += rows_per_assignment)
        tasks.push_back({c, {begin, std::min(begin + rows_per_assignment, cells[c].range.end)}});
    }
    parallel_for(static_cast<std::int64_t>(tasks.size()), threads, [&](std::int64_t task, int thread) {
      const auto& [c, range] = tasks[static_cast<std::size_t>(task)];
      engine().neighbours.assign({rows, out.order.data() + range.begin, range.size(), cells[c].pivots.data(),
                                  static_cast<std::int64_t>(cells[c].pivots.size()), groups.data() + range.begin,
                                  workspaces.of(thread)});
    });
    next.clear();
    for (const Cell& cell : cells) split_cell(cell, groups, leaf_size, out, spare, next);
    cells.swap(next);
  }
  std::sort(out.leaves.begin(), out.leaves.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return out;
}

}  // namespace coterie
