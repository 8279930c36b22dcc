// Distances between aligned sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "support/matrix_view.h"

namespace coterie {

// What becomes of the sites at which two sequences differ.
enum class SequenceModel : int { differences, proportion, jukes_cantor, kimura };

// Letters as bits, in words of 64 sites: which are known, then a plane per bit of their codes.
class SequenceBits {
 public:
  // Codes below 1 << planes; anything larger is a gap or an ambiguous letter.
  SequenceBits(MatrixView<std::uint8_t> codes, int planes, int threads);

  std::int64_t count() const { return count_; }
  std::int64_t words() const { return words_; }
  int planes() const { return planes_; }
  const std::uint64_t* row(std::int64_t i) const { return bits_.data() + i * words_ * (planes_ + 1); }

 private:
  std::int64_t count_, words_;
  int planes_;
  std::vector<std::uint64_t> bits_;
};

// All pairs, a square matrix. Of nucleotides the last plane must tell purines from pyrimidines. NaN: no site is known in both;
// infinity: more sites differ than the model can explain.
void sequence_distances(const SequenceBits& sequences, SequenceModel model, int threads, double* distances);

// ln x for x > 0 by sums and products alone: the same bits on every processor, which libraries do not promise.
double plain_logarithm(double x);

}  // namespace coterie
