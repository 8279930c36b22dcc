// The messages of affinity propagation, a row at a time: each is read and written once per step.
#include <limits>

#include "engine.h"
#include "graph/message_kernels.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

using Lanes = Vec<double>;
constexpr int width = lanes<double>;

COTERIE_INLINE Lanes load_numbers(const double* from) { return load<double>(from); }

COTERIE_INLINE Lanes load_numbers(const float* from) {
  Lanes numbers;
  for (int lane = 0; lane < width; ++lane) numbers[lane] = from[lane];
  return numbers;
}

// The two largest numbers met so far, lane by lane; equal ones count as two.
struct TwoLargest {
  Lanes first, second;

  TwoLargest() : first(broadcast<double>(-std::numeric_limits<double>::infinity())), second(first) {}
  COTERIE_INLINE void meet(Lanes numbers) {
    second = maximum<double>(second, minimum<double>(first, numbers));
    first = maximum<double>(first, numbers);
  }
  COTERIE_INLINE void meet(double number) {
    Lanes numbers = broadcast<double>(-std::numeric_limits<double>::infinity());
    numbers[0] = number;
    meet(numbers);
  }
  COTERIE_INLINE void finish(double& largest, double& next) const {
    largest = next = -std::numeric_limits<double>::infinity();
    for (int lane = 0; lane < width; ++lane)
      for (const double number : {first[lane], second[lane]}) {
        next = next > (largest < number ? largest : number) ? next : (largest < number ? largest : number);
        largest = largest > number ? largest : number;
      }
  }
};

template <class T>
class RowUpdate {
 public:
  RowUpdate(const MessageJob<T>& job, std::int64_t row)
      : similarities_(job.similarities + row * job.n),
        availabilities_(job.availabilities + row * job.n),
        responsibilities_(job.responsibilities + row * job.n),
        sums_(job.column_sums),
        row_(row),
        n_(job.n),
        old_(job.damping),
        new_(1 - job.damping) {}

  void run() {
    offer(0, row_);
    const double own = responsibilities_[row_] - sums_[row_];
    availabilities_[row_] = availabilities_[row_] * old_ - own * new_;
    largest_.meet(availabilities_[row_] + static_cast<double>(similarities_[row_]));
    offer(row_ + 1, n_);
    respond();
  }

 private:
  // Availabilities of columns [begin, end), none of them the row's own.
  COTERIE_INLINE void offer(std::int64_t begin, std::int64_t end) {
    std::int64_t j = begin;
    const Lanes zero{};
    for (; j + width <= end; j += width) {
      const Lanes asked = maximum<double>(load<double>(responsibilities_ + j), zero) - load<double>(sums_ + j);
      const Lanes message = load<double>(availabilities_ + j) * old_ - maximum<double>(asked, zero) * new_;
      store<double>(availabilities_ + j, message);
      largest_.meet(message + load_numbers(similarities_ + j));
    }
    for (; j < end; ++j) {
      const double positive = responsibilities_[j] > 0 ? responsibilities_[j] : 0.0;
      const double asked = positive - sums_[j];
      const double message = availabilities_[j] * old_ - (asked > 0 ? asked : 0.0) * new_;
      availabilities_[j] = message;
      largest_.meet(message + static_cast<double>(similarities_[j]));
    }
  }

  // Responsibilities: what the best other column leaves to be desired.
  COTERIE_INLINE void respond() {
    double best, next;
    largest_.finish(best, next);
    const std::int64_t at = first_of(best);
    const double before = responsibilities_[at];
    std::int64_t j = 0;
    for (; j + width <= n_; j += width) {
      const Lanes message = load<double>(responsibilities_ + j) * old_ + (load_numbers(similarities_ + j) - best) * new_;
      store<double>(responsibilities_ + j, message);
    }
    for (; j < n_; ++j) responsibilities_[j] = responsibilities_[j] * old_ + (static_cast<double>(similarities_[j]) - best) * new_;
    responsibilities_[at] = before * old_ + (static_cast<double>(similarities_[at]) - next) * new_;
  }

  COTERIE_INLINE std::int64_t first_of(double best) const {
    std::int64_t j = 0;
    for (; j + width <= n_; j += width) {
      const std::uint32_t is_best =
          lane_bits<double>(load<double>(availabilities_ + j) + load_numbers(similarities_ + j) == broadcast<double>(best));
      if (is_best != 0) return j + __builtin_ctz(is_best);
    }
    for (; j < n_ - 1; ++j)
      if (availabilities_[j] + static_cast<double>(similarities_[j]) == best) break;
    return j;
  }

  const T* similarities_;
  double* availabilities_;
  double* responsibilities_;
  const double* sums_;
  std::int64_t row_, n_;
  double old_, new_;  // shares of the last message and of the new one
  TwoLargest largest_;
};

template <class T>
void update_rows(const MessageJob<T>& job, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) RowUpdate<T>(job, row).run();
}

template <class T>
void sum_columns(const MessageJob<T>& job, std::int64_t begin, std::int64_t end, double* sums) {
  for (std::int64_t j = begin; j < end; ++j) sums[j] = 0;
  for (std::int64_t i = 0; i < job.n; ++i) {
    const double* row = job.responsibilities + i * job.n;
    const bool has_own = i >= begin && i < end;
    const double own = has_own ? sums[i] + row[i] : 0;
    std::int64_t j = begin;
    const Lanes zero{};
    for (; j + width <= end; j += width)
      store<double>(sums + j, load<double>(sums + j) + maximum<double>(load<double>(row + j), zero));
    for (; j < end; ++j) sums[j] += row[j] > 0 ? row[j] : 0.0;
    if (has_own) sums[i] = own;
  }
}

}  // namespace

void install_affinity_propagation(Engine& engine) {
  engine.float32.messages = {update_rows<float>, sum_columns<float>};
  engine.float64.messages = {update_rows<double>, sum_columns<double>};
}

}  // namespace coterie::COTERIE_ISA
