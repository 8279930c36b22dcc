#include "series/series.h"

#include "bindings/bindings.h"
#include "bindings/checks.h"

namespace coterie {
namespace {

using Starts = Vector<std::int64_t>;

// Series of at least one point each, which together are all points.
SeriesView checked_series(const char* name, const Matrix<double>& values, const Starts& starts) {
  check_starts(name, starts, values.shape(0));
  const auto count = static_cast<std::int64_t>(starts.shape(0)) - 1;
  for (std::int64_t i = 0; i < count; ++i)
    check_that(starts.data()[i] < starts.data()[i + 1], std::string(name) + " must leave a point for every series.");
  check_that(values.shape(1) > 0, "series must have a column.");
  return {values.data(), starts.data(), count, static_cast<std::int64_t>(values.shape(1))};
}

ElasticOptions checked_options(Elastic kind, std::int64_t radius, double parameter, const Starts& skips) {
  check_size("skips", skips.shape(0), 4);
  for (int i = 0; i < 4; ++i) check_that(skips.data()[i] >= 0, "skips must be at least 0.");
  return {kind, radius, parameter, {skips.data()[0], skips.data()[1]}, {skips.data()[2], skips.data()[3]}};
}

NewMatrix<double> bind_pairs(const Matrix<double>& X, const Starts& X_starts, const Matrix<double>& Y, const Starts& Y_starts,
                             bool is_same, Elastic kind, std::int64_t radius, double parameter, const Starts& skips, int threads) {
  const SeriesView first = checked_series("X_starts", X, X_starts), second = checked_series("Y_starts", Y, Y_starts);
  check_columns("Y", Y, first.columns);
  check_that(!is_same || first.count == second.count, "is_same needs the same series twice.");
  const ElasticOptions options = checked_options(kind, radius, parameter, skips);
  auto distances = new_matrix<double>(first.count, second.count);
  without_gil([&] { compare_all_pairs(first, second, is_same, options, threads, distances.data()); });
  return distances;
}

NewVector<double> bind_paired(const Matrix<double>& X, const Starts& X_starts, const Matrix<double>& Y, const Starts& Y_starts,
                              Elastic kind, std::int64_t radius, double parameter, const Starts& skips, int threads) {
  const SeriesView first = checked_series("X_starts", X, X_starts), second = checked_series("Y_starts", Y, Y_starts);
  check_columns("Y", Y, first.columns);
  check_that(first.count == second.count, "X and Y must have as many series.");
  const ElasticOptions options = checked_options(kind, radius, parameter, skips);
  auto distances = new_vector<double>(first.count);
  without_gil([&] { compare_paired(first, second, options, threads, distances.data()); });
  return distances;
}

nb::tuple bind_nearest(const Matrix<double>& X, const Starts& X_starts, const Matrix<double>& Y, const Starts& Y_starts,
                       std::int64_t k, std::int64_t radius, int threads) {
  const SeriesView queries = checked_series("X_starts", X, X_starts), series = checked_series("Y_starts", Y, Y_starts);
  check_columns("Y", Y, queries.columns);
  check_that(k >= 1 && k <= series.count, "k must be at least 1 and at most the number of series.");
  auto distances = new_matrix<double>(queries.count, k);
  auto indices = new_matrix<std::int64_t>(queries.count, k);
  SearchCounts counts;
  without_gil([&] { counts = find_nearest_series(queries, series, k, radius, threads, distances.data(), indices.data()); });
  return nb::make_tuple(distances, indices, nb::make_tuple(counts.pairs, counts.by_ends, counts.by_envelope, counts.compared));
}

nb::tuple bind_path(const Matrix<double>& x, const Matrix<double>& y, std::int64_t radius, const Starts& skips) {
  check_columns("y", y, static_cast<std::int64_t>(x.shape(1)));
  check_that(x.shape(0) > 0 && y.shape(0) > 0, "x and y must have a point each.");
  const ElasticOptions options = checked_options(Elastic::dtw, radius, 1, skips);
  WarpingPath path;
  without_gil([&] { path = find_warping_path(x.data(), view(x).rows, y.data(), view(y).rows, view(x).cols, options); });
  return nb::make_tuple(path.distance, copied(path.x), copied(path.y));
}

nb::tuple bind_matched(const Matrix<double>& centre, const Matrix<double>& X, const Starts& starts, const Vector<double>& weights,
                       std::int64_t radius, int threads) {
  const SeriesView members = checked_series("starts", X, starts);
  check_columns("X", X, static_cast<std::int64_t>(centre.shape(1)));
  check_size("weights", weights.shape(0), members.count);
  check_that(centre.shape(0) > 0, "centre must have a point.");
  auto sums = new_matrix<double>(view(centre).rows, view(centre).cols);
  auto totals = new_vector<double>(view(centre).rows);
  double cost = 0;
  without_gil([&] {
    cost = sum_matched_points(centre.data(), view(centre).rows, members, weights.data(), radius, threads, sums.data(), totals.data());
  });
  return nb::make_tuple(sums, totals, cost);
}

nb::tuple bind_soft_gradient(const Matrix<double>& centre, const Matrix<double>& X, const Starts& starts,
                             const Vector<double>& weights, double gamma, int threads) {
  const SeriesView members = checked_series("starts", X, starts);
  check_columns("X", X, static_cast<std::int64_t>(centre.shape(1)));
  check_size("weights", weights.shape(0), members.count);
  check_that(centre.shape(0) > 0, "centre must have a point.");
  auto gradient = new_matrix<double>(view(centre).rows, view(centre).cols);
  double value = 0;
  without_gil([&] {
    value = differentiate_soft_dtw(centre.data(), view(centre).rows, members, weights.data(), gamma, threads, gradient.data());
  });
  return nb::make_tuple(value, gradient);
}

}  // namespace

void bind_series(nb::module_& module) {
  nb::enum_<Elastic>(module, "Elastic", "A distance of time series.")
      .value("dtw", Elastic::dtw)
      .value("erp", Elastic::erp)
      .value("msm", Elastic::msm)
      .value("soft_dtw", Elastic::soft_dtw);
  module.def("series_pairs", &bind_pairs, "X"_a.noconvert(), "X_starts"_a, "Y"_a.noconvert(), "Y_starts"_a, "is_same"_a, "kind"_a,
             "radius"_a, "parameter"_a, "skips"_a, "n_threads"_a = 0, "Distances of all pairs of series.");
  module.def("series_paired", &bind_paired, "X"_a.noconvert(), "X_starts"_a, "Y"_a.noconvert(), "Y_starts"_a, "kind"_a, "radius"_a,
             "parameter"_a, "skips"_a, "n_threads"_a = 0, "Distance of series i of X and of Y, for every i.");
  module.def("series_nearest", &bind_nearest, "X"_a.noconvert(), "X_starts"_a, "Y"_a.noconvert(), "Y_starts"_a, "k"_a, "radius"_a,
             "n_threads"_a = 0,
             "Distances and indices of the k nearest by DTW, and the pairs: all, ruled out by ends, by envelope, compared.");
  module.def("warping_path", &bind_path, "x"_a.noconvert(), "y"_a.noconvert(), "radius"_a, "skips"_a,
             "DTW distance, and the points of x and of y along the best path.");
  module.def("matched_points", &bind_matched, "centre"_a.noconvert(), "X"_a.noconvert(), "starts"_a, "weights"_a, "radius"_a,
             "n_threads"_a = 0, "Sums and weights of the points matched with those of a centre, and the weighted squared distances.");
  module.def("soft_dtw_gradient", &bind_soft_gradient, "centre"_a.noconvert(), "X"_a.noconvert(), "starts"_a, "weights"_a, "gamma"_a,
             "n_threads"_a = 0, "Weighted sum of soft-DTW from a centre to series, and its derivative by the centre.");
}

}  // namespace coterie
