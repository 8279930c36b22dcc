// What the kernels of approximate neighbours offer; their jobs are in descent_jobs.h.
#pragma once

namespace coterie {

struct AssignJob;
struct JoinJob;
struct SearchJob;

struct NeighbourKernels {
  void (*assign)(const AssignJob& job);
  void (*join)(const JoinJob& job);
  void (*search)(const SearchJob& job);
};

}  // namespace coterie
