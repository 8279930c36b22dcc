// Colours of pictures: which there are, their coordinates in spaces in which distances are what people see, and error diffusion.
//
// Roots are found by additions, products and divisions alone, so that every processor gives the same coordinates.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

enum class ColourSpace { oklab, cielab, rgb };

// The colours of a picture in the order of red, green, blue.
struct ColourCounts {
  std::vector<std::uint8_t> colours;  // three bytes each
  std::vector<std::int64_t> weights;  // the sum of the weights of its pixels
};

// `pixels` has n times three bytes; `weights` one byte per pixel, or null: 1 each. Writes the colour of every pixel to `index`.
ColourCounts count_colours(const std::uint8_t* pixels, const std::uint8_t* weights, std::int64_t n, int threads, std::int32_t* index);

// The coordinates of n colours: L from 0 to 1 (oklab) or 100 (cielab); rgb is from 0 to 1.
void locate_colours(const std::uint8_t* colours, std::int64_t n, ColourSpace space, int threads, double* coordinates);

// What a number of sRGB from 0 to 1 means as an amount of light, from 0 to 1.
double light_of(double encoded);

// Floyd-Steinberg: every pixel takes the nearest colour of the palette, and its neighbours to come make up for the error. Errors are
// amounts of light, in rgb the bytes themselves; rows are walked to and fro.
void diffuse_errors(const std::uint8_t* pixels, std::int64_t height, std::int64_t width, const std::uint8_t* palette, std::int64_t k,
                    ColourSpace space, std::int32_t* labels);

}  // namespace coterie
