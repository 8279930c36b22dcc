// Many candidates against all rows by tiles: the pairs in which the candidate is closer than every pick.
#include "engine.h"
#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/squared_difference.h"
#include "support/number_order.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
using DenseData = SeedingData<MatrixView<T>>;

// A squared distance below this share of |x|^2 + |q|^2 has lost digits in the product: it is computed again by difference.
template <class T>
inline constexpr T doubtful_share = sizeof(T) == 8 ? T(1e-3) : T(1e-1);

// A pair in the order in which it was found.
template <class T>
struct FoundPair {
  std::uint16_t row;  // within the task
  std::uint16_t candidate;
  T squared;
};

template <class T>
struct FoundPairs {
  FoundPair<T>* pairs;
  std::int64_t count;
};

// Values of the difference kernel: squared distances as they are.
template <class T>
struct FusedDifference {
  const PackedColumns<T>& Y;
  static constexpr bool needs_terms = false;

  std::int64_t chunk_panels() const { return panels_per_chunk<T>(Y.cols); }
  COTERIE_INLINE void prepare(const Strip<T>&, std::int64_t, std::int64_t, T*) const {}
  COTERIE_INLINE void block(const Strip<T>& strip, std::int64_t panel, std::int64_t, const T*, Block<T>& out) const {
    difference_block<T>(SquaredDifference<T>{}, strip.rows, Y.panels + panel * Y.cols * panel_width<T>,
                        Y.start + panel * panel_width<T>, Y.cols, out);
  }
};

// Keeps pairs that are closer than the row's nearest pick by more than rounding: how many there are decides how many candidates are
// drawn next. From the dot kernel, rounding is allowed for.
template <class T, bool is_product>
struct CloserEnding {
  const DenseData<T>& data;
  const PackedColumns<T>& Y;
  const std::int64_t* candidates;
  const T* nearest;
  T largest_term;
  T unit;                  // of rounding errors
  std::int64_t first_row;  // of the task
  FoundPairs<T>& found;
  static constexpr bool needs_terms = false;
  static constexpr int rows_per_word = 64 / panel_width<T>;
  static constexpr int words = (strip_rows + rows_per_word - 1) / rows_per_word;

  struct State {
    T limit[strip_rows];  // closer pairs have less
    T term[strip_rows];   // |x|^2
  };

  COTERIE_INLINE void begin(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip_rows; ++r) {
      const T squared = nearest[strip.first_row + (r < strip.count ? r : 0)];
      T limit = squared;
      if constexpr (is_product) {
        state.term[r] = squared_norm(strip.rows.row[r], Y.cols);
        limit = (squared - state.term[r]) / 2 + unit * (state.term[r] + largest_term);
      }
      state.limit[r] = r < strip.count ? limit : -std::numeric_limits<T>::infinity();
    }
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    Mask<T> is_any{};
    for (int r = 0; r < strip_rows; ++r) is_any |= minimum<T>(values.value[r][0], values.value[r][1]) < broadcast(state.limit[r]);
    if (lane_bits<T>(is_any) == 0) return;
    std::uint64_t bits[words] = {};
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v)
        bits[r / rows_per_word] |= static_cast<std::uint64_t>(lane_bits<T>(values.value[r][v] < broadcast(state.limit[r])))
                                   << (r % rows_per_word * panel_width<T> + v * lanes<T>);
    T value[strip_rows * panel_width<T>];
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v) store(value + r * panel_width<T> + v * lanes<T>, values.value[r][v]);
    for (int word = 0; word < words; ++word)
      for (; bits[word] != 0; bits[word] &= bits[word] - 1) {
        const int at = word * 64 + __builtin_ctzll(bits[word]), r = at / panel_width<T>;
        keep(strip.first_row + r, panel * panel_width<T> + at % panel_width<T>, value[at], state.term[r]);
      }
  }

  COTERIE_INLINE void keep(std::int64_t row, std::int64_t candidate, T value, T term) const {
    T squared = value;
    if constexpr (is_product) {
      squared = term + 2 * value;
      if (squared < doubtful_share<T> * (term + Y.term[candidate]))
        squared = squared_difference(data.X.row(row), data.X.row(candidates[candidate]), Y.cols);
    }
    found.pairs[found.count] = {static_cast<std::uint16_t>(row - first_row), static_cast<std::uint16_t>(candidate), squared};
    found.count += squared < (1 - static_cast<T>(rounding_share<T>)) * nearest[row];
  }

  COTERIE_INLINE void end(const State&, const Strip<T>&) const {}
};

// Moves the pairs of one task to a free place in `out`, sorted by candidate.
template <class T>
void place_pairs(const FoundPairs<T>& found, std::int64_t first_row, std::int64_t* starts, const CloserPairs<T>& out) {
  const std::int64_t begin = __atomic_fetch_add(out.used, found.count, __ATOMIC_RELAXED);
  if (begin + found.count > out.capacity) return;
  std::int64_t next[most_listed_candidates + 1] = {};
  for (std::int64_t i = 0; i < found.count; ++i) ++next[found.pairs[i].candidate + 1];
  next[0] = begin;
  for (std::int64_t c = 0; c < out.n_candidates; ++c) next[c + 1] += next[c];
  for (std::int64_t c = 0; c <= out.n_candidates; ++c) starts[c] = next[c];
  for (std::int64_t i = 0; i < found.count; ++i) {
    const std::int64_t at = next[found.pairs[i].candidate]++;
    out.row[at] = static_cast<std::int32_t>(first_row + found.pairs[i].row);
    out.squared[at] = found.pairs[i].squared;
  }
}

template <class T, bool is_product, class Source>
void list_with(const DenseData<T>& data, const T* shift, const PackedColumns<T>& packed, const Source& source,
               const std::int64_t* candidates, const T* nearest, const CloserPairs<T>& out) {
  const std::int64_t n = data.X.rows, block = rows_per_block<T>(data.X.cols);
  const std::int64_t most_found = seeding_rows_per_task * out.n_candidates + 1;
  const TileProblem<T> problem{data.X, shift, packed, {}, 1};
  const T unit = static_cast<T>(squared_error<T>(packed.cols, 1, 0));
  T largest_term = 0;
  for (std::int64_t j = 0; j < packed.n_columns; ++j) largest_term = packed.term[j] > largest_term ? packed.term[j] : largest_term;
  const Scratch<FoundPair<T>> pairs(resolve_threads(data.threads) * most_found);
  *out.used = 0;
  parallel_for(block_count(n, seeding_rows_per_task), data.threads, [&](std::int64_t task, int thread) {
    const Range rows = block_range(n, seeding_rows_per_task, task);
    FoundPairs<T> found{pairs.data() + thread * most_found, 0};
    const CloserEnding<T, is_product> ending{data, packed, candidates, nearest, largest_term, unit, rows.begin, found};
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += block)
      walk_block(problem, source, ending, {begin, begin + block < rows.end ? begin + block : rows.end}, thread);
    place_pairs(found, rows.begin, out.starts + task * (out.n_candidates + 1), out);
  });
}

template <class T>
void list_closer(const DenseData<T>& data, const T* shift, const PackedColumns<T>& packed, bool by_product,
                 const std::int64_t* candidates, const T* nearest, const CloserPairs<T>& out) {
  if (by_product)
    list_with<T, true>(data, shift, packed, FusedDot<T>{packed}, candidates, nearest, out);
  else
    list_with<T, false>(data, shift, packed, FusedDifference<T>{packed}, candidates, nearest, out);
}

}  // namespace

void install_seeding_pairs(Engine& engine) {
  engine.float32.seeding.list_closer = list_closer<float>;
  engine.float64.seeding.list_closer = list_closer<double>;
}

}  // namespace coterie::COTERIE_ISA
