// SLIC superpixels: k-means of colour and place whose centres look around themselves only, and what is cut off is joined again.
//
// R. Achanta et al., SLIC superpixels compared to state-of-the-art superpixel methods, IEEE TPAMI 34 (2012). Sums are of whole numbers, so
// that the order of threads changes nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

// Channels of 16 bits, one plane after the other.
struct PictureView {
  const std::int16_t* planes;
  std::int64_t n_channels;  // 1 or 3
  std::int64_t height, width;

  std::int64_t size() const { return height * width; }
  const std::int16_t* row(std::int64_t channel, std::int64_t y) const { return planes + channel * size() + y * width; }
};

struct SlicOptions {
  std::int64_t n_segments;  // about so many
  double compactness;  // how much colour one step of the grid is worth, in units of the channels
  std::int64_t max_iter;
  std::int64_t min_size;  // parts with fewer pixels join a neighbour
};

struct Regions {
  std::vector<std::int64_t> sizes;  // pixels of each
  std::vector<std::int64_t> colours;  // sums of its channels
};

struct SlicResult {
  Regions segments;
  std::int64_t n_iter;
};

// Writes the segment of every pixel, 0 .. n_segments - 1 by their first pixels.
SlicResult make_superpixels(const PictureView& picture, const SlicOptions& options, int threads, std::int32_t* labels);

// Splits labels into connected parts, joins those of fewer than min_size pixels to the neighbour of nearest colour, and numbers the rest
// by their first pixels.
Regions connect_labels(const PictureView& picture, std::int64_t min_size, int threads, std::int32_t* labels);

}  // namespace coterie
