// What the kernels of approximate neighbours offer; their jobs are in descent_jobs.h.
#pragma once

#include <cstdint>

namespace coterie {

struct AssignJob;
struct CompareJob;
struct JoinJob;
struct RankJob;
struct SearchJob;

struct NeighbourKernels {
  void (*assign)(const AssignJob& job);
  void (*join)(const JoinJob& job);
  void (*compare)(const CompareJob& job);
  void (*rank)(const RankJob& job);
  void (*search)(const SearchJob& job);
  // Squared distances of a row to rows of X: row, X, its stride and columns, rows, their number, out.
  void (*squares_of_floats)(const float*, const float*, std::int64_t, std::int64_t, const std::int32_t*, std::int64_t, float*);
  void (*squares_of_doubles)(const double*, const double*, std::int64_t, std::int64_t, const std::int32_t*, std::int64_t, double*);
};

}  // namespace coterie
