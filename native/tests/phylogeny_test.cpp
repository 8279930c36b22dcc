// Neighbour joining is that of all pairs in all steps; sites are those of single letters; the logarithm is the library's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dendrogram/newick.h"
#include "phylogeny/neighbour_joining.h"
#include "phylogeny/sequences.h"
#include "support/random.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

std::vector<double> some_distances(std::int64_t n, std::uint64_t seed, double step) {
  const CounterRandom random(seed);
  std::vector<double> distances(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) {
      const double drawn = 0.2 + random.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
      distances[i * n + j] = distances[j * n + i] = step > 0 ? std::ceil(drawn / step) : drawn;
    }
  return distances;
}

// The same by the book: sums anew in every step, every pair looked at, the first of equal ones taken.
std::vector<std::int64_t> children_by_the_book(std::vector<double> d, std::int64_t n) {
  std::vector<std::int64_t> live, node(static_cast<std::size_t>(n)), children;
  for (std::int64_t i = 0; i < n; ++i) live.push_back(node[i] = i);
  for (std::int64_t made = n; live.size() > 3; ++made) {
    const double scale = static_cast<double>(live.size()) - 2;
    std::vector<double> sums(static_cast<std::size_t>(n), 0.0);
    for (const std::int64_t i : live)
      for (const std::int64_t j : live) sums[i] += d[i * n + j];
    double least = std::numeric_limits<double>::infinity();
    std::int64_t a = -1, b = -1;
    for (std::size_t p = 0; p < live.size(); ++p)
      for (std::size_t q = p + 1; q < live.size(); ++q) {
        const double value = scale * d[live[p] * n + live[q]] - (sums[live[p]] + sums[live[q]]);
        if (value < least) {
          least = value;
          a = live[p];
          b = live[q];
        }
      }
    children.push_back(node[a]);
    children.push_back(node[b]);
    node[a] = made;
    const double between = d[a * n + b];
    live.erase(std::find(live.begin(), live.end(), b));
    for (const std::int64_t k : live)
      if (k != a) d[a * n + k] = d[k * n + a] = 0.5 * (d[a * n + k] + d[b * n + k] - between);
  }
  for (const std::int64_t i : live) children.push_back(node[i]);
  return children;
}

}  // namespace

TEST(neighbour_joining_is_that_of_all_pairs) {
  for (const std::int64_t n : {3, 4, 5, 9, 40, 130})
    for (const double step : {0.0, 0.25}) {  // whole numbers: many pairs are equal, and all sums exact
      const std::vector<double> distances = some_distances(n, static_cast<std::uint64_t>(n), step);
      const JoinedTree one = join_neighbours({distances.data(), n, n, n}, 1), three = join_neighbours({distances.data(), n, n, n}, 3);
      // of four nodes both ways to pair them up are equal and make the same tree: rounding decides where sums are not exact
      const std::vector<std::int64_t> expected = children_by_the_book(distances, n);
      const std::int64_t decided = step > 0 && n <= 40 ? n + n - 3 : std::max<std::int64_t>(2 * (n - 4), 0);
      CHECK(expected.size() == one.children.size());
      CHECK(std::equal(expected.begin(), expected.begin() + decided, one.children.begin()));
      CHECK(one.children == three.children);
      CHECK(std::equal(one.lengths.begin(), one.lengths.end() - 1, three.lengths.begin()));
      CHECK(one.starts.size() == static_cast<std::size_t>(n) - 1);
    }
}

TEST(every_instruction_set_joins_the_same) {
  const std::int64_t n = 301;
  const std::vector<double> distances = some_distances(n, 9, 0.0);
  const JoinedTree first = join_neighbours({distances.data(), n, n, n}, 1);
  testing::on_every_instruction_set([&] {
    const JoinedTree other = join_neighbours({distances.data(), n, n, n}, 2);
    CHECK(first.children == other.children);
    CHECK(std::equal(first.lengths.begin(), first.lengths.end() - 1, other.lengths.begin()));
  });
}

TEST(few_leaves_are_joined) {
  const double distance = 3;
  const std::vector<double> two{0, distance, distance, 0};
  const JoinedTree none = join_neighbours({two.data(), 1, 1, 1}, 1), pair = join_neighbours({two.data(), 2, 2, 2}, 1);
  CHECK(none.children.empty() && none.lengths.size() == 1);
  CHECK(pair.children.size() == 2 && pair.lengths[0] == distance / 2 && pair.lengths[1] == distance / 2);
}

TEST(sites_are_those_of_single_letters) {
  const CounterRandom random(5);
  for (const int planes : {2, 5})
    for (const std::int64_t sites : {1, 63, 64, 65, 200}) {
      const std::int64_t n = 37;
      std::vector<std::uint8_t> codes(static_cast<std::size_t>(n * sites));
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::uint64_t drawn = random.below(5, 0, i);
        codes[i] = static_cast<std::uint8_t>(drawn < 4 ? random.below(std::uint64_t{1} << planes, 1, i) : 254);
      }
      const MatrixView<std::uint8_t> view{codes.data(), n, sites, sites};
      std::vector<double> counts(static_cast<std::size_t>(n * n)), shares(counts.size());
      sequence_distances(SequenceBits(view, planes, 2), SequenceModel::differences, 2, counts.data());
      sequence_distances(SequenceBits(view, planes, 1), SequenceModel::proportion, 1, shares.data());
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          double compared = 0, differing = 0;
          for (std::int64_t s = 0; s < sites; ++s) {
            const std::uint8_t a = codes[i * sites + s], b = codes[j * sites + s];
            compared += a != 254 && b != 254;
            differing += a != 254 && b != 254 && a != b;
          }
          if (i == j || compared > 0) {
            CHECK(counts[i * n + j] == (i == j ? 0 : differing));
            CHECK(shares[i * n + j] == (i == j ? 0 : differing / compared));
          } else {
            CHECK(std::isnan(counts[i * n + j]) && std::isnan(shares[i * n + j]));
          }
        }
    }
}

TEST(logarithms_are_those_of_the_library) {
  const CounterRandom random(6);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double x = std::ldexp(random.uniform(0, i) + 1e-17, static_cast<int>(random.below(60, 1, i)) - 50);
    const double expected = std::log(x);
    CHECK(std::abs(plain_logarithm(x) - expected) <= 4e-16 * std::max(std::abs(expected), 0.35));
  }
  CHECK(plain_logarithm(1) == 0);
}

TEST(inner_names_come_back) {
  const NewickTree read = read_newick("((a:1,b:2)95:3,(c:1,d:1)'x y':2,e:4)root;");
  CHECK(read.inner_names == (std::vector<std::string>{"95", "x y", "root"}));
  CHECK(read.inner_lengths[0] == 3 && std::isnan(read.inner_lengths[2]));
}

}  // namespace coterie
