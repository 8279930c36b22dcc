// The pair of least criterion in a row of neighbour joining. Rounded after every operation: the same pair on every instruction set.
#include <limits>

#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

struct Seen {
  Vec<double> least;
  Mask<double> at;
};

COTERIE_INLINE void look_at(Seen& seen, Vec<double> values, Mask<double> columns) {
  const Mask<double> is_less = values < seen.least;
  seen.least = select<double>(is_less, values, seen.least);
  seen.at = select_index<double>(is_less, columns, seen.at);
}

COTERIE_INLINE void look_at_one(LeastPair& seen, double value, std::int64_t column) {
  if (value < seen.value || (value == seen.value && column < seen.at)) seen = {value, column};
}

void least_pair(const double* row, const double* sums, double own, double scale, std::int64_t n, LeastPair& out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr int sets = 4;  // chains of comparisons that hide each other's latency
  Seen seen[sets];
  for (auto& set : seen) set = {broadcast(infinity), Mask<double>{}};
  Mask<double> columns = lane_numbers<double>();
  const Vec<double> scales = broadcast(scale), owns = broadcast(own);
  std::int64_t j = 0;
  for (; j + sets * lanes<double> <= n; j += sets * lanes<double>)
    for (int s = 0; s < sets; ++s) {
      const std::int64_t at = j + s * lanes<double>;
      look_at(seen[s], scales * load(row + at) - (owns + load(sums + at)), columns);
      columns += broadcast_index<double>(lanes<double>);
    }
  out = {infinity, std::numeric_limits<std::int64_t>::max()};
  for (const auto& set : seen)
    for (int lane = 0; lane < lanes<double>; ++lane) look_at_one(out, set.least[lane], set.at[lane]);
  for (; j < n; ++j) look_at_one(out, scale * row[j] - (own + sums[j]), j);
  if (out.value == infinity) out.at = -1;
}

}  // namespace

void install_least_pair(Engine& engine) { engine.phylogeny.least_pair = least_pair; }

}  // namespace coterie::COTERIE_ISA
