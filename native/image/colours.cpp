#include "image/colours.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t pixels_per_task = 1 << 16;
constexpr std::size_t n_words = (std::size_t{1} << 24) / 64;  // of a bit for each colour

using Point = std::array<double, 3>;

std::uint32_t code_of(const std::uint8_t* pixel) {
  return static_cast<std::uint32_t>(pixel[0]) << 16 | static_cast<std::uint32_t>(pixel[1]) << 8 | pixel[2];
}

double fifth_root(double x) {
  double root = 1;  // of numbers up to 1, Newton's steps from above fall towards it
  for (int step = 0; step < 60; ++step) root -= (root - x / (root * root * root * root)) / 5;
  return root;
}

double cube_root(double x) {
  if (x <= 0) return 0;
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  bits = bits / 3 + 0x2A9F7893782DA1CEull;  // a third of the exponent: 5 bits are right
  double root;
  std::memcpy(&root, &bits, sizeof(root));
  for (int step = 0; step < 3; ++step) {  // Halley's step trebles them
    const double cube = root * root * root;
    root *= (cube + 2 * x) / (2 * cube + x);
  }
  return root;
}

std::array<double, 256> light_table() {
  std::array<double, 256> table;
  for (std::size_t value = 0; value < 256; ++value) table[value] = light_of(static_cast<double>(value) / 255);
  return table;
}

const std::array<double, 256>& lights() {
  static const std::array<double, 256> table = light_table();
  return table;
}

Point oklab_of(const Point& light) {
  const double l = cube_root(0.4122214708 * light[0] + 0.5363325363 * light[1] + 0.0514459929 * light[2]);
  const double m = cube_root(0.2119034982 * light[0] + 0.6806995451 * light[1] + 0.1073969566 * light[2]);
  const double s = cube_root(0.0883024619 * light[0] + 0.2817188376 * light[1] + 0.6299787005 * light[2]);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double cielab_step(double x) { return x > 216.0 / 24389 ? cube_root(x) : (24389.0 / 27 * x + 16) / 116; }

// The white is that of red, green and blue at their most, so that grey has no hue.
Point cielab_of(const Point& light) {
  const double x = cielab_step((0.4124564 * light[0] + 0.3575761 * light[1] + 0.1804375 * light[2]) / 0.95047);
  const double y = cielab_step((0.2126729 * light[0] + 0.7151522 * light[1] + 0.0721750 * light[2]) / 1.0000001);
  const double z = cielab_step((0.0193339 * light[0] + 0.1191920 * light[1] + 0.9503041 * light[2]) / 1.0888300);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// What errors are made of: amounts of light, in rgb the bytes from 0 to 1.
Point amounts_of(const std::uint8_t* pixel, ColourSpace space) {
  if (space == ColourSpace::rgb) return {pixel[0] / 255.0, pixel[1] / 255.0, pixel[2] / 255.0};
  return {lights()[pixel[0]], lights()[pixel[1]], lights()[pixel[2]]};
}

Point located(const Point& amounts, ColourSpace space) {
  if (space == ColourSpace::oklab) return oklab_of(amounts);
  return space == ColourSpace::cielab ? cielab_of(amounts) : amounts;
}

// A palette as columns of coordinates.
class Palette {
 public:
  Palette(const std::uint8_t* colours, std::int64_t k, ColourSpace space) : k_(k), places_(static_cast<std::size_t>(3 * k)) {
    for (std::int64_t c = 0; c < k; ++c) {
      amounts_.push_back(amounts_of(colours + 3 * c, space));
      const Point place = located(amounts_.back(), space);
      for (std::size_t t = 0; t < 3; ++t) places_[t * static_cast<std::size_t>(k) + static_cast<std::size_t>(c)] = place[t];
    }
  }

  std::int64_t nearest(const Point& place) const {
    const double *x = places_.data(), *y = x + k_, *z = y + k_;
    double least = 1e300;
    std::int64_t found = 0;
    for (std::int64_t c = 0; c < k_; ++c) {
      const double u = x[c] - place[0], v = y[c] - place[1], w = z[c] - place[2], squared = u * u + v * v + w * w;
      if (squared < least) {
        least = squared;
        found = c;
      }
    }
    return found;
  }

  const Point& amounts(std::int64_t c) const { return amounts_[static_cast<std::size_t>(c)]; }

 private:
  std::int64_t k_;
  std::vector<double> places_;
  std::vector<Point> amounts_;
};

}  // namespace

// x^2.4 is x^2 times the square of the fifth root of x.
double light_of(double encoded) {
  const double x = (encoded + 0.055) / 1.055, root = fifth_root(x);
  return encoded <= 0.04045 ? encoded / 12.92 : x * x * root * root;
}

// Which of the 2^24 colours occur takes 2 MB, which a cache holds: a table of counts would take 128.
ColourCounts count_colours(const std::uint8_t* pixels, const std::uint8_t* weights, std::int64_t n, int threads, std::int32_t* index) {
  std::vector<std::uint64_t> is_there(n_words);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t code = code_of(pixels + 3 * i);
    is_there[code / 64] |= std::uint64_t{1} << (code % 64);
    if ((i & (pixels_per_task - 1)) == 0) check_interrupt();
  }
  ColourCounts counts;
  std::vector<std::int32_t> before(n_words);  // how many colours come before those of a word
  for (std::size_t word = 0; word < n_words; ++word) {
    before[word] = static_cast<std::int32_t>(counts.colours.size() / 3);
    for (std::uint64_t left = is_there[word]; left != 0; left &= left - 1) {
      const std::uint64_t code = word * 64 + static_cast<std::uint64_t>(std::countr_zero(left));
      for (const int shift : {16, 8, 0}) counts.colours.push_back(static_cast<std::uint8_t>(code >> shift));
    }
  }
  parallel_for(block_count(n, pixels_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, pixels_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::uint32_t code = code_of(pixels + 3 * i);
      const std::uint64_t smaller = is_there[code / 64] & ((std::uint64_t{1} << (code % 64)) - 1);
      index[i] = before[code / 64] + std::popcount(smaller);
    }
  });
  counts.weights.resize(counts.colours.size() / 3);
  for (std::int64_t i = 0; i < n; ++i) counts.weights[static_cast<std::size_t>(index[i])] += weights == nullptr ? 1 : weights[i];
  return counts;
}

void locate_colours(const std::uint8_t* colours, std::int64_t n, ColourSpace space, int threads, double* coordinates) {
  parallel_for(block_count(n, pixels_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, pixels_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const Point place = located(amounts_of(colours + 3 * i, space), space);
      std::copy(place.begin(), place.end(), coordinates + 3 * i);
    }
  });
}

void diffuse_errors(const std::uint8_t* pixels, std::int64_t height, std::int64_t width, const std::uint8_t* palette, std::int64_t k,
                    ColourSpace space, std::int32_t* labels) {
  const Palette colours(palette, k, space);
  // a pixel of error beside each row, so that nobody asks where it ends
  std::vector<Point> here(static_cast<std::size_t>(width + 2), Point{}), below(here);
  for (std::int64_t y = 0; y < height; ++y) {
    check_interrupt();
    std::fill(below.begin(), below.end(), Point{});
    const bool is_forth = y % 2 == 0;
    const std::int64_t step = is_forth ? 1 : -1;
    for (std::int64_t at = 0; at < width; ++at) {
      const std::int64_t x = is_forth ? at : width - 1 - at, place = x + 1;
      Point wanted = amounts_of(pixels + 3 * (y * width + x), space);
      for (std::size_t t = 0; t < 3; ++t) wanted[t] = std::clamp(wanted[t] + here[static_cast<std::size_t>(place)][t], 0.0, 1.0);
      const std::int64_t chosen = colours.nearest(located(wanted, space));
      labels[y * width + x] = static_cast<std::int32_t>(chosen);
      for (std::size_t t = 0; t < 3; ++t) {
        const double error = (wanted[t] - colours.amounts(chosen)[t]) / 16;
        here[static_cast<std::size_t>(place + step)][t] += 7 * error;
        below[static_cast<std::size_t>(place - step)][t] += 3 * error;
        below[static_cast<std::size_t>(place)][t] += 5 * error;
        below[static_cast<std::size_t>(place + step)][t] += error;
      }
    }
    here.swap(below);
  }
}

}  // namespace coterie
