// What the kernels of affinity propagation are asked to do: one row at a time, in working memory of the caller.
#pragma once

#include <cstdint>

namespace coterie {

// A step of one row. Responsibilities are alpha * similarity - level but in a few cells, availabilities are those of their column
// but in some cells: so neither is stored as a matrix.
template <class T>
struct MessageRow {
  const T* similarities;
  std::int64_t n;
  std::int64_t row;
  double damping;
  double alpha, level;                    // of its last responsibilities
  const std::int32_t* favoured;           // columns where these are larger,
  const double* favours;                  // and by how much
  std::int64_t n_favoured;
  const double* column_sums;              // of the last responsibilities
  const double* availability;             // per column: what most rows are told
  double own_offer;                       // of the row to itself
  double* deviations;                     // of the row's availabilities from those of the columns; replaced by the new ones
  double* offers;                         // working memory: availability + similarity
  std::int32_t* different;                // columns whose deviation is not 0; n places
  double* before;                         // working memory: n places
};

struct BestOffers {
  double best, next;
  std::int64_t at;           // the first column of the best
  std::int64_t n_different;
};

template <class T>
struct MessageKernels {
  // New deviations from the last responsibilities, and the two best offers.
  BestOffers (*offer)(const MessageRow<T>& row);
  // sums += the positive ones of alpha * similarities - level
  void (*add_positive)(const T* similarities, std::int64_t n, double alpha, double level, double* sums);
};

}  // namespace coterie
