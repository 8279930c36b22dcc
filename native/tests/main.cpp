// Runs the registered tests, or those whose names contain the first argument.
#include <chrono>
#include <cstring>
#include <exception>

#include "tests/check.h"

int main(int n_arguments, char** arguments) {
  using namespace coterie::testing;
  const char* wanted = n_arguments > 1 ? arguments[1] : "";
  int part = 0, n_parts = 1, n_met = 0, n_run = 0;
  const bool is_part = std::sscanf(wanted, "%d/%d", &part, &n_parts) == 2 && n_parts > 0;
  for (const Test& test : tests()) {
    if (is_part ? n_met++ % n_parts != part - 1 : std::strstr(test.name, wanted) == nullptr) continue;
    const int failures_before = failures();
    const auto start = std::chrono::steady_clock::now();
    try {
      test.run();
    } catch (const std::exception& error) {
      report(test.name, 0, std::string("unexpected exception: ") + error.what());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%-55s %s %6.2f s\n", test.name, failures() == failures_before ? "ok    " : "FAILED", seconds.count());
    ++n_run;
  }
  std::printf("%d tests, %d failed checks\n", n_run, failures());
  return failures() == 0 && n_run > 0 ? 0 : 1;
}
