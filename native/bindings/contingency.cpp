#include "evaluate/contingency.h"

#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "evaluate/expected_information.h"

namespace coterie {
namespace {

using AnyIntegers = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyBytes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

IntegerLabels label_view(const AnyIntegers& array) {
  const nb::dlpack::dtype type = array.dtype();
  const bool is_signed = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int);
  if (!is_signed && type.code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt)) {
    throw std::invalid_argument("labels must be an array of integers");
  }
  return {array.data(), static_cast<std::int64_t>(array.shape(0)), type.bits / 8, is_signed};
}

template <class Count>
auto arrays_of(const SparseTable<Count>& table) {
  return std::make_tuple(copied(table.row_labels), copied(table.column_labels), copied(table.row_starts), copied(table.columns),
                         copied(table.counts));
}

auto count_pairs_of(const AnyIntegers& first, const AnyIntegers& second, int n_threads) {
  check_size("second", second.shape(0), static_cast<std::int64_t>(first.shape(0)));
  SparseTable<std::int64_t> table;
  without_gil([&] { table = count_pairs(label_view(first), label_view(second), n_threads); });
  return arrays_of(table);
}

auto sum_pairs_of(const AnyIntegers& first, const AnyIntegers& second, const Vector<double>& weights, int n_threads) {
  check_size("second", second.shape(0), static_cast<std::int64_t>(first.shape(0)));
  check_size("weights", weights.shape(0), static_cast<std::int64_t>(first.shape(0)));
  SparseTable<double> table;
  without_gil([&] { table = sum_pairs(label_view(first), label_view(second), weights.data(), n_threads); });
  return arrays_of(table);
}

auto encode_integers_of(const AnyIntegers& labels, int n_threads) {
  NewVector<std::int32_t> codes = new_vector<std::int32_t>(static_cast<std::int64_t>(labels.shape(0)));
  std::vector<std::uint64_t> distinct;
  without_gil([&] { distinct = encode_integers(label_view(labels), codes.data(), n_threads); });
  return std::make_tuple(codes, copied(distinct));
}

auto encode_text_of(const AnyBytes& rows, int unit, int n_threads) {
  check_that(unit == 1 || unit == 4, "unit must be 1 or 4.");
  const auto n = static_cast<std::int64_t>(rows.shape(0)), width = static_cast<std::int64_t>(rows.shape(1)) / unit;
  NewVector<std::int32_t> codes = new_vector<std::int32_t>(n);
  std::vector<std::int64_t> distinct;
  without_gil([&] { distinct = encode_text({rows.data(), n, width, unit}, codes.data(), n_threads); });
  return std::make_tuple(codes, copied(distinct));
}

SizeCounts size_counts(const Vector<std::int64_t>& sizes, const Vector<std::int64_t>& multiplicities) {
  check_size("multiplicities", multiplicities.shape(0), static_cast<std::int64_t>(sizes.shape(0)));
  return {sizes.data(), multiplicities.data(), static_cast<std::int64_t>(sizes.shape(0))};
}

double expected_information_of(const Vector<std::int64_t>& sizes, const Vector<std::int64_t>& multiplicities,
                               const Vector<std::int64_t>& other_sizes, const Vector<std::int64_t>& other_multiplicities,
                               std::int64_t n_samples, int n_threads) {
  const SizeCounts first = size_counts(sizes, multiplicities), second = size_counts(other_sizes, other_multiplicities);
  double information = 0;
  without_gil([&] { information = expected_mutual_information(first, second, n_samples, n_threads); });
  return information;
}

}  // namespace

void bind_contingency(nb::module_& module) {
  module.def("count_pairs", &count_pairs_of, "first"_a, "second"_a, "n_threads"_a = 0,
             "Row labels, column labels (64-bit patterns), row starts, columns and counts of the contingency table.");
  module.def("sum_pairs", &sum_pairs_of, "first"_a, "second"_a, "weights"_a, "n_threads"_a = 0,
             "As count_pairs, with the sums of the weights in place of the counts.");
  module.def("encode_integers", &encode_integers_of, "labels"_a, "n_threads"_a = 0,
             "Codes 0..k-1 and the sorted distinct labels as 64-bit patterns.");
  module.def("encode_text", &encode_text_of, "rows"_a, "unit"_a, "n_threads"_a = 0,
             "Codes 0..k-1 of rows of fixed-width text, and a row of each distinct text, sorted; unit is bytes per character.");
  module.def("expected_mutual_information", &expected_information_of, "sizes"_a, "multiplicities"_a, "other_sizes"_a,
             "other_multiplicities"_a, "n_samples"_a, "n_threads"_a = 0,
             "Mean mutual information, in nats, of all labelings with these cluster sizes.");
}

}  // namespace coterie
