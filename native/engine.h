// The table of kernels of one instruction set: one small struct of functions per topic.
#pragma once

#include "trees/kdtree_jobs.h"

namespace coterie {

struct Engine {
  const char* name;
  KDTreeKernels<float> kdtree32;
  KDTreeKernels<double> kdtree64;
};

}  // namespace coterie
