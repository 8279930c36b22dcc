// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): a number is a function of seed, stream and counter.
//
// No state is carried from one draw to the next, so that any block of rows can make its own numbers, in any order.
#pragma once

#include <array>
#include <cstdint>

namespace coterie {

using RandomBlock = std::array<std::uint32_t, 4>;

inline RandomBlock philox(RandomBlock counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint64_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = multiplier0 * counter[0];
    const std::uint64_t product1 = multiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(product0)};
    key0 += weyl0;
    key1 += weyl1;
  }
  return counter;
}

// A family of independent streams under one seed.
class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed)
      : key0_(static_cast<std::uint32_t>(seed)), key1_(static_cast<std::uint32_t>(seed >> 32)) {}

  // Four numbers of 32 bits.
  RandomBlock block(std::uint64_t stream, std::uint64_t counter) const {
    return philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), static_cast<std::uint32_t>(stream),
                   static_cast<std::uint32_t>(stream >> 32)},
                  key0_, key1_);
  }

  std::uint64_t bits(std::uint64_t stream, std::uint64_t counter) const {
    const RandomBlock drawn = block(stream, counter);
    return (static_cast<std::uint64_t>(drawn[1]) << 32) | drawn[0];
  }

  // In [0, 1), 53 bits.
  double uniform(std::uint64_t stream, std::uint64_t counter) const {
    return static_cast<double>(bits(stream, counter) >> 11) * 0x1.0p-53;
  }

  // In [0, n), n > 0; the bias of the multiplication is below n / 2^64.
  std::uint64_t below(std::uint64_t n, std::uint64_t stream, std::uint64_t counter) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(stream, counter)) * n) >> 64);
  }

 private:
  std::uint32_t key0_;
  std::uint32_t key1_;
};

}  // namespace coterie
