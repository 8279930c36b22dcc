// An ending of the tiles: the k clusters with the least bounds. A bound falls below the worst one kept if the product
// falls below a number that is linear in the column's weight: two operations per pair.
#include <limits>

#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

using Number = float;
constexpr Number infinity = std::numeric_limits<Number>::infinity();

// Products h with |x|^2 + 2h - slack = squared distance are near if h <= offset + factor * weight of the column.
struct Threshold {
  Number offset, factor;
};

struct WardBound {
  static COTERIE_INLINE Number of(Number squared, Number own, Number other) { return 2 * squared / (own + other); }
  static COTERIE_INLINE Threshold threshold(Number limit, Number own, Number base) {
    return {(limit / 2 * own - base) / 2, limit / 4};
  }
};

struct AverageBound {
  static COTERIE_INLINE Number of(Number squared, Number own, Number other) { return squared + (own + other); }
  static COTERIE_INLINE Threshold threshold(Number limit, Number own, Number base) { return {(limit - own - base) / 2, Number(-0.5)}; }
};

template <class Bound>
struct CloseEnding {
  const ProductQueries& queries;
  static constexpr bool needs_terms = true;

  struct State {
    Vec<Number> offset[strip_rows], factor[strip_rows];
  };

  COTERIE_INLINE CloseColumn* list(const Strip<Number>& strip, int r) const {
    return queries.found + (strip.first_row + r) * queries.k;
  }
  COTERIE_INLINE Number base(const Strip<Number>& strip, int r) const { return strip.term[r] - queries.slack; }

  void begin(State& state, const Strip<Number>& strip) const {
    for (int r = 0; r < strip_rows; ++r) {
      state.offset[r] = broadcast(r < strip.count ? infinity : std::numeric_limits<Number>::quiet_NaN());  // nothing is at most a NaN
      state.factor[r] = Vec<Number>{};
      for (std::int64_t i = 0; r < strip.count && i < queries.k; ++i) list(strip, r)[i] = {infinity, -1};
    }
  }

  COTERIE_INLINE void consume(State& state, const Strip<Number>& strip, const Block<Number>& values, std::int64_t panel) const {
    for (int v = 0; v < panel_vectors; ++v) {
      const std::int64_t first = panel * panel_width<Number> + v * lanes<Number>;
      const Vec<Number> weight = load(queries.weights + first);
      for (int r = 0; r < strip_rows; ++r) {
        std::uint32_t near = lane_bits<Number>(values.value[r][v] <= state.offset[r] + state.factor[r] * weight);
        for (; __builtin_expect(near != 0, 0); near &= near - 1) {
          const int lane = __builtin_ctz(near);
          insert(state, strip, r, values.value[r][v][lane], first + lane);
        }
      }
    }
  }

  void insert(State& state, const Strip<Number>& strip, int r, Number product, std::int64_t column) const {
    const std::int64_t row = strip.first_row + r;
    if (product == infinity || column == queries.own[row]) return;
    const Number squared = base(strip, r) + 2 * product, own = queries.own_weights[row];
    const CloseColumn now{Bound::of(squared > 0 ? squared : 0, own, queries.weights[column]), static_cast<std::int32_t>(column)};
    CloseColumn* kept = list(strip, r);
    std::int64_t place = queries.k;
    for (; place > 0 && now.bound < kept[place - 1].bound; --place)
      if (place < queries.k) kept[place] = kept[place - 1];
    if (place == queries.k) return;
    kept[place] = now;
    const Number limit = kept[queries.k - 1].bound;
    if (limit == infinity) return;
    const Threshold next = Bound::threshold(limit, own, base(strip, r));
    state.offset[r] = broadcast(next.offset);
    state.factor[r] = broadcast(next.factor);
  }

  void end(const State&, const Strip<Number>&) const {}
};

// Rows of one task: few enough that every thread has some.
std::int64_t rows_per_task(const TileProblem<Number>& problem) {
  const std::int64_t most = rows_per_block<Number>(problem.X.cols);
  const std::int64_t share = block_count(block_count(problem.X.rows, resolve_threads(problem.threads)), strip_rows) * strip_rows;
  return share < most ? share : most;
}

template <class Bound>
void nearest_by(const ProductQueries& queries) {
  const TileProblem<Number>& problem = queries.tiles;
  const std::int64_t n = problem.X.rows, block = rows_per_task(problem);
  parallel_for(block_count(n, block), problem.threads, [&](std::int64_t task, int thread) {
    walk_block(problem, FusedDot<Number>{problem.Y}, CloseEnding<Bound>{queries}, block_range(n, block, task), thread);
  });
}

void nearest(const ProductQueries& queries, CentroidRule rule) {
  if (rule == CentroidRule::ward)
    nearest_by<WardBound>(queries);
  else
    nearest_by<AverageBound>(queries);
}

}  // namespace

void install_product_search(Engine& engine) { engine.products.nearest = nearest; }

}  // namespace coterie::COTERIE_ISA
