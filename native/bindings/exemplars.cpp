// Affinity propagation and mean shift, a step at a time.
#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "density/mean_shift.h"
#include "graph/affinity_propagation.h"

namespace coterie {
namespace {

template <class T>
Messages<T>* make_messages(const Matrix<T>& similarities, double damping) {
  check_that(similarities.shape(0) == similarities.shape(1) && similarities.shape(0) > 1,
             "similarities must be square, of two rows or more.");
  return new Messages<T>(similarities.data(), view(similarities).rows, damping);
}

template <class T>
NewVector<std::uint8_t> step_messages(Messages<T>& messages, int threads) {
  auto exemplars = new_vector<std::uint8_t>(messages.n());
  without_gil([&] { messages.step(exemplars.data(), threads); });
  return exemplars;
}

template <class T>
void bind_messages(nb::module_& module, const char* name) {
  nb::class_<Messages<T>>(module, name, "The messages of affinity propagation.")
      .def("step", &step_messages<T>, "n_threads"_a = 0, "Send every message once; 1 where a row represents itself.");
  module.def("AffinityMessages", &make_messages<T>, "similarities"_a.noconvert(), "damping"_a, nb::keep_alive<0, 1>(),
             "Begin affinity propagation; reads the similarities where they are.");
}

MovingSeeds* make_seeds(const KDTree<double>& tree, const Matrix<double>& seeds, double bandwidth, bool is_single, int threads) {
  check_that(seeds.shape(0) > 0, "seeds must have a row.");
  check_columns("seeds", seeds, tree.view().dims);
  check_that(tree.view().metric == TreeMetric::euclidean, "the tree must be Euclidean.");
  check_that(bandwidth >= 0, "bandwidth must be at least 0.");
  const nb::gil_scoped_release no_gil;
  return new MovingSeeds(tree, view(seeds), bandwidth, is_single, threads);
}

std::int64_t step_seeds(MovingSeeds& seeds, bool is_last, int threads) {
  const nb::gil_scoped_release no_gil;
  return seeds.step(is_last, threads);
}

auto read_seeds(const MovingSeeds& seeds) {
  auto places = new_matrix<double>(seeds.n_seeds(), seeds.n_columns());
  auto counts = new_vector<std::int64_t>(seeds.n_seeds()), steps = new_vector<std::int64_t>(seeds.n_seeds());
  seeds.read(places.data(), counts.data(), steps.data());
  return std::make_tuple(places, counts, steps);
}

}  // namespace

void bind_exemplars(nb::module_& module) {
  bind_messages<float>(module, "AffinityMessagesFloat32");
  bind_messages<double>(module, "AffinityMessagesFloat64");
  nb::class_<MovingSeeds>(module, "MovingSeeds", "The seeds of mean shift.")
      .def("step", &step_seeds, "is_last"_a = false, "n_threads"_a = 0,
           "Move every seed to the mean of the rows within the bandwidth; how many move on.")
      .def("read", &read_seeds, "Place of each seed, the rows of its last mean, the steps before it.");
  module.def("move_seeds", &make_seeds, "tree"_a, "seeds"_a.noconvert(), "bandwidth"_a, "is_single"_a, "n_threads"_a = 0,
             nb::keep_alive<0, 1>(), "Begin mean shift over the rows of a Euclidean tree; is_single rounds every mean to float32.");
}

}  // namespace coterie
