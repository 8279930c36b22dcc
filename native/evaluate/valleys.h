// What the judge of a partition measures about two neighbouring groups: in how many directions they extend, and how deep the density
// falls between them along a line.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// Rows by group: members[starts[g]] .. members[starts[g + 1] - 1] are those of group g, the first of them stand for all.
struct GroupMembers {
  MatrixView<double> rows;
  const std::int64_t* members;
  const std::int64_t* starts;

  std::int64_t size(std::int64_t group) const { return starts[group + 1] - starts[group]; }
  const double* row(std::int64_t group, std::int64_t place) const { return rows.row(members[starts[group] + place]); }
};

// The dimension that the two groups have together at the scale of a third of their rows, as the group sees it that extends further:
// 1 for a tube, however bent.
double joint_extent(const GroupMembers& groups, std::int64_t low, std::int64_t high);

// In how many directions two groups extend where they meet: 1 for two tubes end to end.
double border_extent(const GroupMembers& groups, std::int64_t low, std::int64_t high);

// Logarithm of the distance to the `near`-th nearest other row, mean over the rows.
double mean_log_reach(const MatrixView<double>& rows, std::int64_t near, double least_square);

// The depth of the deepest valley of rising numbers between two places, in standard errors; `nothing` where there is no place.
double line_valley(const double* along, std::int64_t n, double first, double last, std::int64_t window, double nothing);

// Number, mean and scatter about it of the rows in the first half of a split and of those in the second.
struct HalfSums {
  double* counts;    // 2
  double* means;     // 2 x cols
  double* scatters;  // 2 x cols x cols
};

void sum_halves(const MatrixView<double>& rows, const std::uint8_t* is_first, const HalfSums& sums);

// At each edge, in their order, how far the lower of the two hills that it joins rises above it, at least 0.
std::vector<double> hill_rises(const std::int64_t* edges, const double* heights, std::int64_t n_edges, const double* peaks,
                               std::int64_t n_rows);

// The part of a forest that each row is in, when the edges with 0 are cut; numbered as their first rows come.
std::vector<std::int32_t> forest_parts(const std::int64_t* edges, const std::uint8_t* is_kept, std::int64_t n_edges,
                                       std::int64_t n_rows);

}  // namespace coterie
