#include "distance/sphere.h"

#include <cmath>

#include "support/parallel.h"

namespace coterie {
namespace {

struct SineCosine {
  double sine, cosine;
};

SineCosine of_radians(double angle) { return {std::sin(angle), std::cos(angle)}; }

SineCosine of_degrees(double angle) {
  constexpr double degree = 0.017453292519943295;
  const double turned = std::remainder(angle, 360.0), quarters = std::nearbyint(turned / 90);
  const SineCosine rest = of_radians((turned - 90 * quarters) * degree);  // the difference is exact
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return rest;
    case 1:
      return {rest.cosine, -rest.sine};
    case 2:
      return {-rest.sine, -rest.cosine};
    default:
      return {-rest.cosine, rest.sine};
  }
}

}  // namespace

void unit_vectors(const MatrixView<double>& X, bool in_degrees, int threads, const MutableMatrixView<double>& out) {
  constexpr std::int64_t rows_per_task = 4096;
  const auto turn = in_degrees ? of_degrees : of_radians;
  parallel_for(block_count(X.rows, rows_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, rows_per_task, task);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const SineCosine latitude = turn(X.row(i)[0]), longitude = turn(X.row(i)[1]);
      double* place = out.row(i);
      place[0] = latitude.cosine * longitude.cosine;
      place[1] = latitude.cosine * longitude.sine;
      place[2] = latitude.sine;
    }
  });
}

}  // namespace coterie
