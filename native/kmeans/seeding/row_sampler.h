// Draws rows with probability proportional to their mass, in two steps: a block of rows, then a row in it.
#pragma once

#include <cstdint>
#include <vector>

namespace coterie {

// The mass of row i is weights[i] * masses[i]; a null pointer stands for ones.
template <class T>
class RowSampler {
 public:
  RowSampler(const double* weights, std::int64_t n, int threads);

  // Adds up the masses; `masses` must stay as they are until the last draw. Returns the total.
  double measure(const T* masses);
  // The row at the share `uniform` of the total, in [0, 1); rows without mass are never drawn. The total must be positive.
  std::int64_t draw(double uniform) const;
  // The share of every row, into out[0], out[stride], ...
  void write_probabilities(double* out, std::int64_t stride) const;

 private:
  double mass(std::int64_t row) const;

  const double* weights_;
  const T* masses_ = nullptr;
  std::int64_t n_;
  int threads_;
  std::vector<double> below_;  // per block: the mass of all blocks before it; the total last
};

}  // namespace coterie
