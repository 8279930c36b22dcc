#include <nanobind/stl/tuple.h>

#include "bindings/bindings.h"
#include "bindings/checks.h"
#include "phylogeny/neighbour_joining.h"
#include "phylogeny/sequences.h"
#include "support/parallel.h"

namespace coterie {
namespace {

auto bind_neighbour_joining(const Matrix<double>& distances, int threads) {
  check_that(distances.shape(0) == distances.shape(1) && distances.shape(0) > 0, "distances must be a square matrix.");
  JoinedTree tree;
  without_gil([&] { tree = join_neighbours(view(distances), resolve_threads(threads)); });
  return std::make_tuple(copied(tree.starts), copied(tree.children), copied(tree.lengths), tree.rows_searched);
}

auto bind_sequence_distances(const Matrix<std::uint8_t>& codes, int planes, SequenceModel model, int threads) {
  check_that(planes == 2 || planes == 5, "planes must be 2 (nucleotides) or 5 (amino acids).");
  check_that(codes.shape(0) > 0, "codes must have a row.");
  auto distances = new_matrix<double>(view(codes).rows, view(codes).rows);
  without_gil([&] {
    const int team = resolve_threads(threads);
    sequence_distances(SequenceBits(view(codes), planes, team), model, team, distances.data());
  });
  return distances;
}

}  // namespace

void bind_phylogeny(nb::module_& module) {
  nb::enum_<SequenceModel>(module, "SequenceModel")
      .value("differences", SequenceModel::differences)
      .value("proportion", SequenceModel::proportion)
      .value("jukes_cantor", SequenceModel::jukes_cantor)
      .value("kimura", SequenceModel::kimura);
  module.def("neighbour_joining", &bind_neighbour_joining, "distances"_a, "n_threads"_a = 0,
             "Starts and children of the tree's inner nodes, lengths of branches, and how many rows were searched.");
  module.def("sequence_distances", &bind_sequence_distances, "codes"_a, "planes"_a, "model"_a, "n_threads"_a = 0,
             "Distances of all pairs of sequences; NaN: nothing to compare, infinity: saturated.");
}

}  // namespace coterie
