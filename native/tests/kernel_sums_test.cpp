// Sums of kernel rows and exponentials, on every instruction set.
#include <cmath>
#include <limits>
#include <vector>

#include "support/cpu_dispatch.h"
#include "tests/check.h"
#include "tests/instruction_sets.h"

namespace coterie {
namespace {

template <class T>
void check_exponentials() {
  std::vector<double> inputs = {0, -0.0, 1, -1, 0.5, -20, -87, -300, -707, 80, 1e-9, -1e-9, -1e4};
  for (int i = 0; i < 1000; ++i) inputs.push_back(-0.7 * i / 10.0);
  std::vector<T> values(inputs.begin(), inputs.end());
  engine().of<T>().kernel_sums.exponentiate(values.data(), static_cast<std::int64_t>(values.size()), 0.75);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double expected = std::exp(static_cast<double>(static_cast<T>(inputs[i]) * T(0.75)));
    const double error = std::abs(static_cast<double>(values[i]) - expected);
    CHECK(error <=
          4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * expected + static_cast<double>(std::numeric_limits<T>::min()));
  }
}

template <class T>
void check_sums() {
  constexpr std::int64_t n = 37, k = 3;
  std::vector<T> K(n * n);
  for (std::size_t i = 0; i < K.size(); ++i) K[i] = static_cast<T>((i * 7919) % 101);
  const std::vector<std::int64_t> rows = {5, 5, 0, 36, 20};
  const std::vector<std::int32_t> groups = {0, 2, 1, 0, 2};
  const std::vector<double> factors = {-1, 1, 2, 0.5, 3};
  std::vector<double> sums(n * k, 1.0), expected = sums;
  engine().of<T>().kernel_sums.add_rows({K.data(), n, rows.data(), groups.data(), factors.data(), 5, sums.data(), n}, 2, n - 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t c = 2; c < n - 1; ++c)
      expected[static_cast<std::size_t>(groups[i] * n + c)] +=
          factors[i] * static_cast<double>(K[static_cast<std::size_t>(rows[i] * n + c)]);
  CHECK(sums == expected);
}

TEST(kernel_sums_on_every_instruction_set) {
  testing::on_every_instruction_set([&] {
    check_exponentials<float>();
    check_exponentials<double>();
    check_sums<float>();
    check_sums<double>();
  });
}

}  // namespace
}  // namespace coterie
