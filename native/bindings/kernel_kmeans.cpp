#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

template <class T>
using Changed = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::int64_t columns_per_task = 1024;  // sums of some groups stay in the second-level cache
constexpr std::int64_t values_per_task = 1 << 15;

template <class T>
void add_rows(const Changed<double>& sums, const Matrix<T>& K, const Vector<std::int64_t>& rows, const Vector<std::int32_t>& groups,
              const Vector<double>& factors, int threads) {
  check_that(view(K).cols == static_cast<std::int64_t>(sums.shape(1)), "K must have the columns of sums.");
  check_indices("rows", rows, view(K).rows);
  check_labels("groups", groups, static_cast<std::int64_t>(rows.shape(0)), static_cast<std::int64_t>(sums.shape(0)));
  check_size("factors", factors.shape(0), static_cast<std::int64_t>(rows.shape(0)));
  const nb::gil_scoped_release release;
  const auto columns = static_cast<std::int64_t>(sums.shape(1));
  const RowSumJob<T> job = {K.data(),      view(K).stride, rows.data(),
                            groups.data(), factors.data(), static_cast<std::int64_t>(rows.shape(0)),
                            sums.data(),   columns};
  parallel_for(block_count(columns, columns_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(columns, columns_per_task, task);
    engine().of<T>().kernel_sums.add_rows(job, range.begin, range.end);
  });
}

template <class T>
void exponentiate(const Changed<T>& values, double factor, int threads) {
  const double most = std::numeric_limits<T>::max();  // beyond, 0 times the factor would be no number
  factor = std::clamp(factor, -most, most);
  const nb::gil_scoped_release release;
  const auto count = static_cast<std::int64_t>(values.size());
  parallel_for(block_count(count, values_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(count, values_per_task, task);
    engine().of<T>().kernel_sums.exponentiate(values.data() + range.begin, range.size(), factor);
  });
}

template <class T>
void bind_kernel_kmeans_for(nb::module_& module) {
  module.def("add_rows", &add_rows<T>, "sums"_a.noconvert(), "K"_a, "rows"_a, "groups"_a, "factors"_a, "n_threads"_a = 0,
             "Adds factors[i] * K[rows[i]] to sums[groups[i]], in order.");
  module.def("exponentiate", &exponentiate<T>, "values"_a.noconvert(), "factor"_a, "n_threads"_a = 0,
             "values = exp(factor * values), in place.");
}

}  // namespace

void bind_kernel_kmeans(nb::module_& module) {
  bind_kernel_kmeans_for<float>(module);
  bind_kernel_kmeans_for<double>(module);
}

}  // namespace coterie
