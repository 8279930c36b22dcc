#include "distance/distance_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t tile = 64;  // two tiles of doubles fill the first-level cache; a mirrored line is used whole

struct TileFacts {
  double wrong = 0, largest = 0, asymmetry = 0;
};

// Largest numbers by plain comparisons, which the compiler turns into vectors; what is wrong only sets a flag.
template <class T>
void look_at(const MatrixView<T>& D, Range rows, Range columns, TileFacts& facts) {
  T wrong = 0, largest = 0, asymmetry = 0;
  T mirrored[tile];
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t j = columns.begin; j < columns.end; ++j) mirrored[j - columns.begin] = D.row(j)[i];
    const T* row = D.row(i) + columns.begin;
    for (std::int64_t j = 0; j < columns.size(); ++j) {
      const T both = row[j] + mirrored[j], least = row[j] < mirrored[j] ? row[j] : mirrored[j];
      const T difference = std::fabs(row[j] - mirrored[j]);
      wrong = least >= 0 && both <= std::numeric_limits<T>::max() ? wrong : T(1);
      largest = both > largest ? both : largest;
      asymmetry = difference > asymmetry ? difference : asymmetry;
    }
  }
  facts.wrong = std::max(facts.wrong, static_cast<double>(wrong));
  facts.largest = std::max(facts.largest, static_cast<double>(largest) / 2);
  facts.asymmetry = std::max(facts.asymmetry, static_cast<double>(asymmetry));
}

}  // namespace

template <class T>
MatrixFacts matrix_facts(const MatrixView<T>& D, int threads) {
  const std::int64_t n = D.rows, n_blocks = block_count(n, tile);
  std::vector<TileFacts> of_block(static_cast<std::size_t>(n_blocks));
  parallel_for(n_blocks, threads, [&](std::int64_t block, int) {
    for (std::int64_t other = block; other < n_blocks; ++other)
      look_at(D, block_range(n, tile, block), block_range(n, tile, other), of_block[static_cast<std::size_t>(block)]);
  });
  MatrixFacts facts{true, 0, 0, 0};
  for (const TileFacts& part : of_block) {
    facts.is_nonnegative = facts.is_nonnegative && part.wrong == 0;
    facts.largest = std::max(facts.largest, part.largest);
    facts.largest_asymmetry = std::max(facts.largest_asymmetry, part.asymmetry);
  }
  for (std::int64_t i = 0; i < n; ++i)
    facts.largest_diagonal = std::max(facts.largest_diagonal, std::fabs(static_cast<double>(D.row(i)[i])));
  return facts;
}

template MatrixFacts matrix_facts<float>(const MatrixView<float>&, int);
template MatrixFacts matrix_facts<double>(const MatrixView<double>&, int);

}  // namespace coterie
