// Which build of the kernels runs on this machine: chosen once, at first use.
#pragma once

#include <string>

#include "engine.h"

namespace coterie {

// The kernels in use. COTERIE_INSTRUCTION_SET=v2|v3|v4|portable in the environment overrides the choice; the first call throws
// std::invalid_argument for a name that is not built in or that this machine cannot run.
const Engine& engine();

// The names that `use_instruction_set` accepts here, narrowest first, separated by spaces.
std::string available_instruction_sets();

// Throws std::invalid_argument for a name that is not built in or that this machine cannot run.
void use_instruction_set(const std::string& name);

}  // namespace coterie
