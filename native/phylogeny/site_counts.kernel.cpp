// Sites at which two sequences differ, 64 at a time. Counts are whole numbers: the same on every instruction set.
#include "engine.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {
namespace {

COTERIE_INLINE std::int64_t ones(std::uint64_t bits) { return __builtin_popcountll(bits); }

template <int planes>
COTERIE_INLINE void count(const std::uint64_t* first, const std::uint64_t* second, std::int64_t words, SiteCounts& out) {
  std::int64_t compared = 0, differing = 0, in_last_plane = 0;
  for (std::int64_t w = 0; w < words; ++w, first += planes + 1, second += planes + 1) {
    const std::uint64_t known = first[0] & second[0];
    std::uint64_t any = 0;
    for (int plane = 1; plane < planes; ++plane) any |= first[plane] ^ second[plane];
    const std::uint64_t last = (first[planes] ^ second[planes]) & known;
    compared += ones(known);
    differing += ones((any & known) | last);
    in_last_plane += ones(last);
  }
  out = {compared, differing, in_last_plane};
}

void count_sites(const std::uint64_t* first, const std::uint64_t* second, std::int64_t words, int planes, SiteCounts& out) {
  if (planes == 2)
    count<2>(first, second, words, out);
  else
    count<5>(first, second, words, out);
}

}  // namespace

void install_site_counts(Engine& engine) { engine.phylogeny.count_sites = count_sites; }

}  // namespace coterie::COTERIE_ISA
