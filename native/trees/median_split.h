// Dividing rows into the `left_size` smallest along the widest side of their box, and the rest.
//
// Rows are compared by (coordinate, row number): a total order, so that the two parts are the same however they are
// found. Both parts keep their rows in the order of row numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/parallel.h"
#include "trees/kdtree_view.h"

namespace coterie {

inline constexpr std::int64_t split_block = 16384;    // rows per task of a pass
inline constexpr std::int64_t sampled_above = 1024;   // rows; below, sampling costs more than it saves

// Rows one after the other, and their numbers in the data.
template <class T>
struct RowBuffer {
  T* rows;
  std::int32_t* original;
};

template <class T>
void clear_box(T* box, std::int64_t dims) {
  std::fill(box, box + dims, std::numeric_limits<T>::infinity());
  std::fill(box + dims, box + 2 * dims, -std::numeric_limits<T>::infinity());
}

template <class T>
void widen_box(T* box, const T* row, std::int64_t dims) {
  for (std::int64_t j = 0; j < dims; ++j) {
    box[j] = row[j] < box[j] ? row[j] : box[j];
    box[dims + j] = row[j] > box[dims + j] ? row[j] : box[dims + j];
  }
}

template <class T>
void join_box(T* box, const T* other, std::int64_t dims) {
  widen_box(box, other, dims);
  widen_box(box, other + dims, dims);
}

// Halves, because the width of a box may overflow.
template <class T>
std::int32_t widest_side(const T* box, std::int64_t dims) {
  std::int32_t widest = 0;
  T width = -1;
  for (std::int64_t j = 0; j < dims; ++j) {
    const T half = box[dims + j] / 2 - box[j] / 2;
    if (half > width) {
      width = half;
      widest = static_cast<std::int32_t>(j);
    }
  }
  return widest;
}

template <class T>
struct SplitKey {
  T value;
  std::int32_t original;
  bool operator<(const SplitKey& other) const {
    return value < other.value || (value == other.value && original < other.original);
  }
  // No branches: which way a row goes cannot be predicted.
  bool is_at_most(const SplitKey& other) const {
    return (value < other.value) | ((value == other.value) & (original <= other.original));
  }
};

// Finds the key of a given rank in one coordinate of some rows, and divides the rows by it.
template <class T>
class MedianSplit {
 public:
  using Key = SplitKey<T>;

  MedianSplit(RowBuffer<T> from, std::int64_t size, std::int64_t dims, std::int32_t dimension, int threads)
      : from_(from), size_(size), dims_(dims), dimension_(dimension), threads_(threads),
        n_blocks_(block_count(size, split_block)), below_(static_cast<std::size_t>(n_blocks_)), middle_(static_cast<std::size_t>(n_blocks_)) {}

  Key find(std::int64_t rank) {
    Key low{-std::numeric_limits<T>::infinity(), 0}, high{std::numeric_limits<T>::infinity(), 0};
    if (size_ > sampled_above) bracket(rank, low, high);
    std::int64_t rank_in_middle = collect(rank, low, high);
    if (rank_in_middle < 0)
      rank_in_middle = collect(rank, {-std::numeric_limits<T>::infinity(), 0}, {std::numeric_limits<T>::infinity(), 0});
    std::vector<Key> candidates;
    for (const std::vector<Key>& block : middle_) candidates.insert(candidates.end(), block.begin(), block.end());
    std::nth_element(candidates.begin(), candidates.begin() + rank_in_middle, candidates.end());
    return candidates[static_cast<std::size_t>(rank_in_middle)];
  }

  // Rows up to `pivot` go to the front of `to`, the others follow; the boxes of both parts are measured on the way.
  void divide(const Key& pivot, std::int64_t left_size, RowBuffer<T> to, T* left_box, T* right_box) {
    const std::size_t box_numbers = static_cast<std::size_t>(2 * dims_);
    std::vector<T> boxes(static_cast<std::size_t>(n_blocks_) * 2 * box_numbers);
    std::vector<std::int64_t> left_starts(static_cast<std::size_t>(n_blocks_));
    for (std::int64_t block = 0, start = 0; block < n_blocks_; ++block) {
      left_starts[block] = start;
      start += below_[block] + std::count_if(middle_[block].begin(), middle_[block].end(), [&](const Key& key) { return key.is_at_most(pivot); });
    }
    for_each_block([&](std::int64_t block) {
      const Range range = block_range(size_, split_block, block);
      divide_block(range, pivot, to, left_starts[block], left_size + range.begin - left_starts[block], boxes.data() + block * 2 * box_numbers);
    });
    clear_box(left_box, dims_);
    clear_box(right_box, dims_);
    for (std::int64_t block = 0; block < n_blocks_; ++block) {
      join_box(left_box, boxes.data() + block * 2 * box_numbers, dims_);
      join_box(right_box, boxes.data() + (block * 2 + 1) * box_numbers, dims_);
    }
  }

 private:
  Key key(std::int64_t i) const { return {from_.rows[i * dims_ + dimension_], from_.original[i]}; }

  template <class Body>
  void for_each_block(Body&& body) {
    if (n_blocks_ == 1)
      body(std::int64_t{0});
    else
      parallel_for(n_blocks_, threads_, [&](std::int64_t block, int) { body(block); });
  }

  // Two keys that very probably enclose the one of this rank, from a sample spread by multiples of the golden ratio.
  void bracket(std::int64_t rank, Key& low, Key& high) const {
    const std::int64_t n_sample = size_ > split_block ? 1024 : 256, margin = size_ > split_block ? 64 : 32;
    std::vector<Key> sample(static_cast<std::size_t>(n_sample));
    for (std::int64_t i = 0; i < n_sample; ++i) {
      const std::uint64_t spread = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u;
      sample[i] = key(static_cast<std::int64_t>((static_cast<unsigned __int128>(spread) * static_cast<std::uint64_t>(size_)) >> 64));
    }
    std::sort(sample.begin(), sample.end());
    const std::int64_t place = static_cast<std::int64_t>(static_cast<double>(rank) / static_cast<double>(size_) * static_cast<double>(n_sample));
    if (place - margin >= 0) low = sample[place - margin];
    if (place + margin < n_sample) high = sample[place + margin];
  }

  // Gathers the keys in (low, high], counts those up to low; returns the rank among the gathered, or -1 if outside.
  std::int64_t collect(std::int64_t rank, const Key& low, const Key& high) {
    for_each_block([&](std::int64_t block) {
      const Range range = block_range(size_, split_block, block);
      std::vector<Key>& keys = middle_[block];
      keys.resize(static_cast<std::size_t>(range.size() + 1));
      std::int64_t n_below = 0, n_keys = 0;
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const Key candidate = key(i);
        const bool is_below = candidate.is_at_most(low);
        keys[n_keys] = candidate;
        n_keys += candidate.is_at_most(high) & !is_below;
        n_below += is_below;
      }
      keys.resize(static_cast<std::size_t>(n_keys));
      below_[block] = n_below;
    });
    std::int64_t n_below = 0, n_middle = 0;
    for (std::int64_t block = 0; block < n_blocks_; ++block) {
      n_below += below_[block];
      n_middle += static_cast<std::int64_t>(middle_[block].size());
    }
    return rank >= n_below && rank < n_below + n_middle ? rank - n_below : -1;
  }

  void divide_block(Range range, const Key& pivot, RowBuffer<T> to, std::int64_t left, std::int64_t right, T* boxes) const {
    T* side_boxes[2] = {boxes + 2 * dims_, boxes};
    std::int64_t places[2] = {right, left};
    clear_box(side_boxes[0], dims_);
    clear_box(side_boxes[1], dims_);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const bool goes_left = key(i).is_at_most(pivot);
      const std::int64_t place = places[goes_left]++;
      const T* row = from_.rows + i * dims_;
      to.original[place] = from_.original[i];
      for (std::int64_t j = 0; j < dims_; ++j) to.rows[place * dims_ + j] = row[j];
      widen_box(side_boxes[goes_left], row, dims_);
    }
  }

  RowBuffer<T> from_;
  std::int64_t size_;
  std::int64_t dims_;
  std::int32_t dimension_;
  int threads_;
  std::int64_t n_blocks_;
  std::vector<std::int64_t> below_;       // per block: rows known to lie left of the pivot
  std::vector<std::vector<Key>> middle_;  // per block: rows that may be the pivot
};

template <class T>
TreeSplit<T> split_rows(RowBuffer<T> from, RowBuffer<T> to, std::int64_t size, std::int64_t left_size, std::int64_t dims,
                        const T* box, T* left_box, T* right_box, int threads) {
  const std::int32_t dimension = widest_side(box, dims);
  MedianSplit<T> median(from, size, dims, dimension, threads);
  const SplitKey<T> pivot = median.find(left_size - 1);
  median.divide(pivot, left_size, to, left_box, right_box);
  return {pivot.value, dimension};
}

}  // namespace coterie
