// One step of Prim's algorithm over rows: who has come nearer to the tree, and who is nearest now.
#pragma once

#include <cstdint>

namespace coterie {

// Points per panel: whole vectors on every machine.
inline constexpr std::int64_t prim_panel = 16;

// The points outside the tree, in panels of [coordinate][point].
struct PrimPoints {
  double* panels;
  double* nearest;      // squared distance to the tree
  std::int64_t* from;   // row of the tree that is so near
  std::int64_t dims;
  std::int64_t count;
};

struct PrimStep {
  double squared;
  std::int64_t position;
};

struct PrimKernels {
  // Takes a point of the tree into account for the panels [first, last); the nearest of their points, lowest first.
  PrimStep (*relax)(const PrimPoints& points, std::int64_t first, std::int64_t last, const double* added, std::int64_t row);
};

}  // namespace coterie
