// Exponion: which centres went so much farther than the others that rows had better meet them one by one; and what passes cost.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kmeans/kmeans_kernels.h"

namespace coterie {

// What one pass over rows costs, in panels of centres that one row meets: estimates from timed passes on 16 and 128 columns (the
// rows middle, wide and many of benchmarks/rows/kmeans.py). They choose between ways that give the same answer. Panels of fewer
// columns are cheaper, what is around them is not: see overhead().
namespace pass_cost {
inline constexpr double plain_overhead = 1.5;    // of a row that meets all centres in the plain pass
inline constexpr double bounds = 0.9;            // of bringing a row's bounds up to date
inline constexpr double own_distance = 2.5;      // of testing a failing row by its own distance
inline constexpr double gathering_in_order = 7;  // of gathering a row for a strip and settling it
inline constexpr double gathering = 5;           // the same after sorting by cluster, and packing centres for it
inline constexpr double panel = 1.25;            // of a panel that such a row meets
inline constexpr double coded_panel = 0.27;      // of a panel that a row meets as codes
inline constexpr double coded_overhead = 1.1;    // of such a row
inline constexpr double in_doubt = 4;            // of a row that codes do not settle
inline constexpr double panel_in_doubt = 1.5;    // of a panel that such a row meets

// What costs other than panels weigh, with so many columns: not less with fewer, and more with more, but less than a panel does.
inline double overhead(std::int64_t cols) {
  const double part = 16 / static_cast<double>(cols);
  return cols < 16 ? part : std::sqrt(part);
}
}  // namespace pass_cost

inline constexpr std::int64_t sample_size = 2048;  // rows by whose bounds a pass is planned

// How far centres moved and how far apart they are, before the bounds of the rows are brought up to date.
struct CentreMoves {
  const float* moved;            // per centre, rounded up
  const float* between;          // centres x centres, rounded down; null: not known
  const ClusterDrift* drift;     // without fast centres
  std::int64_t n_centres;
  std::int64_t panel_width;
  std::int64_t cols;
};

struct FastChoice {
  std::vector<std::int32_t> ids;  // the fast centres, none if they do not pay
  double cost = 0;                // expected, in panels per row
  double share_of_full = 1;       // of the failing rows, how many are expected to meet all centres around them
};

// Chooses by the bounds of a sample of the rows.
FastChoice choose_fast_centres(const CentreMoves& moves, const RowBounds& bounds, std::int64_t n_rows);

}  // namespace coterie
