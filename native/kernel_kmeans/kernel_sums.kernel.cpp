// Sums of rows per group, and exponentials of whole vectors.
#include "engine.h"
#include "support/vector_math.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
void add_rows(const RowSumJob<T>& job, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = 0; i < job.count; ++i) {
    const T* row = job.K + job.row[i] * job.stride;
    double* sums = job.sums + job.group[i] * job.columns;
    const double factor = job.factor[i];
    for (std::int64_t c = begin; c < end; ++c) sums[c] += factor * static_cast<double>(row[c]);
  }
}

// To one or two units in the last place; zero below the least normal number, infinite above the largest.
COTERIE_INLINE Doubles exponential_of(Doubles x) {
  constexpr double shifter = 0x1.8p52, per_octave = 1.4426950408889634;
  constexpr double octave_high = 0x1.62e42fefa3800p-1, octave_low = 0x1.ef35793c76730p-45;  // ln 2
  const Doubles shifted = x * per_octave + shifter;
  const Doubles whole = shifted - shifter;
  const Doubles r = (x - whole * octave_high) - whole * octave_low;  // at most ln 2 / 2
  Doubles series = Doubles{} + 1.0 / 6227020800.0;
  constexpr double inverse_factorials[] = {
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  for (const double coefficient : inverse_factorials) series = series * r + coefficient;
  const UnsignedLanes scaled = reinterpret_cast<UnsignedLanes>(series) + (reinterpret_cast<UnsignedLanes>(shifted) << 52);
  Doubles result = reinterpret_cast<Doubles>(scaled);
  result = x > -708.0 ? result : Doubles{};
  return x < 709.0 ? result : Doubles{} + std::numeric_limits<double>::infinity();
}

COTERIE_INLINE Vec<float> exponential_of(Vec<float> x) {
  HalfOfFloats half[2];
  __builtin_memcpy(half, &x, sizeof(x));
  for (HalfOfFloats& part : half) part = __builtin_convertvector(exponential_of(__builtin_convertvector(part, Doubles)), HalfOfFloats);
  __builtin_memcpy(&x, half, sizeof(x));
  return x;
}

template <class T>
void exponentiate(T* values, std::int64_t count, double factor) {
  const Vec<T> times = broadcast(static_cast<T>(factor));
  std::int64_t i = 0;
  for (; i + lanes<T> <= count; i += lanes<T>) store(values + i, exponential_of(load(values + i) * times));
  if (i == count) return;
  Vec<T> rest = {};
  for (std::int64_t lane = 0; i + lane < count; ++lane) rest[lane] = values[i + lane];
  rest = exponential_of(rest * times);
  for (std::int64_t lane = 0; i + lane < count; ++lane) values[i + lane] = rest[lane];
}

template <class T>
constexpr KernelSumKernels<T> kernels = {add_rows<T>, exponentiate<T>};

}  // namespace

void install_kernel_sums(Engine& engine) {
  engine.float32.kernel_sums = kernels<float>;
  engine.float64.kernel_sums = kernels<double>;
}

}  // namespace coterie::COTERIE_ISA
