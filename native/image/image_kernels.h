// What the kernels of pictures offer: pixels of one row against one centre, and sums of a run of pixels.
#pragma once

#include <cstdint>

namespace coterie {

// Pixels [begin, end) of a row are offered the centre `label`; those that are nearer to it than to their best so far take it.
struct CentreOffer {
  const std::int16_t* channels[3];  // of the row; as many as n_channels
  std::int64_t n_channels;  // 1 or 3
  std::int64_t begin, end;
  float x;  // of the centre
  float row_cost;  // what the distance between rows adds
  float column_weight;  // of the squared distance between columns
  float colour[3];  // of the centre
  std::int32_t label;
  float* best;
  std::int32_t* labels;
};

struct ImageKernels {
  void (*offer_centre)(const CentreOffer& offer);
  // The sum of `count` numbers, exactly.
  std::int64_t (*sum_run)(const std::int16_t* values, std::int64_t count);
};

}  // namespace coterie
