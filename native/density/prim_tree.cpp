// Prim's tree of mutual reachability from rows of distances.
#include "density/prim_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/parallel.h"

namespace coterie {
GrownTree grow_from_first_row(std::int64_t n, const std::function<const double*(std::int64_t)>& distances_from, const double* core,
                              double alpha) {
  std::vector<double> reach(size_of(n), std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> source(reach.size(), 0), outside(reach.size());
  std::iota(outside.begin(), outside.end(), 0);
  GrownTree tree;
  for (std::int64_t row = 0, next = 0; !outside.empty(); row = next) {
    outside.erase(std::lower_bound(outside.begin(), outside.end(), row));
    if (outside.empty()) break;
    next = outside[0];
    const double* distances = distances_from(row);
    for (const std::int64_t other : outside) {
      const double direct = std::max({core[row], core[other], distances[other] / alpha});
      if (direct < reach[other]) {
        reach[other] = direct;
        source[other] = row;
      }
      if (reach[other] < reach[next]) next = other;
    }
    tree.ends.push_back(source[next]);
    tree.ends.push_back(next);
    tree.distance.push_back(reach[next]);
    check_interrupt();
  }
  return tree;
}

}  // namespace coterie
