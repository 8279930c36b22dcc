// A number for each of several rows, as sums over moments need it: in pairs, which any processor has registers for.
#pragma once

#include <cstddef>

namespace coterie {

inline constexpr int row_lanes = 8;  // rows that are taken at once

typedef double Pair __attribute__((vector_size(2 * sizeof(double))));

struct Lanes {
  static constexpr int pairs = row_lanes / 2;
  Pair pair[pairs];

  double operator[](int lane) const { return pair[lane / 2][lane % 2]; }
  void set(int lane, double value) { pair[lane / 2][lane % 2] = value; }
};

inline __attribute__((always_inline)) Lanes lanes_of(double value) {
  Lanes all;
  for (Pair& pair : all.pair) pair = Pair{value, value};
  return all;
}

inline __attribute__((always_inline)) Lanes product(const Lanes& a, const Lanes& b) {
  Lanes all;
#pragma GCC unroll 8
  for (int p = 0; p < Lanes::pairs; ++p) all.pair[p] = a.pair[p] * b.pair[p];
  return all;
}

// total += a * b, for each row.
inline __attribute__((always_inline)) void add_product(Lanes& total, double a, const Lanes& b) {
#pragma GCC unroll 8
  for (int p = 0; p < Lanes::pairs; ++p) total.pair[p] += a * b.pair[p];
}

inline __attribute__((always_inline)) void add_product(Lanes& total, const Lanes& a, const Lanes& b) {
#pragma GCC unroll 8
  for (int p = 0; p < Lanes::pairs; ++p) total.pair[p] += a.pair[p] * b.pair[p];
}

}  // namespace coterie
