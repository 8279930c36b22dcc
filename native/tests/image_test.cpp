// Superpixels are those of slow loops on every instruction set and for any number of threads; colours come back from their coordinates.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "image/colours.h"
#include "image/superpixels.h"
#include "support/cpu_dispatch.h"
#include "support/random.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

std::vector<std::int16_t> some_planes(std::int64_t n_channels, std::int64_t height, std::int64_t width, std::uint64_t seed) {
  const CounterRandom random(seed);
  std::vector<std::int16_t> planes;
  std::uint64_t drawn = 0;
  for (std::int64_t c = 0; c < n_channels; ++c)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        planes.push_back(static_cast<std::int16_t>(2000 * ((x / 9 + y / 7 + c) % 5) + 900 * random.uniform(0, drawn++)));
  return planes;
}

// What `offer_centre` does, pixel by pixel.
void offer_slowly(const CentreOffer& offer) {
  for (std::int64_t at = offer.begin; at < offer.end; ++at) {
    const float along = static_cast<float>(at) - offer.x, u = static_cast<float>(offer.channels[0][at]) - offer.colour[0];
    float cost = offer.row_cost + along * along * offer.column_weight + u * u;
    if (offer.n_channels > 1) {
      const float v = static_cast<float>(offer.channels[1][at]) - offer.colour[1];
      const float w = static_cast<float>(offer.channels[2][at]) - offer.colour[2];
      cost = cost + v * v + w * w;
    }
    if (cost < offer.best[at]) {
      offer.best[at] = cost;
      offer.labels[at] = offer.label;
    }
  }
}

void check_offers(const std::vector<std::int16_t>& planes, std::int64_t n_channels, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = 77;
  std::vector<float> best(width, std::numeric_limits<float>::infinity()), slow_best(best);
  std::vector<std::int32_t> labels(width, -1), slow_labels(labels);
  for (std::int32_t label = 0; label < 5; ++label) {
    CentreOffer offer{};
    for (std::int64_t c = 0; c < n_channels; ++c) offer.channels[c] = planes.data() + c * width;
    offer.n_channels = n_channels;
    offer.begin = begin;
    offer.end = end;
    offer.x = 13.3F * static_cast<float>(label);
    offer.row_cost = 100.7F;
    offer.column_weight = 12.1F;
    for (int t = 0; t < 3; ++t) offer.colour[t] = 1000.3F * static_cast<float>(label + t);
    offer.label = label;
    offer.best = best.data();
    offer.labels = labels.data();
    engine().image.offer_centre(offer);
    offer.best = slow_best.data();
    offer.labels = slow_labels.data();
    offer_slowly(offer);
  }
  CHECK(labels == slow_labels);
  CHECK(best == slow_best);
}

TEST(offers_and_sums_are_those_of_slow_loops) {
  const auto planes = some_planes(3, 1, 77, 5);
  testing::on_every_instruction_set([&] {
    for (const std::int64_t n_channels : {1, 3})
      for (const std::int64_t begin : {0, 3, 40})
        for (const std::int64_t end : {41, 58, 77}) check_offers(planes, n_channels, begin, end);
    const std::vector<std::int16_t> extreme(100'000, std::numeric_limits<std::int16_t>::min());
    for (const std::int64_t count : {0, 1, 31, 32'768, 100'000})
      CHECK(engine().image.sum_run(extreme.data(), count) == count * std::numeric_limits<std::int16_t>::min());
  });
}

TEST(superpixels_do_not_depend_on_threads) {
  for (const std::int64_t n_channels : {1, 3}) {
    const std::int64_t height = 45, width = 71;
    const auto planes = some_planes(n_channels, height, width, 7);
    const PictureView picture{planes.data(), n_channels, height, width};
    std::vector<std::int32_t> first(static_cast<std::size_t>(height * width)), labels(first);
    const SlicResult one = make_superpixels(picture, {40, 1280, 10, 20}, 1, first.data());
    for (const int threads : {2, 5}) {
      const SlicResult other = make_superpixels(picture, {40, 1280, 10, 20}, threads, labels.data());
      CHECK(labels == first);
      CHECK(other.segments.sizes == one.segments.sizes);
      CHECK(other.segments.colours == one.segments.colours);
    }
    std::int64_t total = 0;
    for (const std::int64_t size : one.segments.sizes) {
      CHECK(size >= 20);
      total += size;
    }
    CHECK(total == height * width);
  }
}

TEST(any_shape_ends) {
  for (const std::int64_t height : {1, 2, 30})
    for (const std::int64_t width : {1, 3, 40})
      for (const std::int64_t n_segments : {1, 2, 1200}) {
        const auto planes = some_planes(3, height, width, 11);
        const PictureView picture{planes.data(), 3, height, width};
        std::vector<std::int32_t> labels(static_cast<std::size_t>(height * width));
        const SlicResult found = make_superpixels(picture, {std::min(n_segments, height * width), 1e-9, 3, 1}, 2, labels.data());
        const auto n = static_cast<std::int32_t>(found.segments.sizes.size());
        for (const std::int32_t label : labels) CHECK(label >= 0 && label < n);
      }
}

TEST(colours_are_counted_and_diffused) {
  const std::vector<std::uint8_t> pixels = {9, 9, 9, 0, 0, 1, 9, 9, 9, 255, 0, 0};
  const std::vector<std::uint8_t> weights = {1, 0, 5, 7};
  std::vector<std::int32_t> index(4);
  const ColourCounts counts = count_colours(pixels.data(), weights.data(), 4, 2, index.data());
  CHECK(counts.colours == std::vector<std::uint8_t>({0, 0, 1, 9, 9, 9, 255, 0, 0}));
  CHECK(counts.weights == std::vector<std::int64_t>({0, 6, 7}));
  CHECK(index == std::vector<std::int32_t>({1, 0, 1, 2}));
  for (const ColourSpace space : {ColourSpace::oklab, ColourSpace::cielab, ColourSpace::rgb}) {
    std::vector<std::int32_t> labels(4);
    diffuse_errors(pixels.data(), 2, 2, counts.colours.data(), 3, space, labels.data());
    CHECK(labels == index);
  }
  CHECK(std::abs(light_of(0.5) - std::pow((0.5 + 0.055) / 1.055, 2.4)) < 1e-15);
  CHECK(light_of(0) == 0 && std::abs(light_of(1) - 1) < 1e-15);
}

}  // namespace
}  // namespace coterie
