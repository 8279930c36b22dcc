#include "linkage/first_rounds.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "linkage/matrix_linkage.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie {
namespace {

constexpr std::int64_t rows_per_cluster_left = 12;  // then the matrix takes less time than another search
constexpr std::int64_t most_members = 128;          // of a cluster: the distances of two clusters take the product of their sizes
constexpr std::int64_t least_merging = 50;         // rounds go on if one cluster in so many merges
constexpr double least_shrinking = 0.8;            // and searches, if those before left no more than this share of the clusters
constexpr std::int64_t clusters_per_task = 64;

template <class T>
std::unique_ptr<T, void (*)(void*)> memory_of(std::int64_t count) {
  return {static_cast<T*>(allocate_aligned(static_cast<std::size_t>(count) * sizeof(T))), [](void* memory) { free_aligned(memory); }};
}

}  // namespace

// What became of the positions before a round.
template <class T>
struct FirstRounds<T>::Parts {
  std::vector<std::int32_t> moved;          // per position before: where it is now
  std::vector<std::int32_t> first, second;  // per position now: what it was before; second is -1 if it did not merge
};

template <class T>
FirstRounds<T>::FirstRounds(const MatrixView<T>& rows, const Metric& metric, LinkageRule rule, int threads)
    : rule_(rule), threads_(threads), clusters_(rows, metric, rule, threads), lists_(clusters_.nearest_of_rows()) {
  const std::int64_t enough = rows.rows / rows_per_cluster_left;
  for (;;) {
    const std::int64_t before = n_left();
    while (n_left() > enough && merge_mutual()) check_interrupt();
    if (n_left() <= enough || static_cast<double>(n_left()) > least_shrinking * static_cast<double>(before)) return;
    search_waiting();
  }
}

template <class T>
std::vector<PositionPair<T>> FirstRounds<T>::mutual_pairs() const {
  std::vector<PositionPair<T>> pairs;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (lists_[i].count == 0) continue;
    const auto own = static_cast<std::int32_t>(i), at = lists_[i].nearest[0].at;
    const NearClusters<T>& other = lists_[static_cast<std::size_t>(at)];
    if (at <= own || other.count == 0 || other.nearest[0].at != own) continue;
    if (clusters_.size(own) + clusters_.size(at) <= most_members) pairs.push_back({own, at, lists_[i].nearest[0].distance});
  }
  return pairs;
}

// Returns whether another round is worth its time.
template <class T>
bool FirstRounds<T>::merge_mutual() {
  const std::vector<PositionPair<T>> pairs = mutual_pairs();
  if (pairs.empty()) return false;
  const std::vector<std::int32_t>& slots = clusters_.slots();
  for (const PositionPair<T>& pair : pairs)
    merges_.push_back(
        {slots[static_cast<std::size_t>(pair.first)], slots[static_cast<std::size_t>(pair.second)], static_cast<double>(pair.height)});
  const bool is_fruitful = least_merging * static_cast<std::int64_t>(pairs.size()) >= n_left();
  Parts parts{clusters_.merge(pairs), {}, {}};
  parts.first.assign(static_cast<std::size_t>(n_left()), -1);
  parts.second.assign(static_cast<std::size_t>(n_left()), -1);
  for (std::size_t i = 0; i < parts.moved.size(); ++i) {
    const auto now = static_cast<std::size_t>(parts.moved[i]);
    (parts.first[now] < 0 ? parts.first : parts.second)[now] = static_cast<std::int32_t>(i);
  }
  renew(parts);
  return is_fruitful;
}

template <class T>
void FirstRounds<T>::renew(const Parts& parts) {
  std::vector<NearClusters<T>> lists(parts.first.size());
  parallel_for(block_count(n_left(), clusters_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n_left(), clusters_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i)
      renew_list(static_cast<std::int32_t>(i), parts, lists[static_cast<std::size_t>(i)]);
  });
  lists_ = std::move(lists);
}

// The clusters that the lists of its parts name, those within the bound of both.
template <class T>
void FirstRounds<T>::renew_list(std::int32_t cluster, const Parts& parts, NearClusters<T>& list) const {
  NearCluster<T> candidates[2 * near_count];
  std::int32_t changed[2 * near_count];
  T distances[2 * near_count];
  std::int64_t count = 0, n_changed = 0;
  const auto has = [&](std::int32_t at) {
    return std::any_of(candidates, candidates + count, [&](const NearCluster<T>& one) { return one.at == at; }) ||
           std::find(changed, changed + n_changed, at) != changed + n_changed;
  };
  const std::int32_t own[] = {parts.first[static_cast<std::size_t>(cluster)], parts.second[static_cast<std::size_t>(cluster)]};
  list.others = std::numeric_limits<T>::infinity();
  for (const std::int32_t part : own) {
    if (part < 0) continue;
    const NearClusters<T>& before = lists_[static_cast<std::size_t>(part)];
    list.others = std::min(list.others, before.others);
    for (std::int32_t k = 0; k < before.count; ++k) {
      const std::int32_t at = parts.moved[static_cast<std::size_t>(before.nearest[k].at)];
      if (at == cluster || has(at)) continue;
      if (own[1] >= 0 || parts.second[static_cast<std::size_t>(at)] >= 0)
        changed[n_changed++] = at;
      else
        candidates[count++] = {at, before.nearest[k].distance};
    }
  }
  if (n_changed > 0) clusters_.between(cluster, changed, n_changed, distances);
  for (std::int64_t k = 0; k < n_changed; ++k) candidates[count++] = {changed[k], distances[k]};
  list.keep(candidates, count);
}

template <class T>
void FirstRounds<T>::search_waiting() {
  std::vector<std::int32_t> waiting;
  for (std::int64_t i = 0; i < n_left(); ++i)
    if (lists_[static_cast<std::size_t>(i)].count == 0) waiting.push_back(static_cast<std::int32_t>(i));
  clusters_.nearest(waiting, lists_);
}

template <class T>
void FirstRounds<T>::link(double* out) const {
  const std::int64_t left = n_left();
  const auto square = memory_of<T>(left * left);
  clusters_.fill(square.get());
  std::vector<SlotMerge> merges = merges_;
  const std::vector<SlotMerge> rest =
      matrix_linkage(square.get(), StartingClusters<T>{clusters_.slots(), clusters_.sizes()}, rule_, threads_);
  merges.insert(merges.end(), rest.begin(), rest.end());
  make_monotone(merges, clusters_.n_rows());
  write_linkage(merges, clusters_.n_rows(), out);
}

template class FirstRounds<float>;
template class FirstRounds<double>;

}  // namespace coterie
