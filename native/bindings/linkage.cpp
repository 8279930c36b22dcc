#include "linkage/linkage.h"

#include "bindings/bindings.h"

namespace coterie {
namespace {

template <class T>
using Overwritten = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
auto bind_link_matrix(const Overwritten<T>& D, LinkageRule rule, int threads) {
  const auto n = static_cast<std::int64_t>(D.shape(0));
  auto out = new_matrix<double>(n - 1, 4);
  without_gil([&] { link_matrix<T>(D.data(), n, rule, threads, out.data()); });
  return out;
}

template <class T>
auto bind_link_rows(const Matrix<T>& X, LinkageRule rule, int threads) {
  auto out = new_matrix<double>(view(X).rows - 1, 4);
  without_gil([&] { link_rows<T>(view(X), rule, threads, out.data()); });
  return out;
}

template <class T>
void bind_for(nb::module_& module) {
  module.def("link_matrix", &bind_link_matrix<T>, "D"_a.noconvert(), "rule"_a, "n_threads"_a = 0,
             "SciPy's linkage matrix of a square, symmetric matrix of distances, which is overwritten.");
  module.def("link_rows", &bind_link_rows<T>, "X"_a.noconvert(), "rule"_a, "n_threads"_a = 0,
             "SciPy's linkage matrix of Euclidean rows, without a matrix of distances: ward, centroid, median; average is that of "
             "squared distances.");
}

}  // namespace

void bind_linkage(nb::module_& module) {
  nb::enum_<LinkageRule>(module, "LinkageRule")
      .value("single", LinkageRule::single)
      .value("complete", LinkageRule::complete)
      .value("average", LinkageRule::average)
      .value("weighted", LinkageRule::weighted)
      .value("ward", LinkageRule::ward)
      .value("centroid", LinkageRule::centroid)
      .value("median", LinkageRule::median)
      .value("average_merged", LinkageRule::average_merged)
      .value("minimax", LinkageRule::minimax);
  bind_for<float>(module);
  bind_for<double>(module);
}

}  // namespace coterie
