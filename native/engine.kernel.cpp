// Fills the table with this instruction set's kernels; one line per topic.
#include "engine.h"

#include "support/isa.h"

namespace coterie::COTERIE_ISA {

void install(Engine& engine);

void install(Engine& engine) { (void)engine; }

}  // namespace coterie::COTERIE_ISA
