// Endings that keep the nearest column of each row, the nearest two, or the m nearest.
#include <limits>

#include "engine.h"
#include "tiles/nearest.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
struct SmallestEnding {
  const PackedColumns<T>& Y;
  Metric metric;
  SmallestOutput<T> out;
  static constexpr bool needs_terms = false;

  struct State {
    Vec<T> limit[strip_rows];  // the m-th smallest so far
  };

  void begin(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip_rows; ++r)
      state.limit[r] = broadcast(r < strip.count ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
    for (std::int64_t i = strip.first_row * out.m; i < (strip.first_row + strip.count) * out.m; ++i) {
      out.value[i] = std::numeric_limits<T>::infinity();
      out.index[i] = -1;
    }
  }

  // Keeps the row's list sorted; columns come in rising order, so equal values keep the lowest index.
  void insert(std::int64_t row, T value, std::int64_t column) const {
    T* values = out.value + row * out.m;
    std::int32_t* indices = out.index + row * out.m;
    std::int64_t at = out.m - 1;
    for (; at > 0 && values[at - 1] > value; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = value;
    indices[at] = static_cast<std::int32_t>(column);
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    for (int r = 0; r < strip_rows; ++r) {
      for (int v = 0; v < panel_vectors; ++v) {
        std::uint32_t smaller = lane_bits<T>(values.value[r][v] < state.limit[r]);
        if (__builtin_expect(smaller == 0, 1)) continue;
        const std::int64_t row = strip.first_row + r, first = panel * panel_width<T> + v * lanes<T>;
        const T* last = out.value + row * out.m + out.m - 1;
        for (; smaller != 0; smaller &= smaller - 1) {
          const int lane = __builtin_ctz(smaller);
          const T value = values.value[r][v][lane];
          if (value < *last && !(out.skip_same_index && first + lane == row)) insert(row, value, first + lane);
        }
        state.limit[r] = broadcast(*last);
      }
    }
  }

  void end(const State&, const Strip<T>& strip) const {
    for (int r = 0; r < strip.count; ++r)
      for (std::int64_t i = (strip.first_row + r) * out.m; i < (strip.first_row + r + 1) * out.m; ++i)
        if (out.index[i] >= 0)
          out.value[i] = finish_one(metric, Y, out.value[i], strip.rows.row[r], strip.term[r], out.index[i]);
  }
};

template <class T>
void install_for(TileKernels<T>& kernels) {
  kernels.nearest = [](const TileProblem<T>& problem, const NearestOutput<T>& out) {
    walk_ordered<T, NearestEnding>(problem, out);
  };
  kernels.nearest_two = [](const TileProblem<T>& problem, const NearestTwoOutput<T>& out) {
    walk_ordered<T, NearestTwoEnding>(problem, out);
  };
  kernels.smallest = [](const TileProblem<T>& problem, const SmallestOutput<T>& out) {
    walk_ordered<T, SmallestEnding>(problem, out);
  };
}

}  // namespace

void install_nearest(Engine& engine) {
  install_for(engine.float32.tiles);
  install_for(engine.float64.tiles);
}

}  // namespace coterie::COTERIE_ISA
