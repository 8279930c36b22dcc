// Places on a sphere.
#pragma once

#include "support/matrix_view.h"

namespace coterie {

// out[i] = unit vector of the place with latitude X[i][0] and longitude X[i][1], in radians or degrees. In degrees whole turns and
// right angles are exact: 180 and -180 are one meridian, and 90 is a pole.
void unit_vectors(const MatrixView<double>& X, bool in_degrees, int threads, const MutableMatrixView<double>& out);

}  // namespace coterie
