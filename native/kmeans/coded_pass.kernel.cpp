// Lloyd's pass in two steps: all rows meet all centres as whole numbers of eight bits, whose products are four times as fast; rows for
// which more than one centre is within the error of that meet these as they are. Labels are those of the plain pass.
//
// With x = s q + e, c = s' q' + e', the product differs from s s' q q' by at most |e| |c| + |s q| |e'|.
#include "kmeans/coded_rows.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "engine.h"
#include "kmeans/bounds/distance_bounds.h"
#include "kmeans/two_nearest_centres.h"
#include "kmeans/update_sums.h"

namespace coterie::COTERIE_ISA {
namespace {

#if defined(__AVX512BW__)

using Whole = Mask<float>;
constexpr int whole_lanes = lanes<float>, row_vectors = coded_block / whole_lanes, vectors_at_once = 2;
constexpr int centres_at_once = 8;  // their sums of two vectors of rows are half of all registers
constexpr std::int64_t blocks_per_task = 128;
constexpr int blocks_pending = 4;
constexpr std::int32_t number_bits = chunk_centres - 1;  // the number of a centre in its chunk takes the low bits of a value
constexpr std::int32_t farthest = 1 << 30, largest_start = 1 << 28;
constexpr float slightly_more = 1 + 1e-4f;

static_assert(coded_block == row_vectors * whole_lanes && row_vectors % vectors_at_once == 0 && chunk_centres % centres_at_once == 0);

COTERIE_INLINE Whole load_whole(const std::int32_t* from) {
  Whole value;
  __builtin_memcpy(&value, from, sizeof(value));
  return value;
}
COTERIE_INLINE void store_whole(std::int32_t* to, Whole value) { __builtin_memcpy(to, &value, sizeof(value)); }
COTERIE_INLINE Whole spread(std::int32_t value) { return broadcast_index<float>(value); }
COTERIE_INLINE Whole lesser(Whole a, Whole b) { return a < b ? a : b; }
COTERIE_INLINE Whole greater(Whole a, Whole b) { return a > b ? a : b; }
COTERIE_INLINE Vec<float> as_numbers(Whole value) { return __builtin_convertvector(value, Vec<float>); }

// Written out, since the instruction set of this file does not name it: the processor is asked (has_products_of_codes).
COTERIE_INLINE void add_products(Whole& sums, Whole rows, Whole centre) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(rows), "v"(centre));
}

bool has_products_of_codes() { return __builtin_cpu_supports("avx512vnni"); }

// The low bits of a value become a number.
COTERIE_INLINE Whole with_number(Whole value, std::int32_t number) { return (value & spread(~number_bits)) | spread(number); }

// The numbers of the lanes whose bit is set, one after the other; what is behind them is overwritten by the next.
COTERIE_INLINE void write_lanes(std::int32_t* to, std::uint32_t bits) {
  const __m512i set = _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), reinterpret_cast<__m512i>(lane_numbers<float>()));
  store_whole(to, reinterpret_cast<Whole>(set));
}

// A number from -127 to 127; of NaN, too.
template <class T>
COTERIE_INLINE std::int32_t code_of(T scaled) {
  const T above = scaled > T(-127) ? scaled : T(-127), within = above < T(127) ? above : T(127);
  return static_cast<std::int32_t>(within + T(127.5)) - 127;
}

template <class T>
void code_block(const KMeansData<T>& data, T step, Range range, std::int32_t* groups, float* rest, float* term) {
  const std::int64_t cols = data.X.cols, n_groups = block_count(cols, codes_per_group);
  const Scratch<T> row(cols), left(cols);
  const Scratch<std::uint8_t> codes(n_groups * codes_per_group);
  const T per_step = 1 / step;
  const auto slack = static_cast<float>(static_cast<double>(step) * 1e-4 * std::sqrt(static_cast<double>(cols)));
  for (std::int64_t t = 0; t < n_groups * codes_per_group; ++t) codes[t] = 0;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    const T* from = data.X.row(i);
    T *to = row.data(), *over = left.data();
    std::uint8_t* code = codes.data();
    for (std::int64_t t = 0; t < cols; ++t) {
      to[t] = from[t] - data.shift[t];
      const std::int32_t whole = code_of(to[t] * per_step);
      over[t] = to[t] - step * static_cast<T>(whole);
      code[t] = static_cast<std::uint8_t>(whole + 128);
    }
    for (std::int64_t g = 0; g < n_groups; ++g)
      __builtin_memcpy(groups + g * coded_block + (i - range.begin), code + g * codes_per_group, codes_per_group);
    rest[i] = static_cast<float>(std::sqrt(squared_length(over, cols))) * slightly_more + slack;
    term[i] = static_cast<float>(squared_length(to, cols));
  }
}

template <class T>
void code_rows(const KMeansData<T>& data, double step, std::int32_t* groups, float* rest, float* term) {
  const std::int64_t n_groups = block_count(data.X.cols, codes_per_group), block_groups = n_groups * coded_block;
  parallel_for(block_count(data.X.rows, coded_block * blocks_per_task), data.threads, [&](std::int64_t task, int) {
    const Range rows = block_range(data.X.rows, coded_block * blocks_per_task, task);
    for (std::int64_t first = rows.begin; first < rows.end; first += coded_block) {
      std::int32_t* to = groups + first / coded_block * block_groups;
      for (std::int64_t i = 0; i < block_groups; ++i) to[i] = 0;
      code_block(data, static_cast<T>(step), {first, first + coded_block < rows.end ? first + coded_block : rows.end}, to, rest, term);
    }
  });
}

// The centres as codes with the other sign, so that products are subtracted.
template <class T>
class CodedCentres {
 public:
  CodedCentres(const PackedColumns<T>& centres, double row_step)
      : n_groups_(block_count(centres.cols, codes_per_group)),
        n_padded_(block_count(centres.n_columns, chunk_centres) * chunk_centres),
        groups_(n_padded_ * n_groups_),
        start_(n_padded_) {
    for (std::int64_t i = 0; i < n_padded_ * n_groups_; ++i) groups_[i] = 0;
    for (std::int64_t j = 0; j < n_padded_; ++j) start_[j] = farthest - 1;
    double largest = 0;
    for (std::int64_t j = 0; j < centres.n_columns; ++j)
      for (std::int64_t t = 0; t < centres.cols; ++t) {
        const double value = static_cast<double>(packed_column(centres, j)[t * panel_width<T>]);
        largest = value > largest ? value : -value > largest ? -value : largest;
      }
    const double step = largest > 0 ? largest / 127 : 1.0;
    unit_ = row_step * step;
    for (std::int64_t j = 0; j < centres.n_columns; ++j) code(centres, j, step);
  }

  bool fit() const { return fit_; }
  std::int64_t n_groups() const { return n_groups_; }
  std::int64_t n_padded() const { return n_padded_; }
  // Some centres at a time, which stand side by side for each group of columns.
  const std::int32_t* groups(std::int64_t centre) const { return groups_.data() + centre * n_groups_; }
  const std::int32_t* start() const { return start_.data(); }
  double unit() const { return unit_; }
  double longest() const { return longest_; }  // centre
  double longest_rest() const { return longest_rest_; }  // of what its codes leave over

 private:
  void code(const PackedColumns<T>& centres, std::int64_t j, double step) {
    const T* column = packed_column(centres, j);
    auto* to =
        reinterpret_cast<std::int8_t*>(groups_.data() + j / centres_at_once * centres_at_once * n_groups_ + j % centres_at_once);
    double squares = 0, left = 0;
    std::int64_t sum = 0;
    for (std::int64_t t = 0; t < centres.cols; ++t) {
      const double value = static_cast<double>(column[t * panel_width<T>]);
      const std::int32_t code = code_of(value / step);
      const double left_over = value - step * code;
      squares += value * value;
      left += left_over * left_over;
      sum += code;
      to[t / codes_per_group * centres_at_once * codes_per_group + t % codes_per_group] = static_cast<std::int8_t>(-code);
    }
    const double start = squares / 2 / unit_;
    fit_ = fit_ && start < largest_start;
    if (fit_) start_[j] = static_cast<std::int32_t>(start + 0.5) + static_cast<std::int32_t>(128 * sum);
    const double length = std::sqrt(squares), rest = std::sqrt(left);
    longest_ = length > longest_ ? length : longest_;
    longest_rest_ = rest > longest_rest_ ? rest : longest_rest_;
  }

  std::int64_t n_groups_, n_padded_;
  Scratch<std::int32_t> groups_, start_;
  double unit_ = 1, longest_ = 0, longest_rest_ = 0;
  bool fit_ = true;
};

// The two least values of each row of a block: their low bits are the number of the centre within its chunk.
struct FirstLook {
  Whole best[row_vectors], second[row_vectors], chunk[row_vectors];
};

template <int fixed_groups>
COTERIE_INLINE void meet_chunk(const std::int32_t* rows, const std::int32_t* centres, const std::int32_t* start,
                               std::int64_t any_groups, Whole* best, Whole* second) {
  const std::int64_t n_groups = fixed_groups > 0 ? fixed_groups : any_groups;
  for (int v = 0; v < vectors_at_once; ++v) best[v] = second[v] = spread(farthest);
#pragma GCC unroll 4
  for (int c = 0; c < chunk_centres; c += centres_at_once) {
    Whole sums[centres_at_once][vectors_at_once];
    for (int i = 0; i < centres_at_once; ++i)
      for (int v = 0; v < vectors_at_once; ++v) sums[i][v] = spread(start[c + i]);
    for (std::int64_t g = 0; g < n_groups; ++g) {
      Whole row[vectors_at_once];
      for (int v = 0; v < vectors_at_once; ++v) row[v] = load_whole(rows + g * coded_block + v * whole_lanes);
      for (int i = 0; i < centres_at_once; ++i) {
        const Whole centre = spread(centres[(c * n_groups) + g * centres_at_once + i]);
        for (int v = 0; v < vectors_at_once; ++v) add_products(sums[i][v], row[v], centre);
      }
    }
    for (int i = 0; i < centres_at_once; ++i)
      for (int v = 0; v < vectors_at_once; ++v) {
        const Whole value = with_number(sums[i][v], c + i);
        second[v] = lesser(second[v], greater(best[v], value));
        best[v] = lesser(best[v], value);
        asm("" : "+v"(best[v]), "+v"(second[v]));  // or values wait in memory until every best is known: a tenth more time
      }
  }
}

// `chunk_best`: chunks x coded_block.
template <class T, int fixed_groups>
COTERIE_INLINE void look(const CodedCentres<T>& centres, const std::int32_t* rows, FirstLook& seen, std::int32_t* chunk_best) {
  for (int v = 0; v < row_vectors; ++v) {
    seen.best[v] = seen.second[v] = spread(farthest);
    seen.chunk[v] = Whole{};
  }
  for (std::int64_t first = 0; first < centres.n_padded(); first += chunk_centres, chunk_best += coded_block) {
    Whole best[row_vectors], second[row_vectors];
    for (int v = 0; v < row_vectors; v += vectors_at_once)
      meet_chunk<fixed_groups>(rows + v * whole_lanes, centres.groups(first), centres.start() + first, centres.n_groups(), best + v,
                               second + v);
    for (int v = 0; v < row_vectors; ++v) {
      store_whole(chunk_best + v * whole_lanes, best[v]);
      const Whole is_nearer = best[v] < seen.best[v];
      seen.second[v] = lesser(lesser(seen.second[v], second[v]), greater(seen.best[v], best[v]));
      seen.best[v] = lesser(seen.best[v], best[v]);
      seen.chunk[v] = is_nearer ? spread(static_cast<std::int32_t>(first)) : seen.chunk[v];
    }
  }
}

template <class T>
struct CodedContext {
  const KMeansData<T>& data;
  const KMeansCodes& rows;
  const CodedCentres<T>& coded;
  const PackedColumns<T>& centres;
  const SumUnits& units;
  const RowBounds& bounds;  // upper and lower may be null
  double largest_term;
  ClusterSums sums;  // of this thread
  CodedOutcome outcome;

  // Error of a value in units, of rows that stand side by side; no rounding is left out.
  COTERIE_INLINE Vec<float> error(Vec<float> term, Vec<float> rest) const {
    return error(term, rest, broadcast(static_cast<float>(coded.longest())));
  }

  // The values of two centres that are equally near or nearly so: the error that they do not share is by what is between them, which is
  // twice the distance of the row at most.
  COTERIE_INLINE Vec<float> error_of_nearest(Vec<float> term, Vec<float> rest, Whole best, Vec<float> full) const {
    const Vec<float> squared = term + (as_numbers(best) + full) * static_cast<float>(2 * coded.unit()) + 2.0f * rounding(term);
    const Vec<float> distance = square_root<float>(maximum<float>(squared, Vec<float>{})) * slightly_more;
    return error(term, rest, minimum<float>(distance, broadcast(static_cast<float>(coded.longest()))));
  }

  // What is left over of a row counts for `reach`.
  COTERIE_INLINE Vec<float> error(Vec<float> term, Vec<float> rest, Vec<float> reach) const {
    const auto per_unit = static_cast<float>(1 / coded.unit());
    const Vec<float> length = square_root<float>(term) * slightly_more + rest;
    const Vec<float> products = rest * reach + length * static_cast<float>(coded.longest_rest());
    return (products + rounding(term)) * per_unit * slightly_more + static_cast<float>(number_bits + 2);
  }

  // Of squared distances as computed in float32.
  COTERIE_INLINE Vec<float> rounding(Vec<float> term) const {
    const auto unit = static_cast<float>(2 * static_cast<double>(data.X.cols + 8) * std::numeric_limits<float>::epsilon());
    return (term + static_cast<float>(largest_term)) * unit;
  }
};

// What a row finds among some centres as they are.
template <class T>
struct Meeting {
  Vec<T> best, next;
  Mask<T> at;

  COTERIE_INLINE void begin() {
    best = next = broadcast(std::numeric_limits<T>::infinity());
    at = Mask<T>{};
  }

  COTERIE_INLINE void consume(Vec<T> value, std::int64_t column) {
    const Mask<T> is_nearer = value < best;
    next = minimum<T>(next, maximum<T>(value, best));
    best = select<T>(is_nearer, value, best);
    at = select_index<T>(is_nearer, broadcast_index<T>(static_cast<LaneIndex<T>>(column)) + lane_numbers<T>(), at);
  }
};

template <class T>
COTERIE_INLINE void give_row(CodedContext<T>& context, std::int64_t row, std::int32_t label, const T* loaded) {
  std::int32_t& old = context.bounds.label[row];
  if (old == label) return;
  move_row(context.sums, context.units, old, label, loaded, context.data.weights == nullptr ? 1.0 : context.data.weights[row]);
  old = label;
  ++context.outcome.changed;
}

// Values above these are those of centres that are not the nearest: twice the error above the best.
COTERIE_INLINE Whole limit_of(Whole best, Vec<float> error) {
  const Vec<float> most = broadcast(static_cast<float>(farthest)), window = error * 2.0f * slightly_more + 1.0f;
  return best + __builtin_convertvector(window < most ? window : most, Whole);  // also of NaN: all are in doubt
}

// The rows of a vector that are in doubt, and what they find among the chunks that may hold their nearest centre.
template <class T>
class Doubts {
 public:
  Doubts(std::int64_t n_chunks, std::int64_t cols)
      : lane_(whole_lanes * (n_chunks + 1)),
        chunk_(whole_lanes * (n_chunks + 1)),
        rows_(whole_lanes * cols),
        n_chunks_(n_chunks),
        cols_(cols) {}

  T* row(int lane) const { return rows_.data() + lane * cols_; }  // as loaded
  const Meeting<T>& meeting(int lane) const { return meetings_[lane]; }
  std::int64_t met() const { return count_; }  // chunks, by all rows
  std::int32_t others(int lane) const { return others_[lane]; }  // least value of the chunks that a row does not meet

  // The chunks whose best value is within the limit of a row, in their order.
  COTERIE_INLINE void list(const std::int32_t* chunk_best, std::uint32_t rows, Whole limit) {
    count_ = 0;
    others_ = spread(farthest);
    for (std::int64_t c = 0; c < n_chunks_; ++c, chunk_best += coded_block) {
      const Whole value = load_whole(chunk_best), is_far = value > limit;
      others_ = is_far ? lesser(others_, value) : others_;
      const std::uint32_t near = rows & ~lane_bits<float>(is_far);
      write_lanes(lane_.data() + count_, near);
      store_whole(chunk_.data() + count_, spread(static_cast<std::int32_t>(c)));
      count_ += __builtin_popcount(near);
    }
  }

  COTERIE_INLINE void meet(const PackedColumns<T>& centres, std::uint32_t rows) {
    for (; rows != 0; rows &= rows - 1) meetings_[__builtin_ctz(rows)].begin();
    std::int64_t i = 0;
    for (; i + pairs_at_once <= count_; i += pairs_at_once) meet_pairs<pairs_at_once>(centres, i);
    for (; i < count_; ++i) meet_pairs<1>(centres, i);
  }

 private:
  static constexpr int vectors = chunk_centres / lanes<T>;
  static constexpr int pairs_at_once = vectors <= 2 ? 4 : 2;  // sums that wait for nothing but themselves keep the processor busy

  // Several rows with a chunk each. The values have the bits that dot_block gives them.
  template <int count>
  COTERIE_INLINE void meet_pairs(const PackedColumns<T>& centres, std::int64_t first) {
    const T *from[count][vectors], *row[count];
    Vec<T> value[count][vectors];
    for (int i = 0; i < count; ++i) {
      row[i] = rows_.data() + lane_[first + i] * cols_;
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t column = chunk_[first + i] * chunk_centres + v * lanes<T>;
        const bool exists = panel_width<T> % chunk_centres == 0 || column < centres.n_panels * panel_width<T>;
        from[i][v] = packed_column(centres, exists ? column : 0);
        value[i][v] = exists ? load(centres.start + column) : broadcast(std::numeric_limits<T>::infinity());
      }
    }
    for (std::int64_t t = 0; t < cols_; ++t)
      for (int i = 0; i < count; ++i)
        for (int v = 0; v < vectors; ++v) value[i][v] -= broadcast(row[i][t]) * load(from[i][v] + t * panel_width<T>);
    for (int i = 0; i < count; ++i)
      for (int v = 0; v < vectors; ++v)
        meetings_[lane_[first + i]].consume(value[i][v], chunk_[first + i] * chunk_centres + v * lanes<T>);
  }

  Scratch<std::int32_t> lane_, chunk_;  // pairs of a row and a chunk
  Scratch<T> rows_;
  std::int64_t n_chunks_, cols_, count_ = 0;
  Whole others_;
  Meeting<T> meetings_[whole_lanes];
};

// A row whose nearest centre is in doubt, after it met the chunks that may hold it. `error`: of any value.
template <class T>
COTERIE_INLINE void settle_row(CodedContext<T>& context, std::int64_t row, const Doubts<T>& doubts, int lane, float error) {
  const PackedColumns<T>& centres = context.centres;
  const Meeting<T>& meeting = doubts.meeting(lane);
  const T* loaded = doubts.row(lane);
  const LaneWinner<T> nearest = lowest_lane<T>(meeting.best, meeting.at);
  if (context.bounds.upper != nullptr) {
    const double term = static_cast<double>(squared_length(loaded, centres.cols));
    const T second = second_least<T>(meeting.best, meeting.at, meeting.next, nearest);
    const BoundedNearest found = bounded_nearest(centres, loaded, term, context.largest_term, nearest, second);
    const double unseen = (static_cast<double>(doubts.others(lane)) - static_cast<double>(error)) * context.coded.unit();
    const float beyond = lower_distance(term + 2 * unseen, squared_error<float>(centres.cols, term, context.largest_term));
    context.bounds.upper[row] = found.upper;
    context.bounds.lower[row] = found.lower < beyond ? found.lower : beyond;
  }
  give_row(context, row, static_cast<std::int32_t>(nearest.index), loaded);
}

// Bounds of the rows that the first look settled; the others' are written after it.
template <class T>
COTERIE_INLINE void write_bounds(const CodedContext<T>& context, std::int64_t first, std::int64_t count, Whole best, Whole second,
                                 Vec<float> term, Vec<float> error) {
  const auto unit = static_cast<float>(2 * context.coded.unit());
  const Vec<float> rounding = context.rounding(term);
  const Vec<float> high = term + (as_numbers(best) + error) * unit + rounding,
                   low = term + (as_numbers(second) - error) * unit - rounding;
  const Vec<float> upper = square_root<float>(maximum<float>(high, Vec<float>{})) * round_up,
                   lower = square_root<float>(maximum<float>(low, Vec<float>{})) * round_down;
  for (int lane = 0; lane < whole_lanes && lane < count; ++lane) {
    context.bounds.upper[first + lane] = upper[lane];
    context.bounds.lower[first + lane] = lower[lane];
  }
}

// A vector of rows after the first look.
struct Verdict {
  Whole limit, label;
  Vec<float> error;  // of any value
  std::uint32_t moved, uncertain;  // rows that the first look gives another label; rows that it does not settle
};

// Rows [first, first + count).
template <class T>
COTERIE_INLINE Verdict judge(const CodedContext<T>& context, std::int64_t first, std::int64_t count, const FirstLook& seen, int v) {
  float terms[whole_lanes] = {}, rests[whole_lanes] = {};
  std::int32_t old[whole_lanes] = {};
  const std::int64_t real = count < whole_lanes ? count : whole_lanes;
  __builtin_memcpy(terms, context.rows.term + first, static_cast<std::size_t>(real) * sizeof(float));
  __builtin_memcpy(rests, context.rows.rest + first, static_cast<std::size_t>(real) * sizeof(float));
  __builtin_memcpy(old, context.bounds.label + first, static_cast<std::size_t>(real) * sizeof(std::int32_t));
  const Vec<float> term = load<float>(terms), rest = load<float>(rests), full = context.error(term, rest);
  const Whole limit = limit_of(seen.best[v], context.error_of_nearest(term, rest, seen.best[v], full));
  const std::uint32_t exists = (1u << real) - 1, certain = lane_bits<float>(seen.second[v] > limit) & exists;
  const Whole label = seen.chunk[v] | (seen.best[v] & spread(number_bits));
  if (context.bounds.upper != nullptr) write_bounds(context, first, real, seen.best[v], seen.second[v], term, full);
  return {limit, label, full, certain & lane_bits<float>(label != load_whole(old)), exists & ~certain};
}

// A block between its first look and the second: meanwhile the rows that are needed arrive.
template <class T>
struct PendingBlock {
  Scratch<std::int32_t> chunk_best;  // chunks x coded_block
  Verdict verdict[row_vectors];
  std::int64_t first = -1;  // no block

  explicit PendingBlock(std::int64_t n_chunks) : chunk_best(n_chunks * coded_block) {}

  // Inline: a call that only prefetches has no effect that the compiler knows of, and is left out.
  COTERIE_INLINE void fetch(const CodedContext<T>& context) const {
    constexpr std::int64_t line = 64, most = 512;
    const auto bytes = context.data.X.cols * static_cast<std::int64_t>(sizeof(T));
    for (int v = 0; v < row_vectors; ++v)
      for (std::uint32_t bits = verdict[v].moved | verdict[v].uncertain; bits != 0; bits &= bits - 1) {
        const auto* row = reinterpret_cast<const char*>(context.data.X.row(first + v * whole_lanes + __builtin_ctz(bits)));
        for (std::int64_t byte = 0; byte < bytes && byte < most; byte += line) __builtin_prefetch(row + byte);
        __builtin_prefetch(row + bytes - 1);
      }
  }
};

template <class T>
COTERIE_INLINE void settle_block(CodedContext<T>& context, const PendingBlock<T>& block, Doubts<T>& doubts) {
  for (int v = 0; v < row_vectors; ++v) {
    const Verdict& verdict = block.verdict[v];
    const std::int64_t first = block.first + v * whole_lanes;
    for (std::uint32_t bits = verdict.moved | verdict.uncertain; bits != 0; bits &= bits - 1) {
      const int lane = __builtin_ctz(bits);
      load_rows(context.data.X, context.data.shift, {first + lane, first + lane + 1}, doubts.row(lane));
      if ((verdict.moved >> lane & 1) != 0) give_row(context, first + lane, verdict.label[lane], doubts.row(lane));
    }
    if (verdict.uncertain == 0) continue;
    doubts.list(block.chunk_best.data() + v * whole_lanes, verdict.uncertain, verdict.limit);
    doubts.meet(context.centres, verdict.uncertain);
    for (std::uint32_t bits = verdict.uncertain; bits != 0; bits &= bits - 1) {
      const int lane = __builtin_ctz(bits);
      settle_row(context, first + lane, doubts, lane, verdict.error[lane]);
    }
    context.outcome.uncertain += __builtin_popcount(verdict.uncertain);
    context.outcome.met += doubts.met();
  }
}

template <class T, int fixed_groups>
void assign_range(CodedContext<T>& context, Range range) {
  const std::int64_t n_chunks = block_count(context.coded.n_padded(), chunk_centres);
  PendingBlock<T> blocks[blocks_pending] = {PendingBlock<T>(n_chunks), PendingBlock<T>(n_chunks), PendingBlock<T>(n_chunks),
                                            PendingBlock<T>(n_chunks)};
  Doubts<T> doubts(n_chunks, context.data.X.cols);
  const std::int64_t n_blocks = block_count(range.size(), coded_block);
  for (std::int64_t b = 0; b < n_blocks + blocks_pending - 1; ++b) {
    if (b < n_blocks) {
      const std::int64_t first = range.begin + b * coded_block;
      PendingBlock<T>& block = blocks[b % blocks_pending];
      FirstLook seen;
      look<T, fixed_groups>(context.coded, context.rows.groups + first * context.rows.n_groups, seen, block.chunk_best.data());
      block.first = first;
      for (int v = 0; v < row_vectors; ++v)
        block.verdict[v] = first + v * whole_lanes < range.end
                               ? judge(context, first + v * whole_lanes, range.end - first - v * whole_lanes, seen, v)
                               : Verdict{};
      block.fetch(context);
    }
    if (b >= blocks_pending - 1) settle_block(context, blocks[(b + 1) % blocks_pending], doubts);
  }
}

template <class T>
void assign_range(CodedContext<T>& context, Range range) {
  switch (context.rows.n_groups) {
    case 1:
      return assign_range<T, 1>(context, range);
    case 2:
      return assign_range<T, 2>(context, range);
    case 3:
      return assign_range<T, 3>(context, range);
    case 4:
      return assign_range<T, 4>(context, range);
    default:
      return assign_range<T, 0>(context, range);
  }
}

template <class T>
CodedOutcome assign_coded(const KMeansData<T>& data, const KMeansCodes& rows, const PackedColumns<T>& centres, const SumUnits& units,
                          const RowBounds& bounds, const ClusterSums& deltas) {
  const CodedCentres<T> coded(centres, rows.step);
  if (!coded.fit()) return {0, -1, 0};
  const std::int64_t rows_per_task = coded_block * blocks_per_task, n_tasks = block_count(data.X.rows, rows_per_task);
  const Scratch<CodedOutcome> outcomes(n_tasks);
  const double largest_term = largest_column_term(centres);
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int thread) {
    CodedContext<T> context{data, rows, coded, centres, units, bounds, largest_term, sums_of_thread(deltas, thread), {0, 0, 0}};
    assign_range(context, block_range(data.X.rows, rows_per_task, task));
    outcomes[task] = context.outcome;
  });
  CodedOutcome total{0, 0, 0};
  for (std::int64_t task = 0; task < n_tasks; ++task) {
    total.changed += outcomes[task].changed;
    total.uncertain += outcomes[task].uncertain;
    total.met += outcomes[task].met;
  }
  return total;
}

template <class T>
void install_for(CodedKernels<T>& kernels) {
  if (!has_products_of_codes()) return;
  kernels.code_rows = code_rows<T>;
  kernels.assign = assign_coded<T>;
}

#else

template <class T>
void install_for(CodedKernels<T>&) {}

#endif

}  // namespace

void install_coded_pass(Engine& engine) {
  install_for(engine.coded_float32);
  install_for(engine.coded_float64);
}

}  // namespace coterie::COTERIE_ISA
