#include "linkage/matrix_linkage.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "linkage/merge_matrix.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t least_searched_cells = 1 << 15;

// What both engines know about a cluster's nearest neighbour.
template <class T>
struct NearestCluster {
  T distance;       // exact if `at` is known, else a lower bound
  T others;         // what all other clusters are at least
  std::int32_t at;         // -1: unknown
  std::int32_t others_at;  // the nearest of the others, -1: unknown
};

template <class T>
class MatrixEngine {
 public:
  MatrixEngine(T* square, StartingClusters<T> clusters, LinkageRule rule, int threads)
      : matrix_(square, std::move(clusters), rule, threads),
        threads_(threads),
        neighbours_(static_cast<std::size_t>(matrix_.width())) {
    merges_.reserve(neighbours_.size());
  }

 protected:
  NearestCluster<T>& neighbour(std::int64_t position) { return neighbours_[static_cast<std::size_t>(position)]; }

  void search(const std::vector<std::int32_t>& positions) {
    const auto count = static_cast<std::int64_t>(positions.size());
    const int threads = count * matrix_.width() < least_searched_cells ? 1 : threads_;
    parallel_for(count, threads, [&](std::int64_t task, int) {
      const std::int32_t position = positions[static_cast<std::size_t>(task)];
      const RowMinimum<T> found = matrix_.nearest(position);
      neighbour(position) = {found.least, found.others, found.at, found.others_at};
    });
  }

  void search_all() {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < matrix_.width(); ++i)
      if (matrix_.is_live(i)) all.push_back(static_cast<std::int32_t>(i));
    search(all);
  }

  void merge(const std::vector<PositionPair<T>>& pairs) {
    for (const PositionPair<T>& pair : pairs)
      merges_.push_back({matrix_.slot(pair.first), matrix_.slot(pair.second), static_cast<double>(pair.height)});
    matrix_.merge(pairs);
  }

  void compact() {
    const std::vector<std::int32_t> moved = matrix_.compact_if_worthwhile();
    if (moved.empty()) return;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (moved[i] < 0) continue;
      NearestCluster<T> now = neighbours_[i];
      for (std::int32_t* at : {&now.at, &now.others_at})
        if (*at >= 0) *at = moved[static_cast<std::size_t>(*at)];
      neighbours_[static_cast<std::size_t>(moved[i])] = now;
    }
    neighbours_.resize(static_cast<std::size_t>(matrix_.width()));
  }

  // What remains is infinitely far apart: pairs that must not merge.
  std::vector<SlotMerge> join_rest() {
    std::int32_t first = -1;
    for (std::int64_t i = 0; i < matrix_.width(); ++i) {
      if (!matrix_.is_live(i)) continue;
      if (first >= 0) merges_.push_back({first, matrix_.slot(i), std::numeric_limits<double>::infinity()});
      if (first < 0) first = matrix_.slot(i);
    }
    return std::move(merges_);
  }

  MergeMatrix<T> matrix_;
  int threads_;
  std::vector<NearestCluster<T>> neighbours_;
  std::vector<SlotMerge> merges_;
};

// Reducible rules: all pairs that are each other's nearest merge in one round.
template <class T>
class MatrixRounds : MatrixEngine<T> {
 public:
  using MatrixEngine<T>::MatrixEngine;

  std::vector<SlotMerge> run() {
    this->search_all();
    while (this->matrix_.n_live() > 1) {
      check_interrupt();
      std::vector<PositionPair<T>> pairs = mutual_pairs();
      if (pairs.empty()) {  // neighbours kept over ties can wait for each other in a ring; fresh ones cannot
        this->search_all();
        pairs = mutual_pairs();
      }
      if (pairs.empty()) pairs = nearest_pair();
      if (pairs.empty()) return this->join_rest();
      this->merge(pairs);
      renew(pairs);
      this->compact();
    }
    return std::move(this->merges_);
  }

 private:
  // Mirrored cells of a given matrix may differ by rounding; then even fresh neighbours can stand in a ring.
  std::vector<PositionPair<T>> nearest_pair() {
    std::vector<PositionPair<T>> best;
    for (std::int64_t i = 0; i < this->matrix_.width(); ++i) {
      const NearestCluster<T>& now = this->neighbour(i);
      if (!this->matrix_.is_live(i) || now.at < 0 || (!best.empty() && now.distance >= best[0].height)) continue;
      best = {{std::min(static_cast<std::int32_t>(i), now.at), std::max(static_cast<std::int32_t>(i), now.at), now.distance}};
    }
    return best;
  }

  std::vector<PositionPair<T>> mutual_pairs() {
    std::vector<PositionPair<T>> pairs;
    for (std::int64_t i = 0; i < this->matrix_.width(); ++i) {
      const std::int32_t at = this->neighbour(i).at;
      if (at > i && this->matrix_.is_live(i) && this->neighbour(at).at == i)
        pairs.push_back({static_cast<std::int32_t>(i), at, this->neighbour(i).distance});
    }
    return pairs;
  }

  // A cluster whose neighbour was merged keeps the result if nothing else can be nearer, or turns to the second.
  void renew(const std::vector<PositionPair<T>>& pairs) {
    std::vector<std::int32_t> merged_into(static_cast<std::size_t>(this->matrix_.width()), -1), searched;
    for (const PositionPair<T>& pair : pairs) {
      merged_into[static_cast<std::size_t>(pair.first)] = merged_into[static_cast<std::size_t>(pair.second)] = pair.first;
      searched.push_back(pair.first);
    }
    for (std::int64_t i = 0; i < this->matrix_.width(); ++i) {
      if (!this->matrix_.is_live(i) || merged_into[static_cast<std::size_t>(i)] >= 0) continue;
      NearestCluster<T>& now = this->neighbour(i);
      if (now.others_at >= 0 && merged_into[static_cast<std::size_t>(now.others_at)] >= 0) now.others_at = -1;
      const std::int32_t merged = now.at < 0 ? -1 : merged_into[static_cast<std::size_t>(now.at)];
      if (merged < 0) continue;
      const T distance = this->matrix_.distance(merged, i);
      if (distance <= now.others)
        now = {distance, now.others, merged, now.others_at};
      else if (now.others_at >= 0)
        now = {now.others, now.others, now.others_at, -1};
      else
        searched.push_back(static_cast<std::int32_t>(i));
    }
    this->search(searched);
  }
};

// Other rules: the nearest pair of all merges, one at a time; a merged cluster may come nearer to the others.
template <class T>
class GreedyEngine : MatrixEngine<T> {
 public:
  using MatrixEngine<T>::MatrixEngine;

  std::vector<SlotMerge> run() {
    this->search_all();
    while (this->matrix_.n_live() > 1) {
      check_interrupt();
      const std::int32_t i = nearest_of_all(), at = this->neighbour(i).at;
      if (at < 0 && this->neighbour(i).distance == std::numeric_limits<T>::infinity()) return this->join_rest();
      if (at < 0) {
        this->search({i});
        continue;
      }
      const PositionPair<T> pair{i < at ? i : at, i < at ? at : i, this->neighbour(i).distance};
      this->merge({pair});
      renew(pair);
      this->compact();
    }
    return std::move(this->merges_);
  }

 private:
  std::int32_t nearest_of_all() {
    std::int64_t best = -1;
    for (std::int64_t i = 0; i < this->matrix_.width(); ++i)
      if (this->matrix_.is_live(i) && (best < 0 || this->neighbour(i).distance < this->neighbour(best).distance)) best = i;
    return static_cast<std::int32_t>(best);
  }

  void renew(const PositionPair<T>& pair) {
    this->search({pair.first});
    for (std::int64_t i = 0; i < this->matrix_.width(); ++i) {
      if (!this->matrix_.is_live(i) || i == pair.first) continue;
      NearestCluster<T>& now = this->neighbour(i);
      if (now.at == pair.first || now.at == pair.second) now.at = -1;
      const T distance = this->matrix_.distance(pair.first, i);
      const bool is_nearer = distance < now.distance || (distance == now.distance && (now.at < 0 || pair.first < now.at));
      if (is_nearer) now = {distance, distance, pair.first, -1};
    }
  }
};

}  // namespace

template <class T>
std::vector<SlotMerge> matrix_linkage(T* square, StartingClusters<T> clusters, LinkageRule rule, int threads) {
  if (is_reducible(rule)) return MatrixRounds<T>(square, std::move(clusters), rule, threads).run();
  return GreedyEngine<T>(square, std::move(clusters), rule, threads).run();
}

template <class T>
std::vector<SlotMerge> matrix_linkage(T* square, std::int64_t n, LinkageRule rule, int threads) {
  StartingClusters<T> single_rows{std::vector<std::int32_t>(static_cast<std::size_t>(n)),
                                  std::vector<T>(static_cast<std::size_t>(n), T(1))};
  std::iota(single_rows.slots.begin(), single_rows.slots.end(), 0);
  return matrix_linkage(square, std::move(single_rows), rule, threads);
}

template std::vector<SlotMerge> matrix_linkage<float>(float*, StartingClusters<float>, LinkageRule, int);
template std::vector<SlotMerge> matrix_linkage<double>(double*, StartingClusters<double>, LinkageRule, int);
template std::vector<SlotMerge> matrix_linkage<float>(float*, std::int64_t, LinkageRule, int);
template std::vector<SlotMerge> matrix_linkage<double>(double*, std::int64_t, LinkageRule, int);

}  // namespace coterie
