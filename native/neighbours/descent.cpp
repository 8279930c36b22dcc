#include "neighbours/descent.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "neighbours/near_list.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

using COTERIE_ISA::entry_of;
using COTERIE_ISA::insert;
using COTERIE_ISA::offer;
using COTERIE_ISA::row_of;

constexpr std::int64_t rows_per_task = 128;
constexpr std::int64_t most_rows_of_part = 4096;  // of a cell: all rows of a part are compared
constexpr std::int64_t visit_blocks = 16;  // of rows, that are sorted at the same time
constexpr std::int64_t most_probes = 97;  // cells that a row may look into, its own one included

// Offers two rows to each other as candidates, drawn by lot: keys are random numbers of the pair, so that the order of the offers is the
// same to the lists.
void add_candidates(const LockedLists& lists, std::int64_t a, std::int64_t b, std::uint64_t round) {
  const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
  const auto lot = static_cast<std::int32_t>(mix(round, low << 32 | high) >> 33);
  offer(lists, a, entry_of(lot, static_cast<std::int32_t>(b)));
  offer(lists, b, entry_of(lot, static_cast<std::int32_t>(a)));
}

// Copies the rows of a list; returns how many.
std::int64_t copy_rows(const LockedLists& lists, std::int64_t row, std::int32_t* out) {
  const std::uint64_t* list = lists.entries + row * lists.stride;
  std::int64_t count = 0;
  for (; count < lists.size && list[count] != empty_entry; ++count) out[count] = static_cast<std::int32_t>(row_of(list[count]));
  return count;
}

void join_leaves(const CodedRows& rows, const LockedLists& lists, const Partition& partition, int threads) {
  Workspaces workspaces(rows, threads);
  parallel_for(static_cast<std::int64_t>(partition.leaves.size()), threads, [&](std::int64_t task, int thread) {
    const Range leaf = partition.leaves[static_cast<std::size_t>(task)];
    engine().neighbours.join({rows, lists, partition.order.data() + leaf.begin, leaf.size(), leaf.size(), workspaces.of(thread)});
  });
}

template <class Body>
void for_each_row(std::int64_t n, int threads, const Body& body) {
  parallel_for(block_count(n, rows_per_task), threads, [&](std::int64_t task, int thread) {
    const Range range = block_range(n, rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) body(i, thread);
  });
}

}  // namespace

ListStore::ListStore(std::int64_t n, std::int64_t size, int threads)
    : n_(n),
      entries_(allocate_aligned(static_cast<std::size_t>(n * room_of_list(size)) * sizeof(std::uint64_t)), free_aligned),
      last_(static_cast<std::size_t>(n)),
      locks_(static_cast<std::size_t>(n)) {
  lists_ = {static_cast<std::uint64_t*>(entries_.get()), last_.data(), locks_.data(), size, room_of_list(size)};
  clear(threads);
}

void ListStore::clear(int threads) {
  for_each_row(n_, threads, [&](std::int64_t i, int) {
    std::fill_n(lists_.entries + i * lists_.stride, lists_.stride, empty_entry);
    lists_.last[i] = empty_entry;
  });
}

NeighbourDescent::NeighbourDescent(const CodedMatrix& rows, std::int64_t list_size, std::int64_t leaf_size, std::uint64_t seed,
                                   int threads)
    : NeighbourDescent(rows, list_size, leaf_size, seed, find_start(rows.rows(), leaf_size, mix(seed, 0), threads), threads) {}

NeighbourDescent::Start NeighbourDescent::find_start(const CodedRows& rows, std::int64_t leaf_size, std::uint64_t seed, int threads) {
  if (rows.kind != CodeKind::product) {
    Partition leaves = partition_rows(rows, leaf_size, seed, threads);
    return {std::move(leaves.order), std::move(leaves.leaves), {}, {}};
  }
  Cells cells = find_cells(rows, cells_wanted(rows.n), most_probes, seed, threads);
  CellParts sorted = sort_by_cell(cells, rows.n, most_rows_of_part);
  reorder_ranks(cells, sorted.order, threads);
  return {std::move(sorted.order), std::move(sorted.parts), std::move(sorted.first_part), std::move(cells)};
}

NeighbourDescent::NeighbourDescent(const CodedMatrix& rows, std::int64_t list_size, std::int64_t leaf_size, std::uint64_t seed,
                                   Start start, int threads)
    : leaf_size_(leaf_size),
      seed_(seed),
      start_(std::move(start)),
      sorted_(start_.order.size()),
      rows_(rows.rows(), start_.order, threads),
      near_(rows.rows().n, list_size, threads) {
  for (std::size_t i = 0; i < sorted_.size(); ++i) sorted_[static_cast<std::size_t>(start_.order[i])] = static_cast<std::int32_t>(i);
  Partition first{std::vector<std::int32_t>(sorted_.size()), start_.parts};
  std::iota(first.order.begin(), first.order.end(), 0);
  join_leaves(rows_.rows(), near_.lists(), first, threads);
}

void NeighbourDescent::plant(int threads) {
  join_leaves(rows_.rows(), near_.lists(), partition_rows(rows_.rows(), leaf_size_, mix(seed_, n_partitions_++), threads), threads);
}

std::int64_t NeighbourDescent::part_of(std::int64_t row, std::int64_t rank) const {
  const Cells& cells = start_.cells;
  const auto cell = static_cast<std::size_t>(cells.ranks[static_cast<std::size_t>(row * cells.n_ranks + rank)]);
  const std::int64_t first = start_.first_part[cell], count = start_.first_part[cell + 1] - first;
  return count == 0 ? -1 : first + (count == 1 ? 0 : row % count);
}

NeighbourDescent::Visits NeighbourDescent::sort_visits(std::int64_t begin, std::int64_t end, int threads) {
  const auto n_parts = static_cast<std::int64_t>(start_.parts.size()), n_blocks = std::min<std::int64_t>(n(), visit_blocks);
  const auto for_each_visit = [&](const auto& visit) {
    parallel_for(n_blocks, threads, [&](std::int64_t block, int) {
      for (std::int64_t i = n() * block / n_blocks; i < n() * (block + 1) / n_blocks; ++i)
        for (std::int64_t rank = begin; rank < end; ++rank)
          if (const std::int64_t part = part_of(i, rank); part >= 0) visit(part * n_blocks + block, static_cast<std::int32_t>(i));
    });
  };
  std::vector<std::int64_t> at(static_cast<std::size_t>(n_parts * n_blocks) + 1, 0);  // of each part, block by block
  for_each_visit([&](std::int64_t place, std::int32_t) { ++at[static_cast<std::size_t>(place) + 1]; });
  std::partial_sum(at.begin(), at.end(), at.begin());
  Visits visits;
  for (std::int64_t part = 0; part <= n_parts; ++part) visits.starts.push_back(at[static_cast<std::size_t>(part * n_blocks)]);
  visiting_.resize(std::max(visiting_.size(), static_cast<std::size_t>(at.back())));
  visits.rows = visiting_.data();
  for_each_visit([&](std::int64_t place, std::int32_t row) { visits.rows[at[static_cast<std::size_t>(place)]++] = row; });
  return visits;
}

std::int64_t NeighbourDescent::probe(std::int64_t n_cells, int threads) {
  const std::int64_t end = std::min(start_.cells.n_ranks, n_probed_ + n_cells),
                     n_parts = static_cast<std::int64_t>(start_.parts.size());
  if (end <= n_probed_) return 0;
  const Visits visits = sort_visits(n_probed_, end, threads);
  std::vector<std::int64_t> n_pairs(static_cast<std::size_t>(n_parts));
  parallel_for(n_parts, threads, [&](std::int64_t task, int) {
    const auto part = static_cast<std::size_t>(task);
    const Range range = start_.parts[part];
    const std::int64_t count = visits.starts[part + 1] - visits.starts[part];
    std::vector<std::int32_t> members(static_cast<std::size_t>(range.size()));
    std::iota(members.begin(), members.end(), static_cast<std::int32_t>(range.begin));
    engine().neighbours.compare(
        {rows_.rows(), near_.lists(), visits.rows + visits.starts[part], count, members.data(), range.size(), false});
    n_pairs[part] = count * range.size();
  });
  n_probed_ = end;
  return std::accumulate(n_pairs.begin(), n_pairs.end(), std::int64_t{0});
}

std::int64_t NeighbourDescent::improve(std::int64_t n_candidates, int threads) {
  const LockedLists& near = near_.lists();
  const std::int64_t count = n(), size = near.size;
  const std::uint64_t round = mix(seed_, 1000000 + n_rounds_++);
  for (std::optional<ListStore>* store : {&fresh_, &known_}) {
    if (!*store || (*store)->lists().size != n_candidates)
      store->emplace(count, n_candidates, threads);
    else
      (*store)->clear(threads);
  }
  const LockedLists &fresh = fresh_->lists(), &known = known_->lists();
  for_each_row(count, threads, [&](std::int64_t i, int) {
    for (std::int64_t e = i * near.stride; e < i * near.stride + size && near.entries[e] != empty_entry; ++e)
      add_candidates((near.entries[e] & 1) != 0 ? fresh : known, i, row_of(near.entries[e]), round);
  });
  for_each_row(count, threads, [&](std::int64_t i, int) {
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(n_candidates));
    drawn.resize(static_cast<std::size_t>(copy_rows(fresh, i, drawn.data())));
    for (std::int64_t e = i * near.stride; e < i * near.stride + size && near.entries[e] != empty_entry; ++e)
      if ((near.entries[e] & 1) != 0 &&
          std::find(drawn.begin(), drawn.end(), static_cast<std::int32_t>(row_of(near.entries[e]))) != drawn.end())
        near.entries[e] &= ~std::uint64_t{1};
  });
  Workspaces workspaces(rows_.rows(), threads);
  for_each_row(count, threads, [&](std::int64_t i, int thread) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(2 * n_candidates));
    const std::int64_t n_fresh = copy_rows(fresh, i, ids.data());
    if (n_fresh == 0) return;
    const std::int64_t n_known = copy_rows(known, i, ids.data() + n_fresh);
    engine().neighbours.join({rows_.rows(), near, ids.data(), n_fresh, n_fresh + n_known, workspaces.of(thread)});
  });
  std::vector<std::int64_t> news(static_cast<std::size_t>(block_count(count, rows_per_task)));
  for_each_row(count, threads, [&](std::int64_t i, int) {
    for (std::int64_t e = i * near.stride; e < i * near.stride + size && near.entries[e] != empty_entry; ++e)
      news[static_cast<std::size_t>(i / rows_per_task)] += static_cast<std::int64_t>(near.entries[e] & 1);
  });
  return std::accumulate(news.begin(), news.end(), std::int64_t{0});
}

void NeighbourDescent::widen(std::int64_t list_size, int threads) {
  ListStore wider(n(), list_size, threads);
  const LockedLists &from = near_.lists(), &to = wider.lists();
  for_each_row(n(), threads, [&](std::int64_t i, int) {
    for (std::int64_t e = 0; e < std::min(from.size, to.size); ++e)
      to.entries[i * to.stride + e] = from.entries[i * from.stride + e] | 1;
    to.last[i] = to.entries[i * to.stride + to.size - 1];
  });
  near_ = std::move(wider);
}

void NeighbourDescent::copy_list(std::int64_t row, std::int32_t* out) const {
  const LockedLists& near = near_.lists();
  const std::uint64_t* list = near.entries + sorted_[static_cast<std::size_t>(row)] * near.stride;
  for (std::int64_t e = 0; e < near.size; ++e)
    out[e] = list[e] == empty_entry ? -1 : start_.order[static_cast<std::size_t>(row_of(list[e]))];
}

template <class T>
void NeighbourDescent::rerank(const MatrixView<T>& X, std::int64_t m, std::int64_t k, std::int64_t* index, T* squares,
                              int threads) const {
  const LockedLists& near = near_.lists();
  for_each_row(n(), threads, [&](std::int64_t i, int) {  // sorted: the neighbours of one row are near those of the next in memory
    std::vector<std::int32_t> ids;
    for (std::int64_t e = i * near.stride; e < i * near.stride + m && near.entries[e] != empty_entry; ++e)
      ids.push_back(start_.order[static_cast<std::size_t>(row_of(near.entries[e]))]);
    const auto count = static_cast<std::int64_t>(ids.size());
    const std::int64_t own = start_.order[static_cast<std::size_t>(i)];
    std::vector<T> found(ids.size());
    if constexpr (sizeof(T) == 4)
      engine().neighbours.squares_of_floats(X.row(own), X.data, X.stride, X.cols, ids.data(), count, found.data());
    else
      engine().neighbours.squares_of_doubles(X.row(own), X.data, X.stride, X.cols, ids.data(), count, found.data());
    std::vector<std::pair<T, std::int32_t>> order(ids.size());
    for (std::size_t e = 0; e < ids.size(); ++e) order[e] = {found[e], ids[e]};
    std::sort(order.begin(), order.end());
    for (std::int64_t e = 0; e < k; ++e) {
      index[own * k + e] = e < count ? order[static_cast<std::size_t>(e)].second : -1;
      squares[own * k + e] = e < count ? order[static_cast<std::size_t>(e)].first : std::numeric_limits<T>::infinity();
    }
  });
}

template void NeighbourDescent::rerank(const MatrixView<float>&, std::int64_t, std::int64_t, std::int64_t*, float*, int) const;
template void NeighbourDescent::rerank(const MatrixView<double>&, std::int64_t, std::int64_t, std::int64_t*, double*, int) const;

void NeighbourDescent::copy_graph(std::int64_t degree, std::int32_t* out, int threads) const {
  const ListStore store(n(), degree, threads);
  const LockedLists &near = near_.lists(), &both = store.lists();
  for_each_row(n(), threads, [&](std::int64_t i, int) {
    for (std::int64_t e = i * near.stride; e < i * near.stride + near.size && near.entries[e] != empty_entry; ++e) {
      const std::uint64_t entry = near.entries[e] | 1;
      offer(both, i, entry);
      offer(both, row_of(entry), (entry >> 32 << 32) | static_cast<std::uint64_t>(i) << 1 | 1);
    }
  });
  for_each_row(n(), threads, [&](std::int64_t i, int) {
    std::int32_t* to = out + start_.order[static_cast<std::size_t>(i)] * degree;
    std::fill_n(to, degree, -1);
    const std::uint64_t* list = both.entries + i * both.stride;
    for (std::int64_t e = 0; e < degree && list[e] != empty_entry; ++e)
      to[e] = start_.order[static_cast<std::size_t>(row_of(list[e]))];
  });
}

void search_graph(const CodedMatrix& queries, const CodedMatrix& rows, const std::int32_t* graph, std::int64_t degree,
                  const std::int32_t* doors, std::int64_t n_doors, std::int64_t size, std::int32_t* out, int threads) {
  const std::int64_t n = queries.rows().n;
  const int n_threads = resolve_threads(threads);
  Workspaces workspaces(rows.rows(), threads);
  std::vector<std::vector<std::uint32_t>> visits(static_cast<std::size_t>(n_threads));
  for_each_row(n, threads, [&](std::int64_t i, int thread) {
    auto& seen = visits[static_cast<std::size_t>(thread)];
    seen.resize(static_cast<std::size_t>(rows.rows().n));
    std::vector<std::uint64_t> found(static_cast<std::size_t>(room_of_list(size)));
    engine().neighbours.search(
        {rows.rows(), queries.rows(), i, graph, degree, doors, n_doors, seen.data(), found.data(), size, workspaces.of(thread)});
    for (std::int64_t e = 0; e < size; ++e)
      out[i * size + e] = found[static_cast<std::size_t>(e)] == empty_entry
                              ? -1
                              : static_cast<std::int32_t>(row_of(found[static_cast<std::size_t>(e)]));
  });
}

template <class T>
void keep_nearest(const std::int32_t* near, const T* distances, std::int64_t n, std::int64_t m, std::int64_t k, std::int64_t* index,
                  T* out, int threads) {
  for_each_row(n, threads, [&](std::int64_t i, int) {
    std::vector<std::pair<T, std::int32_t>> row(static_cast<std::size_t>(m));
    for (std::int64_t e = 0; e < m; ++e) row[static_cast<std::size_t>(e)] = {distances[i * m + e], near[i * m + e]};
    std::sort(row.begin(), row.end());
    for (std::int64_t e = 0; e < k; ++e) {
      out[i * k + e] = row[static_cast<std::size_t>(e)].first;
      index[i * k + e] = row[static_cast<std::size_t>(e)].second;
    }
  });
}

template void keep_nearest(const std::int32_t*, const float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t*, float*, int);
template void keep_nearest(const std::int32_t*, const double*, std::int64_t, std::int64_t, std::int64_t, std::int64_t*, double*, int);

}  // namespace coterie
