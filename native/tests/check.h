// The smallest test runner that serves: TEST(name) { CHECK(condition); } registers and runs; a failed CHECK is printed
// with its place and the test goes on.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace coterie::testing {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> registered;
  return registered;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

inline void report(const char* file, int line, const std::string& what) {
  constexpr int most_printed = 20;
  if (++failures() <= most_printed) std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

}  // namespace coterie::testing

#define TEST(name)                                                               \
  static void test_##name();                                                     \
  static const ::coterie::testing::Register register_##name(#name, test_##name); \
  static void test_##name()

#define CHECK(...)                                                                                 \
  do {                                                                                             \
    if (!(__VA_ARGS__)) ::coterie::testing::report(__FILE__, __LINE__, "not true: " #__VA_ARGS__); \
  } while (false)

// The expression must throw an Exception whose message contains `words`.
#define CHECK_THROWS(Exception, words, ...)                                                              \
  do {                                                                                                   \
    try {                                                                                                \
      static_cast<void>(__VA_ARGS__);                                                                    \
      ::coterie::testing::report(__FILE__, __LINE__, "did not throw: " #__VA_ARGS__);                    \
    } catch (const Exception& error) {                                                                   \
      if (std::string(error.what()).find(words) == std::string::npos)                                    \
        ::coterie::testing::report(__FILE__, __LINE__, std::string("another message: ") + error.what()); \
    }                                                                                                    \
  } while (false)
