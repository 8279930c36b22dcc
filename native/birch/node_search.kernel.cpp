// Distances of a row to the centres of one node of a CF tree, by differences: exact enough however far the data are from zero.
#include <limits>

#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int panel_vectors = static_cast<int>(panel_slots) / lanes<double>;

// Squared distances to the first `vectors` vectors of a panel.
template <int vectors>
COTERIE_INLINE void to_panel(const double* panel, std::int64_t dims, const double* x, Vec<double>* squared) {
  Vec<double> sums[vectors] = {};
  for (std::int64_t j = 0; j < dims; ++j) {
    const Vec<double> value = broadcast(x[j]);
    for (int v = 0; v < vectors; ++v) {
      const Vec<double> difference = load(panel + j * panel_slots + v * lanes<double>) - value;
      sums[v] += difference * difference;
    }
  }
  for (int v = 0; v < vectors; ++v) squared[v] = sums[v];
}

// The nearest so far in every place of a panel.
struct Leaders {
  Vec<double> squared[panel_vectors];
  Mask<double> slots[panel_vectors];
};

template <int vectors>
COTERIE_INLINE void challenge(Leaders& leaders, const double* panel, std::int64_t first_slot, std::int64_t dims, const double* x) {
  Vec<double> squared[vectors];
  to_panel<vectors>(panel, dims, x, squared);
  for (int v = 0; v < vectors; ++v) {
    const Mask<double> own = lane_numbers<double>() + broadcast_index<double>(first_slot + v * lanes<double>);
    const Mask<double> is_nearer = squared[v] < leaders.squared[v];
    leaders.squared[v] = select<double>(is_nearer, squared[v], leaders.squared[v]);
    leaders.slots[v] = select_index<double>(is_nearer, own, leaders.slots[v]);
  }
}

// The last panel may hold few centres: half of the vectors then do, or a quarter.
template <int vectors>
COTERIE_INLINE void challenge_few(Leaders& leaders, const double* panel, std::int64_t first_slot, std::int64_t count,
                                  std::int64_t dims, const double* x) {
  if constexpr (vectors > 1) {
    if (count <= vectors / 2 * lanes<double>) return challenge_few<vectors / 2>(leaders, panel, first_slot, count, dims, x);
  }
  challenge<vectors>(leaders, panel, first_slot, dims, x);
}

COTERIE_INLINE NearestCentre first_of(const Leaders& leaders) {
  NearestCentre found = {0, std::numeric_limits<double>::infinity()};
  for (int v = 0; v < panel_vectors; ++v)
    for (int lane = 0; lane < lanes<double>; ++lane) {
      const double squared = leaders.squared[v][lane];
      const std::int64_t slot = leaders.slots[v][lane];
      if (squared < found.squared || (squared == found.squared && slot < found.slot)) found = {slot, squared};
    }
  return found;
}

NearestCentre nearest(const double* panels, std::int64_t count, std::int64_t dims, const double* x) {
  Leaders leaders;
  for (int v = 0; v < panel_vectors; ++v) {
    leaders.squared[v] = broadcast(std::numeric_limits<double>::infinity());
    leaders.slots[v] = Mask<double>{};
  }
  std::int64_t slot = 0;
  for (; slot + panel_slots <= count; slot += panel_slots) challenge<panel_vectors>(leaders, panels + slot * dims, slot, dims, x);
  if (slot < count) challenge_few<panel_vectors>(leaders, panels + slot * dims, slot, count - slot, dims, x);
  return first_of(leaders);
}

void distances(const double* panels, std::int64_t n_panels, std::int64_t dims, const double* x, double* squared) {
  Vec<double> found[panel_vectors];
  for (std::int64_t slot = 0; slot < n_panels * panel_slots; slot += panel_slots) {
    to_panel<panel_vectors>(panels + slot * dims, dims, x, found);
    for (int v = 0; v < panel_vectors; ++v) store(squared + slot + v * lanes<double>, found[v]);
  }
}

}  // namespace

void install_node_search(Engine& engine) { engine.nodes = {nearest, distances}; }

}  // namespace coterie::COTERIE_ISA
