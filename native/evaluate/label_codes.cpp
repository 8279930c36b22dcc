#include "evaluate/label_codes.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>

#include "evaluate/label_table.h"

namespace coterie {
namespace {

constexpr std::int64_t block_rows = 1 << 16;
constexpr std::uint64_t small_span = 1 << 16;  // a table of this size is free, however few the labels

template <class T>
struct Typed {
  const T* data;

  // Widened to 64 bits with its sign, so that differences are right for signed labels too.
  std::uint64_t operator[](std::int64_t i) const {
    if constexpr (std::is_signed_v<T>)
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(data[i]));
    else
      return static_cast<std::uint64_t>(data[i]);
  }
};

template <class Body>
auto with_type(const IntegerLabels& labels, Body&& body) {
  const auto as = [&]<class S, class U>(S, U) {
    return labels.is_signed ? body(Typed<S>{static_cast<const S*>(labels.data)}) : body(Typed<U>{static_cast<const U*>(labels.data)});
  };
  switch (labels.bytes) {
    case 1:
      return as(std::int8_t{}, std::uint8_t{});
    case 2:
      return as(std::int16_t{}, std::uint16_t{});
    case 4:
      return as(std::int32_t{}, std::uint32_t{});
    default:
      return as(std::int64_t{}, std::uint64_t{});
  }
}

struct Extremes {
  std::uint64_t lowest;
  std::uint64_t highest;
};

template <class T>
Extremes find_extremes(const T* values, Range rows) {
  T lowest = values[rows.begin], highest = lowest;
  for (std::int64_t i = rows.begin + 1; i < rows.end; ++i) {
    lowest = std::min(lowest, values[i]);
    highest = std::max(highest, values[i]);
  }
  const Typed<T> ends{&lowest}, tops{&highest};
  return {ends[0], tops[0]};
}

// Unsigned patterns that sort as the labels do.
std::uint64_t sign_flip(const IntegerLabels& labels) { return labels.is_signed ? std::uint64_t{1} << 63 : 0; }

std::vector<std::uint64_t> encode_by_table(const IntegerLabels& labels, LabelSpan span, std::int32_t* codes, int threads) {
  const std::int64_t slots = static_cast<std::int64_t>(span.width) + 1;
  const std::unique_ptr<std::int32_t[]> code_of(new std::int32_t[static_cast<std::size_t>(slots)]());
  const std::int64_t tasks = block_count(labels.size, block_rows);
  with_type(labels, [&](auto values) {
    parallel_for(tasks, threads, [&](std::int64_t task, int) {
      const Range rows = block_range(labels.size, block_rows, task);
      for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        const std::atomic_ref<std::int32_t> slot(code_of[values[i] - span.lowest]);
        // reading first: threads that store the same slot again and again would fight for its cache line
        if (slot.load(std::memory_order_relaxed) == 0) slot.store(1, std::memory_order_relaxed);
      }
    });
    return 0;
  });
  std::vector<std::uint64_t> distinct;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    if (code_of[slot] == 0) continue;
    code_of[slot] = static_cast<std::int32_t>(distinct.size());
    distinct.push_back(span.lowest + static_cast<std::uint64_t>(slot));
  }
  with_type(labels, [&](auto values) {
    parallel_for(tasks, threads, [&](std::int64_t task, int) {
      const Range rows = block_range(labels.size, block_rows, task);
      for (std::int64_t i = rows.begin; i < rows.end; ++i) codes[i] = code_of[values[i] - span.lowest];
    });
    return 0;
  });
  return distinct;
}

template <class T>
struct IntegerKeys {
  Typed<T> values;
  std::uint64_t flip;

  std::uint64_t hash(std::int64_t i) const { return mix(values[i]); }
  bool equal(std::int64_t i, std::int64_t j) const { return values[i] == values[j]; }
  std::uint64_t prefix(std::int64_t i) const { return values[i] ^ flip; }
  bool less_beyond_prefix(std::int64_t, std::int64_t) const { return false; }
};

// Words is the number of whole words of eight bytes when it is known to the compiler, which unrolls the loops then; otherwise -1.
template <class Unit, std::int64_t Words>
struct TextKeys {
  static constexpr std::int64_t units_in_prefix = 8 / sizeof(Unit);
  TextLabels labels;

  std::int64_t words() const { return Words >= 0 ? Words : labels.row_bytes() / 8; }
  const unsigned char* row(std::int64_t i) const { return labels.data + i * labels.row_bytes(); }
  // The bytes after the last whole word; of units of four bytes there is one at most.
  std::uint64_t rest(const unsigned char* row) const {
    const std::int64_t whole = 8 * words(), left = labels.row_bytes() - whole;
    if constexpr (sizeof(Unit) == 4) {
      std::uint32_t unit = 0;
      if (left > 0) std::memcpy(&unit, row + whole, 4);
      return unit;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, row + whole, static_cast<std::size_t>(left));
    return word;
  }
  static std::uint64_t word_at(const unsigned char* row, std::int64_t at) {
    std::uint64_t word;
    std::memcpy(&word, row + 8 * at, 8);
    return word;
  }
  std::uint64_t hash(std::int64_t i) const {
    const unsigned char* bytes = row(i);
    std::uint64_t state = 0;
    for (std::int64_t at = 0; at < words(); ++at) state = std::rotl(state ^ word_at(bytes, at), 29) * 0x9e3779b97f4a7c15u;
    return mix(state ^ rest(bytes));
  }
  // by words: rows are short, and a call of memcmp costs more than the comparison
  bool equal(std::int64_t i, std::int64_t j) const {
    const unsigned char *left = row(i), *right = row(j);
    for (std::int64_t at = 0; at < words(); ++at)
      if (word_at(left, at) != word_at(right, at)) return false;
    return rest(left) == rest(right);
  }
  Unit unit_at(std::int64_t i, std::int64_t at) const {
    Unit value;
    std::memcpy(&value, row(i) + at * static_cast<std::int64_t>(sizeof(Unit)), sizeof(Unit));
    return value;
  }
  std::uint64_t prefix(std::int64_t i) const {
    std::uint64_t packed = 0;
    for (std::int64_t at = 0; at < units_in_prefix; ++at) {
      packed = (packed << (8 * sizeof(Unit))) | (at < labels.width ? unit_at(i, at) : 0);
    }
    return packed;
  }
  bool less_beyond_prefix(std::int64_t i, std::int64_t j) const {
    for (std::int64_t at = units_in_prefix; at < labels.width; ++at) {
      const Unit left = unit_at(i, at), right = unit_at(j, at);
      if (left != right) return left < right;
    }
    return false;
  }
};

constexpr std::int64_t most_unrolled_words = 5;

// Finds the number of words among most_unrolled_words ... 0 that the labels have; longer text is left to the general case.
template <std::int64_t Words>
std::vector<std::int64_t> encode_short_text(const TextLabels& labels, std::int32_t* codes, int threads) {
  if constexpr (Words >= 0) {
    if (labels.row_bytes() / 8 != Words) return encode_short_text<Words - 1>(labels, codes, threads);
  }
  return encode_by_hash(TextKeys<std::uint32_t, Words>{labels}, labels.size, codes, threads);
}

}  // namespace

LabelSpan find_span(const IntegerLabels& labels, int threads) {
  const std::int64_t tasks = block_count(labels.size, block_rows);
  if (tasks == 0) return {0, 0};
  std::vector<Extremes> parts(static_cast<std::size_t>(tasks));
  with_type(labels, [&](auto values) {
    parallel_for(tasks, threads, [&](std::int64_t task, int) {
      parts[task] = find_extremes(values.data, block_range(labels.size, block_rows, task));
    });
    return 0;
  });
  const std::uint64_t flip = sign_flip(labels);
  Extremes all = parts[0];
  for (const Extremes& part : parts) {
    if ((part.lowest ^ flip) < (all.lowest ^ flip)) all.lowest = part.lowest;
    if ((part.highest ^ flip) > (all.highest ^ flip)) all.highest = part.highest;
  }
  return {all.lowest, all.highest - all.lowest};
}

void load_offsets(const IntegerLabels& labels, Range rows, std::uint64_t lowest, std::uint32_t* offsets) {
  with_type(labels, [&](auto values) {
    const auto* begin = values.data + rows.begin;
    const auto base = static_cast<std::uint32_t>(lowest);  // modulo 2^32 suffices: offsets fit 32 bits
    for (std::int64_t i = 0; i < rows.size(); ++i) offsets[i] = static_cast<std::uint32_t>(begin[i]) - base;
    return 0;
  });
}

std::vector<std::uint64_t> encode_integers(const IntegerLabels& labels, std::int32_t* codes, int threads) {
  if (labels.size == 0) return {};
  const LabelSpan span = find_span(labels, threads);
  const auto rows = static_cast<std::uint64_t>(labels.size);
  if (span.width < std::max(small_span, 4 * rows)) return encode_by_table(labels, span, codes, threads);
  return with_type(labels, [&]<class T>(Typed<T> values) {
    std::vector<std::uint64_t> distinct;
    if constexpr (sizeof(T) >= 4) {  // a span of shorter ones is small
      const IntegerKeys<T> keys{values, sign_flip(labels)};
      for (const std::int64_t row : encode_by_hash(keys, labels.size, codes, threads)) distinct.push_back(values[row]);
    }
    return distinct;
  });
}

std::vector<std::int64_t> encode_text(const TextLabels& labels, std::int32_t* codes, int threads) {
  if (labels.unit == 4) return encode_short_text<most_unrolled_words>(labels, codes, threads);
  return encode_by_hash(TextKeys<unsigned char, -1>{labels}, labels.size, codes, threads);
}

}  // namespace coterie
