// Distances of a row to the centres of one node of a CF tree, by differences: exact enough however far the data are from zero.
#include <limits>

#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr int panel_vectors = static_cast<int>(panel_slots) / lanes<double>;

struct PanelDistances {
  Vec<double> squared[panel_vectors];
};

COTERIE_INLINE PanelDistances to_panel(const double* panel, std::int64_t dims, const double* x) {
  PanelDistances sums = {};
  for (std::int64_t j = 0; j < dims; ++j) {
    const Vec<double> value = broadcast(x[j]);
    for (int v = 0; v < panel_vectors; ++v) {
      const Vec<double> difference = load(panel + j * panel_slots + v * lanes<double>) - value;
      sums.squared[v] += difference * difference;
    }
  }
  return sums;
}

COTERIE_INLINE NearestCentre least_of(const Vec<double>* squared, const Mask<double>* slots) {
  NearestCentre found = {0, std::numeric_limits<double>::infinity()};
  for (int v = 0; v < panel_vectors; ++v)
    for (int lane = 0; lane < lanes<double>; ++lane) {
      const bool is_nearer = squared[v][lane] < found.squared;
      const bool is_first = squared[v][lane] == found.squared && slots[v][lane] < found.slot;
      if (is_nearer || is_first) found = {slots[v][lane], squared[v][lane]};
    }
  return found;
}

NearestCentre nearest(const double* panels, std::int64_t n_panels, std::int64_t dims, const double* x) {
  Vec<double> best[panel_vectors];
  Mask<double> slots[panel_vectors];
  for (int v = 0; v < panel_vectors; ++v) {
    best[v] = broadcast(std::numeric_limits<double>::infinity());
    slots[v] = Mask<double>{};
  }
  for (std::int64_t panel = 0; panel < n_panels; ++panel) {
    const PanelDistances found = to_panel(panels + panel * panel_slots * dims, dims, x);
    for (int v = 0; v < panel_vectors; ++v) {
      const Mask<double> own = lane_numbers<double>() + broadcast_index<double>(panel * panel_slots + v * lanes<double>);
      const Mask<double> is_nearer = found.squared[v] < best[v];
      best[v] = select<double>(is_nearer, found.squared[v], best[v]);
      slots[v] = select_index<double>(is_nearer, own, slots[v]);
    }
  }
  return least_of(best, slots);
}

void distances(const double* panels, std::int64_t n_panels, std::int64_t dims, const double* x, double* squared) {
  for (std::int64_t panel = 0; panel < n_panels; ++panel) {
    const PanelDistances found = to_panel(panels + panel * panel_slots * dims, dims, x);
    for (int v = 0; v < panel_vectors; ++v) store(squared + panel * panel_slots + v * lanes<double>, found.squared[v]);
  }
}

}  // namespace

void install_node_search(Engine& engine);

void install_node_search(Engine& engine) { engine.nodes = {nearest, distances}; }

}  // namespace coterie::COTERIE_ISA
