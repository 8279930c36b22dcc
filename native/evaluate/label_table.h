// Numbers equal keys alike by hashing, in slices that run in parallel.
//
// A `Keys` names its keys by row: hash(i), equal(i, j), prefix(i), which sorts as the keys do as far as 64 bits reach, and
// less_beyond_prefix(i, j) for equal prefixes. Each slice numbers its own keys; the distinct keys of all slices are then
// sorted, which fixes the codes: the result does not depend on slices or threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/parallel.h"

namespace coterie {

// Spreads the bits of a word (the finaliser of splitmix64).
inline std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

// Open addressing; a slot holds the number of a key plus one, and the upper half of its hash to avoid most comparisons.
template <class Keys>
class LabelTable {
 public:
  explicit LabelTable(const Keys& keys) : keys_(keys), slots_(1024) {}

  // The number of the key in `row`: a new one when it was not seen before.
  std::int32_t number(std::int64_t row) {
    const std::uint64_t hash = keys_.hash(row);
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].tag == tag && keys_.equal(rows_[slots_[at].number - 1], row)) {
        return static_cast<std::int32_t>(slots_[at].number - 1);
      }
    }
    rows_.push_back(row);
    slots_[at] = {tag, static_cast<std::uint32_t>(rows_.size())};
    if (2 * rows_.size() > slots_.size()) grow();
    return static_cast<std::int32_t>(rows_.size() - 1);
  }

  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t number = 0;
  };

  void grow() {
    std::vector<Slot> wider(4 * slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.number == 0) continue;
      std::size_t at = keys_.hash(rows_[slot.number - 1]) & (wider.size() - 1);
      while (wider[at].number != 0) at = (at + 1) & (wider.size() - 1);
      wider[at] = slot;
    }
    slots_.swap(wider);
  }

  const Keys& keys_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> rows_;
};

constexpr std::int64_t hash_slices = 16;
constexpr std::int64_t min_hashed_rows = 1 << 15;

// A key as a slice found it.
struct FoundKey {
  std::uint64_t prefix;
  std::int64_t row;
  std::int32_t number;
};

// The order of keys. One type for all of them, so that sorting is compiled once; most prefixes differ.
struct KeyOrder {
  const void* keys;
  bool (*less_beyond_prefix)(const void* keys, std::int64_t row, std::int64_t other);

  template <class Keys>
  static KeyOrder of(const Keys& keys) {
    return {&keys, [](const void* which, std::int64_t row, std::int64_t other) {
              return static_cast<const Keys*>(which)->less_beyond_prefix(row, other);
            }};
  }
  bool operator()(const FoundKey& left, const FoundKey& right) const {
    if (left.prefix != right.prefix) return left.prefix < right.prefix;
    return less_beyond_prefix(keys, left.row, right.row);
  }
};

inline void sort_keys(std::vector<FoundKey>& found, KeyOrder order) { std::sort(found.begin(), found.end(), order); }

// Merges sorted runs two by two until one is left.
inline std::vector<FoundKey> merge_runs(KeyOrder order, std::vector<std::vector<FoundKey>>& runs, int threads) {
  while (runs.size() > 1) {
    std::vector<std::vector<FoundKey>> merged((runs.size() + 1) / 2);
    parallel_for(static_cast<std::int64_t>(merged.size()), threads, [&](std::int64_t pair, int) {
      auto& left = runs[2 * pair];
      if (2 * pair + 1 == static_cast<std::int64_t>(runs.size())) return merged[pair].swap(left);
      auto& right = runs[2 * pair + 1];
      merged[pair].resize(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(), merged[pair].begin(), order);
    });
    runs.swap(merged);
  }
  return runs.empty() ? std::vector<FoundKey>() : std::move(runs[0]);
}

// Writes codes; returns one row per distinct key, in sorted order.
template <class Keys>
std::vector<std::int64_t> encode_by_hash(const Keys& keys, std::int64_t n, std::int32_t* codes, int threads) {
  const std::int64_t slice_rows = std::max(min_hashed_rows, block_count(n, hash_slices));
  const std::int64_t slices = block_count(n, slice_rows);
  std::vector<std::vector<FoundKey>> runs(static_cast<std::size_t>(slices));
  std::vector<std::vector<std::int32_t>> code_of(static_cast<std::size_t>(slices));
  parallel_for(slices, threads, [&](std::int64_t slice, int) {
    const Range rows = block_range(n, slice_rows, slice);
    LabelTable<Keys> table(keys);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) codes[i] = table.number(i);
    std::int32_t number = 0;
    runs[slice].reserve(table.rows().size());
    for (const std::int64_t row : table.rows()) runs[slice].push_back({keys.prefix(row), row, number++});
    sort_keys(runs[slice], KeyOrder::of(keys));
    code_of[slice].resize(table.rows().size());
  });
  std::vector<std::int64_t> distinct;
  std::uint64_t last_prefix = 0;
  for (const FoundKey& key : merge_runs(KeyOrder::of(keys), runs, threads)) {
    const bool is_new = distinct.empty() || key.prefix != last_prefix || !keys.equal(distinct.back(), key.row);
    if (is_new) distinct.push_back(key.row);
    last_prefix = key.prefix;
    code_of[key.row / slice_rows][key.number] = static_cast<std::int32_t>(distinct.size() - 1);
  }
  if (distinct.size() > INT32_MAX) throw std::overflow_error("more than 2^31 - 1 distinct labels");
  parallel_for(slices, threads, [&](std::int64_t slice, int) {
    const Range rows = block_range(n, slice_rows, slice);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) codes[i] = code_of[slice][codes[i]];
  });
  return distinct;
}

}  // namespace coterie
