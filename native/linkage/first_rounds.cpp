#include "linkage/first_rounds.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "linkage/matrix_linkage.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

constexpr std::size_t most_rounds = 2;      // each takes the time of a matrix of distances
constexpr std::int64_t least_merging = 10;  // a round goes on if one cluster in so many merges
constexpr std::int64_t clusters_per_task = 8;
constexpr std::int64_t most_members = clusters_per_task << most_rounds;

template <class T>
const LinkageKernels<T>& kernels() {
  return engine().of<T>().linkage;
}

template <class T>
std::unique_ptr<T, void (*)(void*)> memory_of(std::int64_t count) {
  return {static_cast<T*>(allocate_aligned(static_cast<std::size_t>(count) * sizeof(T))), [](void* memory) { free_aligned(memory); }};
}

}  // namespace

template <class T>
FirstRounds<T>::FirstRounds(const MatrixView<T>& rows, const Metric& metric, LinkageRule rule, int threads)
    : rows_(rows),
      metric_(metric),
      rule_(rule),
      threads_(threads),
      shift_(centring_shift(rows, metric, threads)),
      pack_(rows, shift_.empty() ? nullptr : shift_.data(), metric, threads),
      zeros_(static_cast<std::size_t>(rows.rows), T(0)),
      slots_(static_cast<std::size_t>(rows.rows)),
      sizes_(static_cast<std::size_t>(rows.rows), T(1)),
      members_(static_cast<std::size_t>(rows.rows)),
      starts_(static_cast<std::size_t>(rows.rows) + 1) {
  std::iota(slots_.begin(), slots_.end(), 0);
  std::iota(members_.begin(), members_.end(), 0);
  std::iota(starts_.begin(), starts_.end(), 0);
  while (rounds_.size() < most_rounds && merge_mutual(nearest_of_all())) continue;
}

template <class T>
std::vector<typename FirstRounds<T>::Nearest> FirstRounds<T>::nearest_of_all() const {
  std::vector<Nearest> nearest(slots_.size());
  if (rounds_.empty()) {
    std::vector<std::int32_t> at(slots_.size());
    std::vector<T> distance(slots_.size());
    const TileProblem<T> problem{rows_, shift_.empty() ? nullptr : shift_.data(), pack_.columns(), metric_, threads_};
    engine().of<T>().tiles.smallest(problem, {1, at.data(), distance.data(), true});
    for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = {at[i], distance[i]};
    return nearest;
  }
  for_all_rows([&](std::int64_t cluster, const T* row) {
    RowMinimum<T> found;
    kernels<T>().least_of_row(row, zeros_.data(), n_left(), found);
    nearest[static_cast<std::size_t>(cluster)] = {found.at, found.least};
  });
  return nearest;
}

// Returns whether another round is worth its time.
template <class T>
bool FirstRounds<T>::merge_mutual(const std::vector<Nearest>& nearest) {
  Round round;
  round.merge_of.assign(nearest.size(), -1);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const std::int32_t at = nearest[i].at;
    if (at <= static_cast<std::int32_t>(i) || nearest[static_cast<std::size_t>(at)].at != static_cast<std::int32_t>(i)) continue;
    const auto second = static_cast<std::size_t>(at);
    round.merge_of[i] = round.merge_of[second] = static_cast<std::int32_t>(round.merges.count());
    round.merges.push_back({static_cast<std::int32_t>(i), at, sizes_[i], sizes_[second], T(0), T(0), nearest[i].distance});
  }
  if (round.merges.count() == 0) return false;
  const bool is_fruitful = least_merging * round.merges.count() >= n_left();
  finish_round(std::move(round));
  return is_fruitful;
}

template <class T>
void FirstRounds<T>::finish_round(Round&& round) {
  std::vector<std::int32_t> slots, members;
  std::vector<T> sizes;
  std::vector<std::int64_t> starts{0};
  round.moved.assign(round.merge_of.size(), -1);
  const auto append = [&](std::size_t cluster) {
    members.insert(members.end(), members_.begin() + starts_[cluster], members_.begin() + starts_[cluster + 1]);
  };
  for (std::size_t i = 0; i < round.merge_of.size(); ++i) {
    const std::int32_t at = round.merge_of[i];
    const ColumnMerge<T>* merge = at < 0 ? nullptr : &round.merges.all[static_cast<std::size_t>(at)];
    if (merge != nullptr && merge->second == static_cast<std::int32_t>(i)) continue;
    round.moved[i] = static_cast<std::int32_t>(round.kept.size());
    round.kept.push_back(static_cast<std::int32_t>(i));
    append(i);
    slots.push_back(slots_[i]);
    sizes.push_back(sizes_[i]);
    if (merge != nullptr) {
      const auto second = static_cast<std::size_t>(merge->second);
      append(second);
      sizes.back() += sizes_[second];
      merges_.push_back({slots_[i], slots_[second], static_cast<double>(merge->height)});
    }
    starts.push_back(static_cast<std::int64_t>(members.size()));
  }
  slots_ = std::move(slots);
  sizes_ = std::move(sizes);
  members_ = std::move(members);
  starts_ = std::move(starts);
  rounds_.push_back(std::move(round));
}

// Calls use(cluster, its distances to all clusters), from any thread.
template <class T>
void FirstRounds<T>::for_all_rows(const std::function<void(std::int64_t, const T*)>& use) const {
  const std::int64_t row_cells = rows_.rows + rows_.cols;
  const auto memory = memory_of<T>(resolve_threads(threads_) * most_members * row_cells);
  parallel_for(block_count(n_left(), clusters_per_task), threads_, [&](std::int64_t task, int thread) {
    const Range clusters = block_range(n_left(), clusters_per_task, task);
    Block block;
    compute(clusters, memory.get() + thread * most_members * row_cells, block);
    for (std::size_t q = 0; q < block.row.size(); ++q) use(clusters.begin + static_cast<std::int64_t>(q), block.row[q]);
  });
}

template <class T>
void FirstRounds<T>::compute(Range clusters, T* memory, Block& block) const {
  const std::int64_t first = starts_[static_cast<std::size_t>(clusters.begin)];
  const std::int64_t count = starts_[static_cast<std::size_t>(clusters.end)] - first, n = rows_.rows, cols = rows_.cols;
  T* distances = memory + most_members * cols;
  for (std::int64_t q = 0; q < count; ++q) {
    const std::int32_t member = members_[static_cast<std::size_t>(first + q)];
    std::copy(rows_.row(member), rows_.row(member) + cols, memory + q * cols);
    block.at.push_back(member);
    block.row.push_back(distances + q * n);
  }
  const TileProblem<T> problem{{memory, count, cols, cols}, shift_.empty() ? nullptr : shift_.data(), pack_.columns(), metric_, 1};
  engine().of<T>().tiles.store(problem, {distances, count, n, n});
  for (std::size_t q = 0; q < block.row.size(); ++q) block.row[q][block.at[q]] = std::numeric_limits<T>::infinity();
  for (std::size_t round = 0; round < rounds_.size(); ++round) take_in(rounds_[round], width_before(round), block);
}

// Mirrored cells take in two merges in the same order, so that they stay equal to the bit.
template <class T>
void FirstRounds<T>::take_in(const Round& round, std::int64_t width, Block& block) const {
  const auto count = round.merges.count();
  const auto merge_columns = [&](std::int64_t from, std::int64_t to, T* row) {
    kernels<T>().merge_columns(rule_, span_of(round.merges, from, to), T(0), T(0), row);
  };
  std::size_t left = 0;
  for (std::size_t q = 0; q < block.at.size(); ++q, ++left) {
    const std::int32_t at = block.at[q], merge = round.merge_of[static_cast<std::size_t>(at)];
    T* row = block.row[q];
    merge_columns(0, merge < 0 ? count : merge, row);
    if (merge >= 0) {
      const T* second = block.row[++q];
      merge_columns(0, merge, block.row[q]);
      kernels<T>().combine_rows(rule_, round.merges.all[static_cast<std::size_t>(merge)], row, second, zeros_.data(), zeros_.data(),
                                width);
      row[at] = std::numeric_limits<T>::infinity();
      merge_columns(merge + 1, count, row);
    }
    kernels<T>().keep_columns(round.kept.data(), static_cast<std::int64_t>(round.kept.size()), row);
    block.at[left] = round.moved[static_cast<std::size_t>(at)];
    block.row[left] = row;
  }
  block.at.resize(left);
  block.row.resize(left);
}

template <class T>
void FirstRounds<T>::link(double* out) const {
  const std::int64_t left = n_left();
  const auto square = memory_of<T>(left * left);
  for_all_rows([&](std::int64_t cluster, const T* row) { std::copy(row, row + left, square.get() + cluster * left); });
  std::vector<SlotMerge> merges = merges_;
  const std::vector<SlotMerge> rest = matrix_linkage(square.get(), StartingClusters<T>{slots_, sizes_}, rule_, threads_);
  merges.insert(merges.end(), rest.begin(), rest.end());
  make_monotone(merges, rows_.rows);
  write_linkage(merges, rows_.rows, out);
}

template class FirstRounds<float>;
template class FirstRounds<double>;

}  // namespace coterie
