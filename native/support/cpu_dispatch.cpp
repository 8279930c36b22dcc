#include "support/cpu_dispatch.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace coterie {

#ifdef COTERIE_HAVE_portable
namespace isa_portable {
void install(Engine&);
}
#endif
#ifdef COTERIE_HAVE_v2
namespace isa_v2 {
void install(Engine&);
}
#endif
#ifdef COTERIE_HAVE_v3
namespace isa_v3 {
void install(Engine&);
}
#endif
#ifdef COTERIE_HAVE_v4
namespace isa_v4 {
void install(Engine&);
}
#endif

namespace {

Engine make_engine(const char* name, void (*install)(Engine&)) {
  Engine engine{};
  engine.name = name;
  install(engine);
  return engine;
}

#if defined(COTERIE_HAVE_v2) || defined(COTERIE_HAVE_v3) || defined(COTERIE_HAVE_v4)
bool can_run_v2() { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"); }
[[maybe_unused]] bool can_run_v3() {
  return can_run_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
[[maybe_unused]] bool can_run_v4() {
  return can_run_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

// Narrowest first, so that the last one is the best.
std::vector<Engine> runnable_engines() {
  std::vector<Engine> engines;
#ifdef COTERIE_HAVE_portable
  engines.push_back(make_engine("portable", isa_portable::install));
#endif
#ifdef COTERIE_HAVE_v2
  if (can_run_v2()) engines.push_back(make_engine("v2", isa_v2::install));
#endif
#ifdef COTERIE_HAVE_v3
  if (can_run_v3()) engines.push_back(make_engine("v3", isa_v3::install));
#endif
#ifdef COTERIE_HAVE_v4
  if (can_run_v4()) engines.push_back(make_engine("v4", isa_v4::install));
#endif
  if (engines.empty()) throw std::runtime_error("Coterie was not built for this processor.");
  return engines;
}

const std::vector<Engine>& engines() {
  static const std::vector<Engine> runnable = runnable_engines();
  return runnable;
}

const Engine* find_engine(const std::string& name) {
  for (const Engine& candidate : engines())
    if (name == candidate.name) return &candidate;
  return nullptr;
}

const Engine* chosen_by_environment() {
  const char* wanted = std::getenv("COTERIE_INSTRUCTION_SET");
  if (wanted == nullptr || *wanted == '\0') return &engines().back();
  const Engine* found = find_engine(wanted);
  if (found == nullptr)
    throw std::invalid_argument("COTERIE_INSTRUCTION_SET must be one of " + available_instruction_sets() +
                                ", which are built in and which this processor runs, got " + wanted + ". Unset it to use the best.");
  return found;
}

std::atomic<const Engine*>& current() {
  static std::atomic<const Engine*> chosen{chosen_by_environment()};
  return chosen;
}

}  // namespace

const Engine& engine() { return *current().load(std::memory_order_relaxed); }

std::string available_instruction_sets() {
  std::string names;
  for (const Engine& candidate : engines()) names += (names.empty() ? "" : " ") + std::string(candidate.name);
  return names;
}

void use_instruction_set(const std::string& name) {
  const Engine* found = find_engine(name);
  if (found == nullptr)
    throw std::invalid_argument("instruction set must be one of " + available_instruction_sets() + ", got " + name + ".");
  current().store(found);
}

}  // namespace coterie
