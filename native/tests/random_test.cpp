#include "support/random.h"

#include "tests/check.h"

namespace coterie {
namespace {

// Known answers published with Random123 (Salmon et al. 2011).
TEST(philox_gives_the_published_numbers) {
  CHECK(philox({0, 0, 0, 0}, 0, 0) == RandomBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, ones, ones) == RandomBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST(uniform_numbers_lie_in_the_unit_interval_and_fill_it) {
  const CounterRandom random(42);
  constexpr int n = 20000;
  double sum = 0, smallest = 1, largest = 0;
  for (int i = 0; i < n; ++i) {
    const double number = random.uniform(3, static_cast<std::uint64_t>(i));
    CHECK(number >= 0 && number < 1);
    sum += number;
    smallest = number < smallest ? number : smallest;
    largest = number > largest ? number : largest;
  }
  CHECK(sum / n > 0.48 && sum / n < 0.52);
  CHECK(smallest < 0.001 && largest > 0.999);
}

TEST(numbers_below_n_stay_below_n_and_all_occur) {
  const CounterRandom random(7);
  int counts[5] = {};
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t number = random.below(5, 0, i);
    CHECK(number < 5);
    ++counts[number % 5];
  }
  for (const int count : counts) CHECK(count > 850 && count < 1150);
}

TEST(seed_stream_and_counter_each_change_the_number) {
  const CounterRandom random(1);
  CHECK(random.bits(0, 0) == CounterRandom(1).bits(0, 0));
  CHECK(random.bits(0, 0) != CounterRandom(2).bits(0, 0));
  CHECK(random.bits(0, 0) != CounterRandom(1ull << 32 | 1).bits(0, 0));
  CHECK(random.bits(0, 0) != random.bits(1, 0));
  CHECK(random.bits(0, 0) != random.bits(0, 1));
}

}  // namespace
}  // namespace coterie
