// What the kernels of a CF tree offer: distances of a row to the centres of one node.
#pragma once

#include <cstdint>

namespace coterie {

// Centres of a node lie in panels of so many: feature by feature, those of a panel side by side. Places without a centre are infinite.
inline constexpr std::int64_t panel_slots = 16;

struct NearestCentre {
  std::int64_t slot;
  double squared;
};

struct NodeKernels {
  // The nearest of `count` centres, the first one of equals; slot 0 where no distance is finite.
  NearestCentre (*nearest)(const double* panels, std::int64_t count, std::int64_t dims, const double* x);
  // Squared distances to every place of the panels.
  void (*distances)(const double* panels, std::int64_t n_panels, std::int64_t dims, const double* x, double* squared);
};

}  // namespace coterie
