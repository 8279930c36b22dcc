// Labels of any kind become codes 0..k-1, in the sorted order of the labels.
#pragma once

#include <cstdint>
#include <vector>

#include "support/parallel.h"

namespace coterie {

// Integer labels of any width; values are handled as 64-bit patterns, differences wrap around.
struct IntegerLabels {
  const void* data;
  std::int64_t size;
  int bytes;
  bool is_signed;
};

// The smallest label and how far the largest is from it.
struct LabelSpan {
  std::uint64_t lowest;
  std::uint64_t width;
};

// Fixed-width text: `width` units of `unit` bytes (1: bytes, 4: UCS-4 code points) per row, padded with zeros.
struct TextLabels {
  const unsigned char* data;
  std::int64_t size;
  std::int64_t width;
  int unit;

  std::int64_t row_bytes() const { return width * unit; }
};

LabelSpan find_span(const IntegerLabels& labels, int threads);

// offsets[i] = label of rows.begin + i, minus `lowest`; every offset must fit 32 bits.
void load_offsets(const IntegerLabels& labels, Range rows, std::uint64_t lowest, std::uint32_t* offsets);

// Writes the code of every label to `codes`; returns the sorted distinct labels as 64-bit patterns.
std::vector<std::uint64_t> encode_integers(const IntegerLabels& labels, std::int32_t* codes, int threads);

// Writes the code of every label to `codes`; returns a row that holds each distinct label, in sorted order.
std::vector<std::int64_t> encode_text(const TextLabels& labels, std::int32_t* codes, int threads);

}  // namespace coterie
