// Passes of seeding over all rows: gains of a few candidates by direct difference, or the closer pairs of many by tiles.
#include "kmeans/seeding_kernels.h"

#include "engine.h"
#include "kmeans/bounds.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr Metric squared_metric = {Kernel::dot, Finish::squared_norm, 2};

template <class T>
using DenseData = SeedingData<MatrixView<T>>;

// Sum of the lanes, halves first.
template <class T>
COTERIE_INLINE T add_lanes(Vec<T> values) {
  for (int distance = lanes<T> / 2; distance > 0; distance /= 2)
    values += __builtin_shuffle(values, lane_numbers<T>() ^ broadcast_index<T>(distance));
  return values[0];
}

// Sum over the features of term(vectors of both rows), whole vectors first.
template <class T, class Term>
COTERIE_INLINE T sum_pairwise(const T* a, const T* b, std::int64_t cols, const Term& term) {
  Vec<T> even{}, odd{};
  std::int64_t t = 0;
  for (; t + 2 * lanes<T> <= cols; t += 2 * lanes<T>) {
    even += term(load(a + t), load(b + t));
    odd += term(load(a + t + lanes<T>), load(b + t + lanes<T>));
  }
  if (t + lanes<T> <= cols) {
    even += term(load(a + t), load(b + t));
    t += lanes<T>;
  }
  T rest = 0;
  for (; t < cols; ++t) rest += term(broadcast(a[t]), broadcast(b[t]))[0];
  return add_lanes<T>(even + odd) + rest;
}

template <class T>
COTERIE_INLINE T squared_distance(const T* a, const T* b, std::int64_t cols) {
  return sum_pairwise(a, b, cols, [](Vec<T> x, Vec<T> y) __attribute__((always_inline)) { return (x - y) * (x - y); });
}

template <class T>
COTERIE_INLINE T squared_norm(const T* a, std::int64_t cols) {
  return sum_pairwise(a, a, cols, [](Vec<T> x, Vec<T>) __attribute__((always_inline)) { return x * x; });
}

// Squared distances of a strip of rows to the candidates in the lanes of one vector.
template <class T>
COTERIE_INLINE void meet_candidates(const MatrixView<T>& X, std::int64_t first, int count, const T* panel, Vec<T>* squared) {
  const T* row[strip_rows];
  for (int r = 0; r < strip_rows; ++r) {
    row[r] = X.row(first + (r < count ? r : count - 1));
    squared[r] = Vec<T>{};
  }
  for (std::int64_t t = 0; t < X.cols; ++t) {
    const Vec<T> candidates = load(panel + t * lanes<T>);
    for (int r = 0; r < strip_rows; ++r) {
      const Vec<T> difference = broadcast(row[r][t]) - candidates;
      squared[r] += difference * difference;
    }
  }
}

// Adds the gains of rows [range) to `gains`, one per lane, and notes in `closer` from bit `first_bit` on which lanes gain.
template <class T>
void add_gains(const DenseData<T>& data, Range range, const T* nearest, const T* panel, int first_bit, std::uint16_t* closer,
               double* gains) {
  constexpr std::int64_t rows_per_sum = 8 * strip_rows;  // few enough for sums in T
  const double unit = 1 / data.largest_weight;
  for (std::int64_t begin = range.begin; begin < range.end; begin += rows_per_sum) {
    const std::int64_t end = begin + rows_per_sum < range.end ? begin + rows_per_sum : range.end;
    Vec<T> sum{};
    for (std::int64_t first = begin; first < end; first += strip_rows) {
      const int count = static_cast<int>(end - first < strip_rows ? end - first : strip_rows);
      Vec<T> squared[strip_rows];
      meet_candidates(data.X, first, count, panel, squared);
      for (int r = 0; r < count; ++r) {
        const Vec<T> gain = broadcast(nearest[first + r]) - squared[r];
        const Mask<T> is_closer = gain > Vec<T>{};
        closer[first + r] |= static_cast<std::uint16_t>(lane_bits<T>(is_closer) << first_bit);
        const Vec<T> weight = broadcast(data.weights == nullptr ? T(1) : static_cast<T>(data.weights[first + r] * unit));
        sum += select<T>(is_closer, gain * weight, Vec<T>{});
      }
    }
    for (int lane = 0; lane < lanes<T>; ++lane) gains[lane] += static_cast<double>(sum[lane]);
  }
}

// Candidates in the lanes of vectors, [group of candidates][feature][lane]; the last group repeats its last candidate.
template <class T>
void pack_lanes(const MatrixView<T>& X, const std::int64_t* candidates, std::int64_t count, T* panels) {
  for (std::int64_t j = 0; j < block_count(count, lanes<T>) * lanes<T>; ++j) {
    const T* from = X.row(candidates[j < count ? j : count - 1]);
    T* to = panels + (j / lanes<T>) * X.cols * lanes<T> + j % lanes<T>;
    for (std::int64_t t = 0; t < X.cols; ++t) to[t * lanes<T>] = from[t];
  }
}

template <class T>
void gains(const DenseData<T>& data, const T* nearest, const std::int64_t* candidates, std::int64_t count, std::uint16_t* closer,
           double* out) {
  const std::int64_t n = data.X.rows, groups = block_count(count, lanes<T>), width = groups * lanes<T>;
  const std::int64_t n_tasks = block_count(n, seeding_rows_per_task);
  const Scratch<T> panels(width * data.X.cols);
  const Scratch<double> partial(n_tasks * width);
  pack_lanes(data.X, candidates, count, panels.data());
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int) {
    const Range range = block_range(n, seeding_rows_per_task, task);
    double* sums = partial.data() + task * width;
    for (std::int64_t j = 0; j < width; ++j) sums[j] = 0;
    for (std::int64_t i = range.begin; i < range.end; ++i) closer[i] = 0;
    for (std::int64_t g = 0; g < groups; ++g)
      add_gains(data, range, nearest, panels.data() + g * lanes<T> * data.X.cols, static_cast<int>(g) * lanes<T>, closer, sums + g * lanes<T>);
  });
  for (std::int64_t j = 0; j < count; ++j) {
    out[j] = 0;
    for (std::int64_t task = 0; task < n_tasks; ++task) out[j] += partial[task * width + j];
  }
}

// Rows of the range that have the bit set, all of them if `closer` is null; returns how many.
std::int64_t list_rows(const std::uint16_t* closer, int bit, Range range, std::int32_t* rows) {
  std::int64_t count = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    rows[count] = static_cast<std::int32_t>(i - range.begin);
    count += closer == nullptr || (closer[i] >> bit & 1) != 0;
  }
  return count;
}

template <class T>
void take(const DenseData<T>& data, std::int64_t pick, const std::uint16_t* closer, int bit, T* nearest) {
  constexpr std::int64_t ahead = 12;  // rows on their way from memory
  const MatrixView<T>& X = data.X;
  parallel_for(block_count(X.rows, seeding_rows_per_task), data.threads, [&](std::int64_t task, int) {
    const Range range = block_range(X.rows, seeding_rows_per_task, task);
    const Scratch<std::int32_t> rows(range.size() + 1);
    const std::int64_t count = list_rows(closer, bit, range, rows.data());
    for (std::int64_t j = 0; j < count; ++j) {
      if (j + ahead < count) __builtin_prefetch(X.row(range.begin + rows[j + ahead]));
      const std::int64_t i = range.begin + rows[j];
      const T squared = squared_distance(X.row(i), X.row(pick), X.cols);
      if (squared < nearest[i]) nearest[i] = squared;
    }
  });
}

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

// Pairs that may be closer: bit b is row first_row + b / panel_width and column first_column + b % panel_width.
struct Suspects {
  std::uint64_t bits;
  std::int32_t first_row;
  std::int32_t first_column;
};

struct SuspectList {
  Suspects* items;
  std::int64_t count;
};

template <class T>
inline constexpr int rows_per_word = 64 / panel_width<T>;
template <class T>
inline constexpr int words_per_strip = (strip_rows + rows_per_word<T> - 1) / rows_per_word<T>;

// Lists the pairs that the tiles suggest, rounding included.
template <class T>
struct SuspectEnding {
  const PackedColumns<T>& Y;
  const T* nearest;
  T largest_term;
  T unit;  // of rounding errors
  SuspectList& list;
  static constexpr bool needs_terms = false;

  struct State {
    T limit[strip_rows];
  };

  // The tile's value of a closer pair is less than this.
  COTERIE_INLINE void begin(State& state, const Strip<T>& strip) const {
    for (int r = 0; r < strip_rows; ++r) {
      const T term = squared_norm(strip.rows.row[r], Y.cols), squared = nearest[strip.first_row + (r < strip.count ? r : 0)];
      state.limit[r] = r < strip.count ? (squared - term) / 2 + unit * (term + largest_term) : -std::numeric_limits<T>::infinity();
    }
  }

  COTERIE_INLINE void consume(State& state, const Strip<T>& strip, const Block<T>& values, std::int64_t panel) const {
    std::uint64_t bits[words_per_strip<T>] = {};
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v)
        bits[r / rows_per_word<T>] |= static_cast<std::uint64_t>(lane_bits<T>(values.value[r][v] < broadcast(state.limit[r])))
                                      << (r % rows_per_word<T> * panel_width<T> + v * lanes<T>);
    for (int word = 0; word < words_per_strip<T>; ++word) {
      list.items[list.count] = {bits[word], static_cast<std::int32_t>(strip.first_row + word * rows_per_word<T>),
                                static_cast<std::int32_t>(panel * panel_width<T>)};
      list.count += bits[word] != 0;
    }
  }

  COTERIE_INLINE void end(const State&, const Strip<T>&) const {}
};

// The direct difference decides which suspects are closer than the row's nearest pick.
template <class T>
void examine(const DenseData<T>& data, const std::int64_t* candidates, const T* nearest, const SuspectList& list,
             std::int64_t first_row, FoundPairs<T>& found) {
  for (std::int64_t i = 0; i < list.count; ++i) {
    const Suspects some = list.items[i];
    for (std::uint64_t bits = some.bits; bits != 0; bits &= bits - 1) {
      const int at = __builtin_ctzll(bits);
      const std::int64_t row = some.first_row + at / panel_width<T>, candidate = some.first_column + at % panel_width<T>;
      const T squared = squared_distance(data.X.row(row), data.X.row(candidates[candidate]), data.X.cols);
      found.pairs[found.count] = {static_cast<std::uint16_t>(row - first_row), static_cast<std::uint16_t>(candidate), squared};
      found.count += squared < nearest[row];
    }
  }
}

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

template <class T>
void list_closer(const DenseData<T>& data, const T* shift, const PackedColumns<T>& packed, const std::int64_t* candidates,
                 const T* nearest, const CloserPairs<T>& out) {
  const std::int64_t n = data.X.rows, block = rows_per_block<T>(data.X.cols);
  const std::int64_t most_found = seeding_rows_per_task * out.n_candidates + 1;
  const TileProblem<T> problem{data.X, shift, packed, squared_metric, 1};
  const T unit = static_cast<T>(squared_error<T>(packed.cols, 1, 0));
  T largest_term = 0;
  for (std::int64_t j = 0; j < packed.n_columns; ++j) largest_term = packed.term[j] > largest_term ? packed.term[j] : largest_term;
  const Scratch<FoundPair<T>> pairs(resolve_threads(data.threads) * most_found);
  *out.used = 0;
  parallel_for(block_count(n, seeding_rows_per_task), data.threads, [&](std::int64_t task, int thread) {
    const Range rows = block_range(n, seeding_rows_per_task, task);
    FoundPairs<T> found{pairs.data() + thread * most_found, 0};
    const Scratch<Suspects> suspects(block_count(block, strip_rows) * words_per_strip<T> * packed.n_panels + 1);
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += block) {
      SuspectList list{suspects.data(), 0};
      const SuspectEnding<T> ending{packed, nearest, largest_term, unit, list};
      walk_block(problem, FusedDot<T>{packed}, ending, {begin, begin + block < rows.end ? begin + block : rows.end}, thread);
      examine(data, candidates, nearest, list, rows.begin, found);
    }
    place_pairs(found, rows.begin, out.starts + task * (out.n_candidates + 1), out);
  });
}

template <class T>
void install_for(SeedingKernels<T>& kernels) {
  kernels.gains = gains<T>;
  kernels.take = take<T>;
  kernels.list_closer = list_closer<T>;
}

}  // namespace

void install_seeding(Engine& engine) {
  install_for(engine.float32.seeding);
  install_for(engine.float64.seeding);
}

}  // namespace coterie::COTERIE_ISA
