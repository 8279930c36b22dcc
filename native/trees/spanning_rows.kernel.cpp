// Prim's algorithm on a matrix: one row of distances against the best edges known, and the least of these.
#include <limits>

#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
COTERIE_INLINE Mask<T> load_index(const LaneIndex<T>* from) {
  return reinterpret_cast<Mask<T>>(load(reinterpret_cast<const T*>(from)));
}

template <class T>
COTERIE_INLINE void store_index(LaneIndex<T>* to, Mask<T> value) {
  store(reinterpret_cast<T*>(to), reinterpret_cast<Vec<T>>(value));
}

// Of two edges of one row that are equally long, the one from the lower row comes first. Rows within the tree have infinite cores and
// come from -1, so that no edge replaces theirs.
template <class T>
T offer_row(const PrimRow<T>& row, const PrimState<T>& state, std::int64_t n) {
  const Vec<T> own_core = broadcast(row.core);
  const Mask<T> own = broadcast_index<T>(static_cast<LaneIndex<T>>(row.number));
  Vec<T> least = broadcast(std::numeric_limits<T>::infinity());
  std::int64_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>) {
    const Vec<T> known = load(state.best + j);
    const Vec<T> found = maximum<T>(load(row.distances + j), maximum<T>(own_core, load(state.core + j)));
    const Mask<T> before = load_index<T>(state.from + j);
    const Mask<T> is_nearer = (found < known) | ((found == known) & (own < before));
    const Vec<T> best = select<T>(is_nearer, found, known);
    store(state.best + j, best);
    store_index<T>(state.from + j, select_index<T>(is_nearer, own, before));
    least = minimum<T>(least, best);
  }
  T result = std::numeric_limits<T>::infinity();
  for (int lane = 0; lane < lanes<T>; ++lane) result = least[lane] < result ? least[lane] : result;
  for (; j < n; ++j) {
    const T reached = row.core > state.core[j] ? row.core : state.core[j];
    const T found = row.distances[j] > reached ? row.distances[j] : reached;
    if (found < state.best[j] || (found == state.best[j] && row.number < state.from[j])) {
      state.best[j] = found;
      state.from[j] = static_cast<LaneIndex<T>>(row.number);
    }
    result = state.best[j] < result ? state.best[j] : result;
  }
  return result;
}

struct RowOfEdge {
  std::int64_t row = -1, lower = 0, higher = 0;
};

// A row without an edge, which is not a number away from all of the tree, comes after those that have one.
template <class T>
COTERIE_INLINE void look_at(RowOfEdge& first, std::int64_t row, std::int64_t from) {
  if (from < 0) return;  // it is in the tree
  const bool has_edge = from != std::numeric_limits<LaneIndex<T>>::max();
  const std::int64_t lower = row < from && has_edge ? row : from, higher = row < from && has_edge ? from : row;
  if (first.row < 0 || lower < first.lower || (lower == first.lower && higher < first.higher)) first = {row, lower, higher};
}

// The row outside of the tree whose best edge has that length and comes first by its lower row, then by its higher one; -1: none.
template <class T>
std::int64_t first_of_length(const PrimState<T>& state, T length, std::int64_t n) {
  const Vec<T> wanted = broadcast(length);
  RowOfEdge first;
  std::int64_t j = 0;
  for (; j + lanes<T> <= n; j += lanes<T>)
    for (std::uint32_t bits = lane_bits<T>(load(state.best + j) == wanted), lane = 0; bits != 0; bits >>= 1, ++lane)
      if (bits & 1) look_at<T>(first, j + lane, state.from[j + lane]);
  for (; j < n; ++j)
    if (state.best[j] == length) look_at<T>(first, j, state.from[j]);
  return first.row;
}

}  // namespace

void install_spanning_rows(Engine& engine) {
  engine.float32.prim = {offer_row<float>, first_of_length<float>};
  engine.float64.prim = {offer_row<double>, first_of_length<double>};
}

}  // namespace coterie::COTERIE_ISA
