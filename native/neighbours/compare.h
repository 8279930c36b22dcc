// All pairs of two sets of gathered rows: products by panels, and offers to the lists of both.
//
// A panel holds as many rows as a vector has lanes, side by side, four bytes of each in turn: two codes of 16 bits, or four of 8 bits
// where the processor multiplies those at once (VNNI). Sums are whole numbers, the same in every way.
#pragma once

#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "neighbours/descent_jobs.h"
#include "neighbours/near_list.h"
#include "support/scratch.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

typedef std::int16_t Codes __attribute__((vector_size(vector_bytes)));
using Sums = Mask<float>;  // as many whole numbers of 32 bits as a vector holds
inline constexpr int n_lanes = lanes<float>;

COTERIE_INLINE Sums load_sums(const std::int32_t* from) { return reinterpret_cast<Sums>(load(reinterpret_cast<const float*>(from))); }

// Sums of the products of neighbouring codes.
COTERIE_INLINE Sums multiply_pairs(Codes a, Codes b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Sums>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Sums>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Sums>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  Sums sums;
  for (int lane = 0; lane < n_lanes; ++lane) sums[lane] = a[2 * lane] * b[2 * lane] + a[2 * lane + 1] * b[2 * lane + 1];
  return sums;
#endif
}

// Two codes at a time, as numbers of 16 bits.
template <class AnyCode>
struct PairStep {
  using Code = AnyCode;
  static constexpr std::int64_t codes = 2;
  static constexpr std::int32_t offset = 0;

  static COTERIE_INLINE Sums add(Sums sums, Sums members, Sums query) {
    return sums + multiply_pairs(reinterpret_cast<Codes>(members), reinterpret_cast<Codes>(query));
  }
  static COTERIE_INLINE std::int32_t member_group(const Code* from) { return query_group(from); }
  static COTERIE_INLINE std::int32_t query_group(const Code* from) {
    const std::int16_t pair[2] = {from[0], from[1]};
    std::int32_t group;
    std::memcpy(&group, pair, sizeof(group));
    return group;
  }
};

#if defined(__AVX512BW__)
// As PairStep, in one instruction. Written out, since the instruction set of this file does not name it: the processor is asked.
struct FusedPairStep : PairStep<std::int16_t> {
  static COTERIE_INLINE Sums add(Sums sums, Sums members, Sums query) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(members), "v"(query));
    return sums;
  }
};

// Four codes from -127 to 127 at a time; the instruction wants those of one side without a sign, so that they are moved up by `offset`.
struct QuadStep {
  using Code = std::int8_t;
  static constexpr std::int64_t codes = 4;
  static constexpr std::int32_t offset = 128;

  static COTERIE_INLINE Sums add(Sums sums, Sums members, Sums query) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(members), "v"(query));
    return sums;
  }
  static COTERIE_INLINE std::int32_t query_group(const Code* from) {
    std::int32_t group;
    std::memcpy(&group, from, sizeof(group));
    return group;
  }
  static COTERIE_INLINE std::int32_t member_group(const Code* from) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(query_group(from)) ^ 0x80808080u);
  }
};

inline bool has_fused_products() {
  static const bool has = __builtin_cpu_supports("avx512vnni");
  return has;
}
#endif

inline constexpr int strip_rows = n_lanes == 16 ? 8 : 4;  // queries that are compared together
inline constexpr int strip_panels = n_lanes == 16 ? 3 : 2;  // with so many panels: what the registers hold

// Gathered rows as panels. Behind the last row are zeros.
template <class Step>
class Panels {
 public:
  Panels(const CodedRows& rows, const std::int32_t* ids, std::int64_t count)
      : count_(count),
        n_groups_((rows.cols + Step::codes - 1) / Step::codes),
        n_panels_((count + n_lanes - 1) / n_lanes),
        groups_(n_panels_ * n_groups_ * n_lanes),
        terms_(n_panels_ * n_lanes) {
    for (std::int64_t i = 0; i < n_panels_ * n_lanes; ++i) {
      std::int32_t* to = groups_.data() + i / n_lanes * n_groups_ * n_lanes + i % n_lanes;
      if (i < count) {
        const auto* from = codes_of<typename Step::Code>(rows, ids[i]);
        for (std::int64_t g = 0; g < n_groups_; ++g) to[g * n_lanes] = Step::member_group(from + g * Step::codes);
        terms_[i] = rows.terms[ids[i]];
      } else {
        for (std::int64_t g = 0; g < n_groups_; ++g) to[g * n_lanes] = 0;
        terms_[i] = 0;
      }
    }
  }
  std::int64_t count() const { return count_; }
  std::int64_t n_groups() const { return n_groups_; }
  std::int64_t n_panels() const { return n_panels_; }
  const std::int32_t* panel(std::int64_t p) const { return groups_.data() + p * n_groups_ * n_lanes; }
  const std::int32_t* terms() const { return terms_.data(); }

 private:
  std::int64_t count_, n_groups_, n_panels_;
  Scratch<std::int32_t> groups_;
  Scratch<std::int32_t> terms_;
};

// Some queries, side by side with what their keys begin with.
template <class Step>
class Strip {
 public:
  explicit Strip(std::int64_t n_groups) : n_groups_(n_groups), groups_(strip_rows * n_groups) {}

  // Repeats the last one where there are fewer.
  void fill(const CodedRows& rows, const std::int32_t* ids, std::int64_t count) {
    for (std::int64_t r = 0; r < strip_rows; ++r) {
      const std::int64_t id = ids[std::min(r, count - 1)];
      const auto* from = codes_of<typename Step::Code>(rows, id);
      std::int32_t* to = groups_.data() + r * n_groups_;
      for (std::int64_t g = 0; g < n_groups_; ++g) to[g] = Step::query_group(from + g * Step::codes);
      terms_[r] = rows.terms[id];
      if constexpr (Step::offset != 0) terms_[r] += 2 * Step::offset * rows.sums[id];
    }
  }

  // Rows that are filled in later lie anywhere.
  static COTERIE_INLINE void fetch(const CodedRows& rows, const LockedLists& lists, const std::int32_t* ids, std::int64_t count) {
    using Code = typename Step::Code;
    constexpr std::int64_t codes_per_line = 64 / sizeof(Code), entries_per_line = 64 / sizeof(std::uint64_t);
    for (std::int64_t r = 0; r < std::min<std::int64_t>(count, strip_rows); ++r) {
      for (std::int64_t t = 0; t < rows.cols; t += codes_per_line) __builtin_prefetch(codes_of<Code>(rows, ids[r]) + t);
      __builtin_prefetch(rows.terms + ids[r]);
      if constexpr (Step::offset != 0) __builtin_prefetch(rows.sums + ids[r]);
      __builtin_prefetch(lists.last + ids[r]);
      __builtin_prefetch(lists.locks + ids[r], 1);
      for (std::int64_t e = 0; e < lists.stride; e += entries_per_line)
        __builtin_prefetch(lists.entries + ids[r] * lists.stride + e, 1);
    }
  }

  // Keys of all queries with the rows of `count` panels from `first` on, handed over as take(query, panel, keys).
  template <int count, class Take>
  COTERIE_INLINE void multiply(const Panels<Step>& members, std::int64_t first, const Take& take) const {
    Sums sums[strip_rows][count];
    for (int r = 0; r < strip_rows; ++r)
      for (int c = 0; c < count; ++c) sums[r][c] = Sums{};
    const std::int32_t* panel = members.panel(first);
    const std::int64_t step = n_groups_ * n_lanes;
    for (std::int64_t g = 0; g < n_groups_; ++g) {
      Sums column[count];
      for (int c = 0; c < count; ++c) column[c] = load_sums(panel + c * step + g * n_lanes);
      for (int r = 0; r < strip_rows; ++r) {
        const Sums query = broadcast_index<float>(groups_[r * n_groups_ + g]);
        for (int c = 0; c < count; ++c) sums[r][c] = Step::add(sums[r][c], column[c], query);
      }
    }
    for (int r = 0; r < strip_rows; ++r)
      for (int c = 0; c < count; ++c) {
        const std::int64_t p = first + c;
        take(r, p, broadcast_index<float>(terms_[r]) + load_sums(members.terms() + p * n_lanes) - 2 * sums[r][c]);
      }
  }

  template <class Take>
  COTERIE_INLINE void multiply_all(const Panels<Step>& members, std::int64_t first, const Take& take) const {
    std::int64_t p = first;
    for (; p + strip_panels <= members.n_panels(); p += strip_panels) multiply<strip_panels>(members, p, take);
    for (; p < members.n_panels(); ++p) multiply<1>(members, p, take);
  }

 private:
  std::int64_t n_groups_;
  Scratch<std::int32_t> groups_;
  std::int32_t terms_[strip_rows];
};

// Offers each query and each member to the other's list where it is near enough.
template <class Step>
void compare_by(const CompareJob& job) {
  const Panels<Step> members(job.rows, job.members, job.n_members);
  const Scratch<std::int32_t> bounds(members.n_panels() * n_lanes);
  for (std::int64_t i = 0; i < members.n_panels() * n_lanes; ++i)
    bounds[i] = i < job.n_members ? last_key(job.lists, job.members[i]) : -1;
  Strip<Step> strip(members.n_groups());
  for (std::int64_t first = 0; first < job.n_queries; first += strip_rows) {
    const std::int64_t count = std::min<std::int64_t>(strip_rows, job.n_queries - first);
    strip.fill(job.rows, job.queries + first, count);
    strip.fetch(job.rows, job.lists, job.queries + first + count, job.n_queries - first - count);
    std::int32_t own_bound[strip_rows];
    for (std::int64_t r = 0; r < strip_rows; ++r) own_bound[r] = r < count ? last_key(job.lists, job.queries[first + r]) : -1;
    strip.multiply_all(
        members,
        job.is_triangle ? (first + 1) / n_lanes : 0, [&](std::int64_t r, std::int64_t p, Sums keys) __attribute__((always_inline)) {
          const Sums bound = load_sums(bounds.data() + p * n_lanes), widest = broadcast_index<float>(own_bound[r]);
          std::uint32_t bits = lane_bits<float>(keys <= (bound > widest ? bound : widest));
          if (bits == 0 || r >= count) return;
          const std::int32_t own = job.queries[first + r];
          alignas(64) std::int32_t numbers[n_lanes];
          std::memcpy(numbers, &keys, sizeof(keys));
          for (; bits != 0; bits &= bits - 1) {
            const std::int64_t b = p * n_lanes + __builtin_ctz(bits);
            if (b >= job.n_members || (job.is_triangle && b <= first + r) || job.members[b] == own) continue;
            const std::int32_t key = numbers[b - p * n_lanes];
            if (key <= own_bound[r] && offer(job.lists, own, entry_of(key, job.members[b]))) own_bound[r] = last_key(job.lists, own);
            if (key <= bounds[b] && offer(job.lists, job.members[b], entry_of(key, own)))
              bounds[b] = last_key(job.lists, job.members[b]);
          }
        });
  }
}

// How many of the keys are at most `bound`; `count` is a multiple of the lanes.
inline std::int64_t count_up_to(const std::int32_t* keys, std::int64_t count, std::int32_t bound) {
  Sums n{};
  for (std::int64_t c = 0; c < count; c += n_lanes) n -= load_sums(keys + c) <= broadcast_index<float>(bound);
  std::int64_t total = 0;
  for (int lane = 0; lane < n_lanes; ++lane) total += n[lane];
  return total;
}

// Keys that may be among the smallest, and where they stand, in order of place.
class SmallKeys {
 public:
  explicit SmallKeys(std::int64_t most) : keys_(padded(most)), n_smaller_(padded(most)), places_(padded(most)), is_taken_(most) {}

  // Writes the places of the n_ranks smallest of `count` keys, smallest first, of equal ones the first. There is room for whole vectors
  // behind the keys.
  void find(std::int32_t* keys, std::int64_t count, std::int64_t n_ranks, std::uint16_t* ranks, std::int32_t* keys_of_ranks) {
    narrow(keys, count, n_ranks);
    count_smaller();
    for (std::int64_t e = 0; e < n_ranks; ++e) is_taken_[e] = false;
    for (std::int64_t e = 0; e < count_; ++e) {
      std::int64_t rank = n_smaller_[e];
      while (rank < n_ranks && is_taken_[rank]) ++rank;  // equal keys
      if (rank >= n_ranks) continue;
      is_taken_[rank] = true;
      ranks[rank] = places_[e];
      if (keys_of_ranks != nullptr) keys_of_ranks[rank] = keys_[e];
    }
  }

 private:
  static std::int64_t padded(std::int64_t count) { return (count + n_lanes - 1) / n_lanes * n_lanes; }

  // Leaves the n_ranks smallest, and few others: halves the range of the keys, and forgets those beyond it.
  void narrow(std::int32_t* keys, std::int64_t count, std::int64_t n_ranks) {
    constexpr std::int64_t spare = 8;  // so few more are sorted in less time than a closer bound is found
    constexpr std::int64_t fewer = 6;  // to copy keys takes longer than to count some more
    std::int32_t low = keys[0], high = keys[0];
    for (std::int64_t c = count; c < padded(count); ++c) keys[c] = keys[0];
    bounds_of(keys, padded(count), low, high);
    for (std::int64_t c = count; c < padded(count); ++c) keys[c] = no_key;
    --low;
    std::int64_t n_low = 0, n_high = count;
    bool is_whole = true;
    while (n_high > n_ranks + spare && high - low > 1) {
      const std::int32_t middle = low + (high - low) / 2;
      const std::int32_t* from = is_whole ? keys : keys_.data();
      const std::int64_t n_from = is_whole ? count : count_, n_middle = count_up_to(from, padded(n_from), middle);
      (n_middle >= n_ranks ? high : low) = middle;
      (n_middle >= n_ranks ? n_high : n_low) = n_middle;
      if (fewer * n_high >= n_from) continue;
      keep(from, is_whole, n_from, high, n_high);
      is_whole = false;
    }
    // where keys are equal, as many of the largest as there are places for
    keep(is_whole ? keys : keys_.data(), is_whole, is_whole ? count : count_, high, high - low > 1 ? n_high : n_ranks - n_low);
  }

  // How many of the keys that are left are smaller than each.
  void count_smaller() {
    for (std::int64_t e = 0; e < count_; e += n_lanes) {
      const Sums key = load_sums(keys_.data() + e);
      Sums n{};
      for (std::int64_t other = 0; other < count_; ++other) n -= broadcast_index<float>(keys_[other]) < key;
      std::memcpy(n_smaller_.data() + e, &n, sizeof(n));
    }
  }

  static void bounds_of(const std::int32_t* keys, std::int64_t count, std::int32_t& low, std::int32_t& high) {
    Sums least = load_sums(keys), most = least;
    for (std::int64_t c = n_lanes; c < count; c += n_lanes) {
      const Sums key = load_sums(keys + c);
      least = key < least ? key : least;
      most = key > most ? key : most;
    }
    for (int lane = 0; lane < n_lanes; ++lane) {
      low = least[lane] < low ? least[lane] : low;
      high = most[lane] > high ? most[lane] : high;
    }
  }

  // Keeps the keys up to `most`; of those equal to it the first `n_equal`.
  void keep(const std::int32_t* from, bool is_whole, std::int64_t count, std::int32_t most, std::int64_t n_equal) {
    std::int64_t n = 0;
    for (std::int64_t c = 0; c < count; c += n_lanes) {
      std::uint32_t bits = lane_bits<float>(load_sums(from + c) <= broadcast_index<float>(most));
      for (; bits != 0; bits &= bits - 1) {
        const std::int64_t at = c + __builtin_ctz(bits);
        const std::int32_t key = from[at];
        if (key == most && n_equal-- <= 0) continue;
        places_[n] = is_whole ? static_cast<std::uint16_t>(at) : places_[at];
        keys_[n++] = key;
      }
    }
    count_ = n;
    for (; n < padded(count_); ++n) keys_[n] = no_key;
  }

  static constexpr std::int32_t no_key = 0x7fffffff;
  Scratch<std::int32_t> keys_, n_smaller_;
  Scratch<std::uint16_t> places_;
  std::int64_t count_ = 0;
  Scratch<bool> is_taken_;  // the ranks
};

// The nearest cells of each row, nearest first; of equally near ones the first.
template <class Step>
void rank_by(const RankJob& job) {
  const Scratch<std::int32_t> ids(job.n_cells);
  for (std::int64_t i = 0; i < job.n_cells; ++i) ids[i] = job.cell_ids == nullptr ? static_cast<std::int32_t>(i) : job.cell_ids[i];
  const Panels<Step> cells(job.cells, ids.data(), job.n_cells);
  const std::int64_t padded = cells.n_panels() * n_lanes;
  Strip<Step> strip(cells.n_groups());
  const Scratch<std::int32_t> keys_of(strip_rows * padded);
  SmallKeys small_keys(padded);
  for (std::int64_t first = 0; first < job.count; first += strip_rows) {
    const std::int64_t count = std::min<std::int64_t>(strip_rows, job.count - first);
    strip.fill(job.rows, job.members + first, count);
    strip.multiply_all(
        cells, 0, [&](std::int64_t r, std::int64_t p, Sums keys) __attribute__((always_inline)) {
          std::memcpy(keys_of.data() + r * padded + p * n_lanes, &keys, sizeof(keys));
        });
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t to = (first + r) * job.n_ranks;
      small_keys.find(keys_of.data() + r * padded, job.n_cells, job.n_ranks, job.ranks + to,
                      job.keys == nullptr ? nullptr : job.keys + to);
    }
  }
}

// Calls work(step) with the step that this processor takes for these rows.
template <class Work>
COTERIE_INLINE void with_step([[maybe_unused]] const CodedRows& rows, const Work& work) {
#if defined(__AVX512BW__)
  if (has_fused_products()) return rows.is_small ? work(QuadStep{}) : work(FusedPairStep{});
#endif
  rows.is_small ? work(PairStep<std::int8_t>{}) : work(PairStep<std::int16_t>{});
}

}  // namespace coterie::COTERIE_ISA
