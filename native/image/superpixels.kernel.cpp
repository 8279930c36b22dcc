// The inner loops of SLIC. Every pixel is compared by itself and sums are of whole numbers: vectors of any width give the same bits.
#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int width = lanes<float>;
typedef std::int16_t Shorts __attribute__((vector_size(2 * width), aligned(2), may_alias));
typedef std::int32_t Labels __attribute__((vector_size(4 * width), aligned(4), may_alias));

COTERIE_INLINE Vec<float> load_shorts(const std::int16_t* from) {
  return __builtin_convertvector(*reinterpret_cast<const Shorts*>(from), Vec<float>);
}

COTERIE_INLINE Mask<float> load_labels(const std::int32_t* from) { return *reinterpret_cast<const Labels*>(from); }

COTERIE_INLINE void store_labels(std::int32_t* to, Mask<float> value) { *reinterpret_cast<Labels*>(to) = value; }

// What a pixel, or a vector of them, costs a centre.
template <int n_channels, class V>
COTERIE_INLINE V cost_of(V along, V u, V v, V w, V row_cost, V weight) {
  const V cost = row_cost + along * along * weight + u * u;
  return n_channels == 1 ? cost : cost + v * v + w * w;
}

template <int n_channels>
COTERIE_INLINE void offer_to_pixels(const CentreOffer& offer) {
  const std::int16_t *first = offer.channels[0], *second = offer.channels[n_channels == 1 ? 0 : 1],
                     *third = offer.channels[n_channels == 1 ? 0 : 2];
  const float *colour = offer.colour, weight = offer.column_weight;
  std::int64_t at = offer.begin;
  Vec<float> column = __builtin_convertvector(lane_numbers<float>() + static_cast<std::int32_t>(at), Vec<float>) - offer.x;
  for (; at + width <= offer.end; at += width) {
    const Vec<float> cost =
        cost_of<n_channels, Vec<float>>(column, load_shorts(first + at) - colour[0], load_shorts(second + at) - colour[1],
                                        load_shorts(third + at) - colour[2], broadcast(offer.row_cost), broadcast(weight));
    const Vec<float> best = load(offer.best + at);
    const Mask<float> is_nearer = cost < best;
    const Mask<float> labels = load_labels(offer.labels + at);
    store(offer.best + at, is_nearer ? cost : best);
    store_labels(offer.labels + at, is_nearer ? broadcast_index<float>(offer.label) : labels);
    column = __builtin_convertvector(lane_numbers<float>() + static_cast<std::int32_t>(at + width), Vec<float>) - offer.x;
  }
  for (; at < offer.end; ++at) {
    const float cost = cost_of<n_channels, float>(static_cast<float>(at) - offer.x, static_cast<float>(first[at]) - colour[0],
                                                  static_cast<float>(second[at]) - colour[1],
                                                  static_cast<float>(third[at]) - colour[2], offer.row_cost, weight);
    if (cost < offer.best[at]) {
      offer.best[at] = cost;
      offer.labels[at] = offer.label;
    }
  }
}

void offer_centre(const CentreOffer& offer) { offer.n_channels == 1 ? offer_to_pixels<1>(offer) : offer_to_pixels<3>(offer); }

std::int64_t sum_run(const std::int16_t* values, std::int64_t count) {
  constexpr std::int64_t block = 1 << 15;  // so many numbers of 16 bits fit into a sum of 32
  std::int64_t total = 0;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = begin + block < count ? begin + block : count;
    std::int32_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += values[i];
    total += sum;
  }
  return total;
}

}  // namespace

void install_superpixels(Engine& engine) {
  engine.image.offer_centre = offer_centre;
  engine.image.sum_run = sum_run;
}

}  // namespace coterie::COTERIE_ISA
