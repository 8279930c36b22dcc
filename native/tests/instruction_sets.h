// A check under every instruction set that this processor has.
#pragma once

#include <sstream>
#include <string>

#include "support/cpu_dispatch.h"

namespace coterie::testing {

template <class Check>
void on_every_instruction_set(const Check& check) {
  const std::string before = engine().name;
  std::istringstream names(available_instruction_sets());
  for (std::string name; names >> name;) {
    use_instruction_set(name);
    check();
  }
  use_instruction_set(before);
}

}  // namespace coterie::testing
