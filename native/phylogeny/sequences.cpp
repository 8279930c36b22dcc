#include "phylogeny/sequences.h"

#include <cmath>
#include <limits>

#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t SITES = 64;
constexpr std::int64_t SEQUENCES_PER_TASK = 16;

double from_counts(const SiteCounts& sites, SequenceModel model) {
  if (sites.compared == 0) return std::numeric_limits<double>::quiet_NaN();
  if (model == SequenceModel::differences) return static_cast<double>(sites.differing);
  const auto compared = static_cast<double>(sites.compared);
  const double p = static_cast<double>(sites.differing) / compared;
  if (model == SequenceModel::proportion) return p;
  if (sites.differing == 0) return 0;
  if (model == SequenceModel::jukes_cantor) {
    const double rest = 1 - 4 * p / 3;
    return rest > 0 ? -0.75 * plain_logarithm(rest) : std::numeric_limits<double>::infinity();
  }
  const double transversions = static_cast<double>(sites.in_last_plane) / compared;
  const double transitions = static_cast<double>(sites.differing - sites.in_last_plane) / compared;
  const double first = 1 - 2 * transitions - transversions, second = 1 - 2 * transversions;
  if (first <= 0 || second <= 0) return std::numeric_limits<double>::infinity();
  return -0.5 * plain_logarithm(first) - 0.25 * plain_logarithm(second);
}

}  // namespace

double plain_logarithm(double x) {
  constexpr double root_half = 0.70710678118654752, ln_2_high = 0x1.62e42fefa38p-1, ln_2_low = 0x1.ef35793c7673p-45;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < root_half) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1), z = s * s;  // ln m = 2 artanh s, |s| < 0.172
  double series = 0;
  for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * z;
  return exponent * ln_2_high + (2 * s + (2 * s * series + exponent * ln_2_low));
}

SequenceBits::SequenceBits(MatrixView<std::uint8_t> codes, int planes, int threads)
    : count_(codes.rows),
      words_((codes.cols + SITES - 1) / SITES),
      planes_(planes),
      bits_(static_cast<std::size_t>(count_ * words_ * (planes + 1))) {
  parallel_for(count_, threads, [&](std::int64_t i, int) {
    std::uint64_t* words = bits_.data() + i * words_ * (planes_ + 1);
    for (std::int64_t site = 0; site < codes.cols; ++site) {
      const std::uint64_t code = codes.row(i)[site];
      if (code >> planes_ != 0) continue;
      std::uint64_t* word = words + site / SITES * (planes_ + 1);
      const int shift = static_cast<int>(site % SITES);
      word[0] |= std::uint64_t{1} << shift;
      for (int plane = 0; plane < planes_; ++plane) word[plane + 1] |= (code >> plane & 1) << shift;
    }
  });
}

void sequence_distances(const SequenceBits& sequences, SequenceModel model, int threads, double* distances) {
  const std::int64_t n = sequences.count(), blocks = block_count(n, SEQUENCES_PER_TASK);
  const auto count_sites = engine().phylogeny.count_sites;
  parallel_for(blocks * (blocks + 1) / 2, threads, [&](std::int64_t task, int) {
    std::int64_t upper = static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(task) + 1) - 1) / 2);
    while (upper * (upper + 1) / 2 > task) --upper;
    while ((upper + 1) * (upper + 2) / 2 <= task) ++upper;
    const Range rows = block_range(n, SEQUENCES_PER_TASK, upper);
    const Range columns = block_range(n, SEQUENCES_PER_TASK, task - upper * (upper + 1) / 2);
    for (std::int64_t i = rows.begin; i < rows.end; ++i)
      for (std::int64_t j = columns.begin; j < columns.end && j <= i; ++j) {
        SiteCounts sites{0, 0, 0};
        if (i != j) count_sites(sequences.row(i), sequences.row(j), sequences.words(), sequences.planes(), sites);
        distances[i * n + j] = distances[j * n + i] = i == j ? 0.0 : from_counts(sites, model);
      }
  });
}

}  // namespace coterie
