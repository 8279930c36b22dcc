// Dividing rows into the `left_size` smallest along one coordinate, and the rest.
//
// Equal coordinates go left in the order of the rows, as far as there is room. Both parts keep the order of their rows,
// which is that of their numbers in the data. So the parts are the same however the median is found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/parallel.h"
#include "trees/select_value.h"

namespace coterie {

inline constexpr std::int64_t split_block = 16384;  // rows per task of a pass

// Rows one after the other, and their numbers in the data.
template <class T>
struct RowBuffer {
  T* rows;
  std::int32_t* original;
};

// Calls body with the number of dimensions, as a compile-time constant where rows are short.
template <class Body>
void with_dims(std::int64_t dims, Body&& body) {
  switch (dims) {
    case 1:
      return body(std::integral_constant<std::int64_t, 1>{});
    case 2:
      return body(std::integral_constant<std::int64_t, 2>{});
    case 3:
      return body(std::integral_constant<std::int64_t, 3>{});
    case 4:
      return body(std::integral_constant<std::int64_t, 4>{});
    case 5:
      return body(std::integral_constant<std::int64_t, 5>{});
    case 6:
      return body(std::integral_constant<std::int64_t, 6>{});
    case 7:
      return body(std::integral_constant<std::int64_t, 7>{});
    case 8:
      return body(std::integral_constant<std::int64_t, 8>{});
    default:
      return body(dims);
  }
}

// Keeps its working memory from one split to the next. Several threads only where there are several blocks of rows.
template <class T>
class MedianSplitter {
 public:
  MedianSplitter(std::int64_t dims, int threads) : dims_(dims), threads_(threads) {}

  // Returns the largest coordinate of the left part.
  T split(RowBuffer<T> from, RowBuffer<T> to, std::int64_t size, std::int64_t left_size, std::int32_t dimension) {
    from_ = from;
    size_ = size;
    dimension_ = dimension;
    n_blocks_ = block_count(size, split_block);
    if (blocks_.size() < static_cast<std::size_t>(n_blocks_)) blocks_.resize(static_cast<std::size_t>(n_blocks_));
    const T pivot = n_blocks_ == 1 ? find_in_one(left_size - 1) : find_in_many(left_size - 1);
    place_blocks(pivot, left_size);
    divide(pivot, to);
    return pivot;
  }

 private:
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  struct Block {
    std::vector<T> middle;       // coordinates that may be the pivot: the first n_middle entries
    std::int64_t n_middle = 0;
    std::int64_t n_below = 0;    // rows known to lie left of it
    std::int64_t left_start = 0; // where its rows go
    std::int64_t right_start = 0;
    std::int64_t ties_left = 0;  // how many of its rows at the pivot go left
  };

  T coordinate(std::int64_t i) const { return from_.rows[i * dims_ + dimension_]; }

  template <class Body>
  void for_each_block(Body&& body) {
    if (n_blocks_ == 1)
      body(blocks_[0], Range{0, size_});
    else
      parallel_for(n_blocks_, threads_,
                   [&](std::int64_t block, int) { body(blocks_[block], block_range(size_, split_block, block)); });
  }

  T find_in_one(std::int64_t rank) {
    collect(-infinity, infinity);
    return select_value(blocks_[0].middle.data(), size_, rank);
  }

  T find_in_many(std::int64_t rank) {
    T low = -infinity, high = infinity;
    bracket(rank, low, high);
    collect(low, high);
    const std::int64_t n_below = gather();
    const auto n_candidates = static_cast<std::int64_t>(candidates_.size());
    if (rank >= n_below && rank < n_below + n_candidates) return select_value(candidates_.data(), n_candidates, rank - n_below);
    collect(-infinity, infinity);  // the sample misled us
    gather();
    return select_value(candidates_.data(), size_, rank);
  }

  // Joins the blocks' candidates; returns how many rows lie below them.
  std::int64_t gather() {
    std::int64_t n_below = 0;
    candidates_.clear();
    for (std::int64_t block = 0; block < n_blocks_; ++block) {
      const Block& own = blocks_[block];
      n_below += own.n_below;
      candidates_.insert(candidates_.end(), own.middle.begin(), own.middle.begin() + own.n_middle);
    }
    return n_below;
  }

  // Two values that very probably enclose the one of this rank, from a sample spread by multiples of the golden ratio.
  void bracket(std::int64_t rank, T& low, T& high) const {
    constexpr std::int64_t n_sample = 1024, margin = 64;  // four standard deviations of a sampled median's rank
    T sample[n_sample];
    for (std::int64_t i = 0; i < n_sample; ++i) {
      const std::uint64_t spread = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u;
      const unsigned __int128 scaled = static_cast<unsigned __int128>(spread) * static_cast<std::uint64_t>(size_);
      sample[i] = coordinate(static_cast<std::int64_t>(scaled >> 64));
    }
    std::sort(sample, sample + n_sample, [](T a, T b) { return stands_before(a, b); });
    const auto place = static_cast<std::int64_t>(static_cast<double>(rank) / static_cast<double>(size_) * n_sample);
    if (place - margin >= 0) low = sample[place - margin];
    if (place + margin < n_sample) high = sample[place + margin];
  }

  // Gathers the coordinates in [low, high] and counts those below.
  void collect(T low, T high) {
    for_each_block([&](Block& block, Range range) {
      const auto most = static_cast<std::size_t>(range.size()) + 1;  // one more is written than kept
      if (block.middle.size() < most) block.middle.resize(most);
      std::int64_t n_below = 0, n_middle = 0;
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const T value = coordinate(i);
        block.middle[n_middle] = value;
        n_middle += (value >= low) & (value <= high);
        n_below += value < low;
      }
      block.n_middle = n_middle;
      block.n_below = n_below;
    });
  }

  // Where the rows of each block go, given what `collect` kept.
  void place_blocks(T pivot, std::int64_t left_size) {
    std::int64_t n_less = 0;
    for (std::int64_t block = 0; block < n_blocks_; ++block) {
      Block& own = blocks_[block];
      const T* middle = own.middle.data();
      own.n_below += std::count_if(middle, middle + own.n_middle, [=](T value) { return value < pivot; });
      n_less += own.n_below;
    }
    std::int64_t room = left_size - n_less, left_start = 0;
    for (std::int64_t block = 0; block < n_blocks_; ++block) {
      Block& own = blocks_[block];
      const auto ties = std::count(own.middle.data(), own.middle.data() + own.n_middle, pivot);
      own.ties_left = std::min<std::int64_t>(ties, room);
      room -= own.ties_left;
      own.left_start = left_start;
      own.right_start = left_size + block * split_block - left_start;
      left_start += own.n_below + own.ties_left;
    }
  }

  // No branches: which way a row goes cannot be predicted.
  void divide(T pivot, RowBuffer<T> to) {
    for_each_block([&](const Block& block, Range range) {
      with_dims(dims_, [&](auto dims) {
        std::int64_t left = block.left_start, right = block.right_start, ties_left = block.ties_left;
        for (std::int64_t i = range.begin; i < range.end; ++i) {
          const T value = coordinate(i);
          const bool goes_left = (value < pivot) | ((value == pivot) & (ties_left > 0));
          ties_left -= value == pivot;
          const std::int64_t place = goes_left ? left : right;
          left += goes_left;
          right += !goes_left;
          to.original[place] = from_.original[i];
          for (std::int64_t j = 0; j < dims; ++j) to.rows[place * dims + j] = from_.rows[i * dims + j];
        }
      });
    });
  }

  std::int64_t dims_;
  int threads_;
  RowBuffer<T> from_{};
  std::int64_t size_ = 0;
  std::int32_t dimension_ = 0;
  std::int64_t n_blocks_ = 0;
  std::vector<Block> blocks_;
  std::vector<T> candidates_;
};

}  // namespace coterie
