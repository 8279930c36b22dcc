#include "neighbours/matrix_nearest.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t matrix_rows_per_task = 32;

template <class T>
struct MatrixEntry {
  T distance;
  std::int64_t column;

  bool operator<(const MatrixEntry& other) const {
    return distance != other.distance ? distance < other.distance : column < other.column;
  }
};

// Keeps what may be among the k smallest, and forgets the rest whenever there are twice as many.
template <class T>
class SmallestEntries {
 public:
  explicit SmallestEntries(std::int64_t k) : k_(k) { entries_.reserve(static_cast<std::size_t>(2 * k)); }

  void clear() {
    entries_.clear();
    limit_ = std::numeric_limits<T>::infinity();
  }

  // Columns must rise: an equal distance that comes later is not among the smallest.
  void offer(T distance, std::int64_t column) {
    if (distance >= limit_ && static_cast<std::int64_t>(entries_.size()) >= k_) return;
    entries_.push_back({distance, column});
    if (static_cast<std::int64_t>(entries_.size()) == 2 * k_) shrink();
  }

  const std::vector<MatrixEntry<T>>& finish() {
    if (static_cast<std::int64_t>(entries_.size()) > k_) shrink();
    std::sort(entries_.begin(), entries_.end());
    return entries_;
  }

 private:
  void shrink() {
    std::nth_element(entries_.begin(), entries_.begin() + (k_ - 1), entries_.end());
    limit_ = entries_[static_cast<std::size_t>(k_ - 1)].distance;
    entries_.resize(static_cast<std::size_t>(k_));
  }

  std::int64_t k_;
  T limit_ = std::numeric_limits<T>::infinity();  // the k smallest seen so far do not exceed it
  std::vector<MatrixEntry<T>> entries_;
};

}  // namespace

template <class T>
void smallest_of_matrix(const MatrixView<T>& distances, std::int64_t k, bool skip_own, std::int64_t* index, T* distance, int threads) {
  if (k == 0) return;
  parallel_for(block_count(distances.rows, matrix_rows_per_task), threads, [&](std::int64_t task, int) {
    SmallestEntries<T> smallest(k);
    const Range range = block_range(distances.rows, matrix_rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      smallest.clear();
      const T* row = distances.row(i);
      for (std::int64_t j = 0; j < distances.cols; ++j)
        smallest.offer((skip_own && i == j) || row[j] != row[j] ? std::numeric_limits<T>::infinity() : row[j], j);
      std::int64_t at = i * k;
      for (const MatrixEntry<T>& entry : smallest.finish()) {
        index[at] = entry.column;
        distance[at++] = entry.distance;
      }
    }
    check_interrupt();
  });
}

template void smallest_of_matrix(const MatrixView<float>&, std::int64_t, bool, std::int64_t*, float*, int);
template void smallest_of_matrix(const MatrixView<double>&, std::int64_t, bool, std::int64_t*, double*, int);

}  // namespace coterie
