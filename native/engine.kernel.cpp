// Fills the table with this instruction set's kernels; one line per topic.
#include "engine.h"

#include "support/isa.h"

namespace coterie::COTERIE_ISA {

void install_kdtree_nearest(KDTreeKernels<float>& kernels32, KDTreeKernels<double>& kernels64);
void install_kdtree_radius(KDTreeKernels<float>& kernels32, KDTreeKernels<double>& kernels64);
void install(Engine& engine);

void install(Engine& engine) {
  install_kdtree_nearest(engine.kdtree32, engine.kdtree64);
  install_kdtree_radius(engine.kdtree32, engine.kdtree64);
}

}  // namespace coterie::COTERIE_ISA
