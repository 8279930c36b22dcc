// Direct passes of seeding: a few candidates against all rows, by differences, with rows in the lanes of the vectors.
#include "engine.h"
#include "kmeans/squared_difference.h"
#include "support/parallel.h"
#include "support/scratch.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
using DenseData = SeedingData<MatrixView<T>>;

// Swaps rows and columns of a square of vectors: blocks of `half` beside the diagonal first, then those twice as large.
template <class T, int half = 1>
COTERIE_INLINE void transpose_square(Vec<T>* rows) {
  constexpr auto low = [](int lane) { return (lane & half) == 0 ? lane : lanes<T> + lane - half; };
  constexpr auto high = [](int lane) { return (lane & half) == 0 ? lane + half : lanes<T> + lane; };
  for (int i = 0; i < lanes<T>; ++i) {
    if ((i & half) != 0) continue;
    const Vec<T> a = rows[i], b = rows[i + half];
    rows[i] = shuffle_lanes(a, b, low);
    rows[i + half] = shuffle_lanes(a, b, high);
  }
  if constexpr (2 * half < lanes<T>) transpose_square<T, 2 * half>(rows);
}

// The candidates, row after row, each padded with zeros to `stride` features.
template <class T>
struct DirectCandidates {
  const T* points;
  std::int64_t count;
  std::int64_t stride;
};

// Adds to squared[c] what features [first, first + width) contribute, for the rows in the lanes of x.
template <class T, int width>
COTERIE_INLINE void add_features(const Vec<T>* x, const DirectCandidates<T>& candidates, std::int64_t first, Vec<T>* squared) {
  for (std::int64_t c = 0; c < candidates.count; ++c) {
    const T* point = candidates.points + c * candidates.stride + first;
    Vec<T> sum = squared[c];
    for (int t = 0; t < width; ++t) {
      const Vec<T> difference = x[t] - broadcast(point[t]);
      sum += difference * difference;
    }
    squared[c] = sum;
  }
}

// Squared distances of `lanes` rows to all candidates. `tail` is the number of features after the last whole vector, rounded up.
template <class T, int tail>
COTERIE_INLINE void meet_candidates(const T* const* row, std::int64_t cols, const DirectCandidates<T>& candidates, Vec<T>* squared) {
  for (std::int64_t c = 0; c < candidates.count; ++c) squared[c] = Vec<T>{};
  std::int64_t t = 0;
  for (; t + lanes<T> <= cols; t += lanes<T>) {
    Vec<T> x[lanes<T>];
    for (int lane = 0; lane < lanes<T>; ++lane) x[lane] = load(row[lane] + t);
    transpose_square<T>(x);
    add_features<T, lanes<T>>(x, candidates, t, squared);
  }
  if constexpr (tail > 0) {
    Vec<T> x[tail] = {};
    for (int j = 0; j < tail; ++j)
      for (int lane = 0; lane < lanes<T>; ++lane) x[j][lane] = t + j < cols ? row[lane][t + j] : T(0);
    add_features<T, tail>(x, candidates, t, squared);
  }
}

// What a pass over some rows leaves: gains in units of the largest weight, and which candidates are closer to which rows.
template <class T>
struct GainsOutput {
  const T* nearest;
  std::uint16_t* closer;
  double* gains;
};

// Sums of gains in T, over so few rows that rounding does not matter.
template <class T>
struct ShortSums {
  static constexpr std::int64_t rows = 16 * WideSum<T>::width;
  WideSum<T> gain[most_direct_candidates];

  COTERIE_INLINE void clear(std::int64_t count) {
    for (std::int64_t c = 0; c < count; ++c) gain[c] = {};
  }
  COTERIE_INLINE void flush(std::int64_t count, double* gains) {
    for (std::int64_t c = 0; c < count; ++c) gains[c] += gain[c].total();
    clear(count);
  }
};

// Rows first, first + 1, ... in the lanes, vector `index` of a sum; those from `end` on do not count.
template <class T, int tail>
COTERIE_INLINE void gain_of_lanes(const DenseData<T>& data, const DirectCandidates<T>& candidates, std::int64_t first,
                                  std::int64_t end, const GainsOutput<T>& out, ShortSums<T>& sums, std::int64_t index) {
  const T* row[lanes<T>];
  Vec<T> nearest = broadcast(-std::numeric_limits<T>::infinity()), weight = broadcast(T(1)), squared[most_direct_candidates];
  const int count = static_cast<int>(end - first < lanes<T> ? end - first : lanes<T>);
  for (int lane = 0; lane < lanes<T>; ++lane) row[lane] = data.X.row(first + (lane < count ? lane : 0));
  if (count == lanes<T>)
    nearest = load(out.nearest + first);
  else
    for (int lane = 0; lane < count; ++lane) nearest[lane] = out.nearest[first + lane];
  if (data.weights != nullptr)
    for (int lane = 0; lane < count; ++lane) weight[lane] = static_cast<T>(data.weights[first + lane] / data.largest_weight);
  meet_candidates<T, tail>(row, data.X.cols, candidates, squared);
  Mask<T> closer{};
  for (std::int64_t c = 0; c < candidates.count; ++c) {
    const Vec<T> gain = nearest - squared[c];
    const Mask<T> is_closer = gain > Vec<T>{};
    sums.gain[c].vector(index) += select<T>(is_closer, gain * weight, Vec<T>{});
    closer |= is_closer & broadcast_index<T>(LaneIndex<T>(1) << c);
  }
  for (int lane = 0; lane < count; ++lane) out.closer[first + lane] = static_cast<std::uint16_t>(closer[lane]);
}

template <class T, int tail>
void gain_of_rows(const DenseData<T>& data, const DirectCandidates<T>& candidates, Range range, const GainsOutput<T>& out) {
  ShortSums<T> sums;
  sums.clear(candidates.count);
  for (std::int64_t begin = range.begin; begin < range.end; begin += sums.rows) {
    const std::int64_t end = begin + sums.rows < range.end ? begin + sums.rows : range.end;
    for (std::int64_t first = begin; first < end; first += lanes<T>)
      gain_of_lanes<T, tail>(data, candidates, first, end, out, sums, (first - begin) / lanes<T>);
    sums.flush(candidates.count, out.gains);
  }
}

template <int number>
struct Constant {
  static constexpr int value = number;
};

// Calls body(Constant<tail>) for the tail of `cols` features.
template <class T, class Body>
COTERIE_INLINE void with_tail(std::int64_t cols, const Body& body) {
  const std::int64_t tail = cols % lanes<T>;
  if (tail == 0) return body(Constant<0>{});
  if (tail == 1) return body(Constant<1>{});
  if constexpr (lanes<T> > 2) {
    if (tail == 2) return body(Constant<2>{});
    if (tail == 3) return body(Constant<3>{});
  }
  if constexpr (lanes<T> > 4)
    if (tail == 4) return body(Constant<4>{});
  return body(Constant<lanes<T>>{});
}

// Owns copies of some rows.
template <class T>
class DirectPoints {
 public:
  DirectPoints(const MatrixView<T>& X, const std::int64_t* rows, std::int64_t count)
      : count_(count), stride_(block_count(X.cols, lanes<T>) * lanes<T>), points_(count * stride_) {
    for (std::int64_t c = 0; c < count; ++c)
      for (std::int64_t t = 0; t < stride_; ++t) points_[c * stride_ + t] = t < X.cols ? X.row(rows[c])[t] : T(0);
  }
  DirectCandidates<T> view() const { return {points_.data(), count_, stride_}; }

 private:
  std::int64_t count_, stride_;
  Scratch<T> points_;
};

template <class T>
void gains(const DenseData<T>& data, const T* nearest, const std::int64_t* candidates, std::int64_t count, std::uint16_t* closer,
           double* out) {
  const std::int64_t n = data.X.rows, n_tasks = block_count(n, seeding_rows_per_task);
  const DirectPoints<T> points(data.X, candidates, count);
  const Scratch<double> partial(n_tasks * count);
  for (std::int64_t i = 0; i < n_tasks * count; ++i) partial[i] = 0;
  parallel_for(n_tasks, data.threads, [&](std::int64_t task, int) {
    with_tail<T>(data.X.cols, [&](auto tail) {
      gain_of_rows<T, tail.value>(data, points.view(), block_range(n, seeding_rows_per_task, task),
                                  {nearest, closer, partial.data() + task * count});
    });
  });
  for (std::int64_t c = 0; c < count; ++c) {
    out[c] = 0;
    for (std::int64_t task = 0; task < n_tasks; ++task) out[c] += partial[task * count + c];
  }
}

// Lowers `nearest` for the rows in the lanes, if any of them has the bit set.
template <class T, int tail>
COTERIE_INLINE void take_lanes(const MatrixView<T>& X, const DirectCandidates<T>& pick, std::int64_t first, std::int64_t end,
                               const std::uint16_t* closer, int bit, T* nearest) {
  const T* row[lanes<T>];
  const int count = static_cast<int>(end - first < lanes<T> ? end - first : lanes<T>);
  std::uint16_t is_any = 0;
  for (int lane = 0; lane < count; ++lane) is_any |= closer == nullptr ? 0xffff : closer[first + lane];
  if ((is_any >> bit & 1) == 0) return;
  for (int lane = 0; lane < lanes<T>; ++lane) row[lane] = X.row(first + (lane < count ? lane : 0));
  Vec<T> squared;
  meet_candidates<T, tail>(row, X.cols, {pick.points, 1, pick.stride}, &squared);
  if (count == lanes<T>)
    store(nearest + first, minimum<T>(squared, load(nearest + first)));
  else
    for (int lane = 0; lane < count; ++lane)
      nearest[first + lane] = squared[lane] < nearest[first + lane] ? squared[lane] : nearest[first + lane];
}

template <class T, int tail>
void take_rows(const MatrixView<T>& X, const DirectCandidates<T>& pick, Range range, const std::uint16_t* closer, int bit,
               T* nearest) {
  for (std::int64_t first = range.begin; first < range.end; first += lanes<T>)
    take_lanes<T, tail>(X, pick, first, range.end, closer, bit, nearest);
}

template <class T>
void take(const DenseData<T>& data, std::int64_t pick, const std::uint16_t* closer, int bit, T* nearest) {
  const std::int64_t n = data.X.rows;
  const DirectPoints<T> points(data.X, &pick, 1);
  parallel_for(block_count(n, seeding_rows_per_task), data.threads, [&](std::int64_t task, int) {
    with_tail<T>(data.X.cols, [&](auto tail) {
      take_rows<T, tail.value>(data.X, points.view(), block_range(n, seeding_rows_per_task, task), closer, bit, nearest);
    });
  });
}

template <class T>
void install_for(SeedingKernels<T>& kernels) {
  kernels.gains = gains<T>;
  kernels.take = take<T>;
}

}  // namespace

void install_seeding_gains(Engine& engine) {
  install_for(engine.float32.seeding);
  install_for(engine.float64.seeding);
}

}  // namespace coterie::COTERIE_ISA
