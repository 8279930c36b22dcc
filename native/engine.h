// The table of kernels of one instruction set: one small struct of functions per topic.
#pragma once

namespace coterie {

struct Engine {
  const char* name;
};

}  // namespace coterie
