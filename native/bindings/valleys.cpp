#include "evaluate/valleys.h"

#include "bindings/bindings.h"
#include "bindings/checks.h"

#include <nanobind/stl/tuple.h>

namespace coterie {
namespace {

GroupMembers checked_members(const Matrix<double>& X, const Vector<std::int64_t>& members, const Vector<std::int64_t>& starts,
                             const Matrix<std::int64_t>& pairs) {
  check_indices("members", members, view(X).rows);
  check_starts("starts", starts, members.shape(0));
  check_edges("pairs", pairs, static_cast<std::int64_t>(starts.shape(0)) - 1);
  return {view(X), members.data(), starts.data()};
}

template <class Measure>
auto of_pairs(const GroupMembers& groups, const Matrix<std::int64_t>& pairs, Measure measure) {
  auto found = new_vector<double>(view(pairs).rows);
  without_gil([&] {
    for (std::int64_t i = 0; i < view(pairs).rows; ++i)
      found.data()[i] = measure(groups, pairs.data()[2 * i], pairs.data()[2 * i + 1]);
  });
  return found;
}

auto bind_line_valleys(const Matrix<double>& along, const Vector<double>& first, const Vector<double>& last,
                       const Vector<std::int64_t>& windows, double nothing) {
  const MatrixView<double> lines = view(along);
  check_size("first", first.shape(0), lines.rows);
  check_size("last", last.shape(0), lines.rows);
  check_indices("windows", windows, lines.cols + 1, 1);
  auto depths = new_matrix<double>(lines.rows, static_cast<std::int64_t>(windows.shape(0)));
  without_gil([&] {
    double* depth = depths.data();
    for (std::int64_t i = 0; i < lines.rows; ++i)
      for (std::size_t w = 0; w < windows.shape(0); ++w)
        *depth++ = line_valley(lines.row(i), lines.cols, first.data()[i], last.data()[i], windows.data()[w], nothing);
  });
  return depths;
}

double bind_mean_log_reach(const Matrix<double>& X, std::int64_t near, double least_square) {
  check_that(near >= 0 && near < view(X).rows, "near must be below the number of rows.");
  double found = 0;
  without_gil([&] { found = mean_log_reach(view(X), near, least_square); });
  return found;
}

// Counts (splits x 2), means (splits x 2 x cols) and scatters (splits x 2 x cols x cols), the last two as rows.
auto bind_sum_halves(const Matrix<double>& X, const Matrix<std::uint8_t>& halves) {
  check_size("halves", view(halves).cols, view(X).rows);
  const std::int64_t n_splits = view(halves).rows, d = view(X).cols;
  auto counts = new_matrix<double>(n_splits, 2);
  auto means = new_matrix<double>(2 * n_splits, d), scatters = new_matrix<double>(2 * n_splits, d * d);
  without_gil([&] {
    for (std::int64_t s = 0; s < n_splits; ++s)
      sum_halves(view(X), view(halves).row(s), {counts.data() + 2 * s, means.data() + 2 * s * d, scatters.data() + 2 * s * d * d});
  });
  return std::make_tuple(counts, means, scatters);
}

auto bind_hill_rises(const Matrix<std::int64_t>& edges, const Vector<double>& heights, const Vector<double>& peaks) {
  check_edges("edges", edges, static_cast<std::int64_t>(peaks.shape(0)));
  check_size("heights", heights.shape(0), view(edges).rows);
  std::vector<double> found;
  without_gil([&] {
    found = hill_rises(edges.data(), heights.data(), view(edges).rows, peaks.data(), static_cast<std::int64_t>(peaks.shape(0)));
  });
  return copied(found);
}

auto bind_forest_parts(const Matrix<std::int64_t>& edges, const Vector<std::uint8_t>& is_kept, std::int64_t n_rows) {
  check_edges("edges", edges, n_rows);
  check_size("is_kept", is_kept.shape(0), view(edges).rows);
  std::vector<std::int32_t> found;
  without_gil([&] { found = forest_parts(edges.data(), is_kept.data(), view(edges).rows, n_rows); });
  return copied(found);
}

}  // namespace

void bind_valleys(nb::module_& module) {
  module.def(
      "joint_extents",
      [](const Matrix<double>& X, const Vector<std::int64_t>& members, const Vector<std::int64_t>& starts,
         const Matrix<std::int64_t>& pairs) { return of_pairs(checked_members(X, members, starts, pairs), pairs, joint_extent); },
      "X"_a, "members"_a, "starts"_a, "pairs"_a, "In how many directions the two groups of each pair extend together.");
  module.def(
      "border_extents",
      [](const Matrix<double>& X, const Vector<std::int64_t>& members, const Vector<std::int64_t>& starts,
         const Matrix<std::int64_t>& pairs) { return of_pairs(checked_members(X, members, starts, pairs), pairs, border_extent); },
      "X"_a, "members"_a, "starts"_a, "pairs"_a, "In how many directions the groups of each pair extend at their border.");
  module.def("mean_log_reach", &bind_mean_log_reach, "X"_a, "near"_a, "least_square"_a,
             "Mean logarithm of the distance to the near-th nearest other row.");
  module.def("line_valleys", &bind_line_valleys, "along"_a, "first"_a, "last"_a, "windows"_a, "nothing"_a,
             "Depth of the deepest valley between two places of each line of rising numbers, for each window.");
  module.def("sum_halves", &bind_sum_halves, "X"_a, "halves"_a,
             "Numbers, means and scatters of the rows with 1 and of those with 0, for each line of halves.");
  module.def("hill_rises", &bind_hill_rises, "edges"_a, "heights"_a, "peaks"_a,
             "How far the lower of the two hills that each edge joins rises above it.");
  module.def("forest_parts", &bind_forest_parts, "edges"_a, "is_kept"_a, "n_rows"_a,
             "The part that each row is in when the edges with 0 are cut, numbered as their first rows come.");
}

}  // namespace coterie
