// Single linkage of rows: Prim's algorithm, in memory that grows with the rows only.
#include <algorithm>
#include <limits>
#include <numeric>

#include "linkage/centroid_linkage.h"
#include "linkage/single.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t panels_per_task = 256;
constexpr std::int64_t least_parallel_numbers = 1 << 16;  // below, waking the threads takes longer than the work

class PrimEngine {
 public:
  template <class T>
  PrimEngine(const MatrixView<T>& rows, int threads)
      : dims_(rows.cols),
        threads_(threads),
        panels_(static_cast<std::size_t>(block_count(rows.rows, prim_panel) * prim_panel * rows.cols), 0.0),
        nearest_(static_cast<std::size_t>(block_count(rows.rows, prim_panel) * prim_panel), std::numeric_limits<double>::infinity()),
        from_(nearest_.size(), 0),
        row_of_(static_cast<std::size_t>(rows.rows)),
        steps_(static_cast<std::size_t>(block_count(rows.rows, prim_panel * panels_per_task))) {
    std::iota(row_of_.begin(), row_of_.end(), 0);
    for (std::int64_t i = 0; i < rows.rows; ++i)
      for (std::int64_t t = 0; t < dims_; ++t) number(i, t) = static_cast<double>(rows.row(i)[t]);
  }

  std::vector<TreeEdge> run() {
    std::vector<TreeEdge> edges;
    edges.reserve(row_of_.size());
    std::vector<double> added(static_cast<std::size_t>(dims_));
    std::int64_t position = 0;
    while (true) {
      check_interrupt();
      const std::int32_t row = row_of_[static_cast<std::size_t>(position)];
      for (std::int64_t t = 0; t < dims_; ++t) added[static_cast<std::size_t>(t)] = number(position, t);
      remove(position);
      if (row_of_.empty()) return edges;
      const PrimStep next = relax(added.data(), row);
      position = next.position;
      const std::int32_t other = row_of_[static_cast<std::size_t>(position)], back = static_cast<std::int32_t>(from_[static_cast<std::size_t>(position)]);
      edges.push_back({next.squared, std::min(other, back), std::max(other, back)});
    }
  }

 private:
  double& number(std::int64_t position, std::int64_t t) {
    return panels_[static_cast<std::size_t>((position / prim_panel * dims_ + t) * prim_panel + position % prim_panel)];
  }

  // The last point takes the place.
  void remove(std::int64_t position) {
    const auto last = static_cast<std::int64_t>(row_of_.size()) - 1;
    for (std::int64_t t = 0; t < dims_; ++t) number(position, t) = number(last, t);
    nearest_[static_cast<std::size_t>(position)] = nearest_[static_cast<std::size_t>(last)];
    from_[static_cast<std::size_t>(position)] = from_[static_cast<std::size_t>(last)];
    row_of_[static_cast<std::size_t>(position)] = row_of_[static_cast<std::size_t>(last)];
    row_of_.pop_back();
  }

  PrimStep relax(const double* added, std::int64_t row) {
    const auto count = static_cast<std::int64_t>(row_of_.size());
    const PrimPoints points{panels_.data(), nearest_.data(), from_.data(), dims_, count};
    const std::int64_t n_panels = block_count(count, prim_panel), n_tasks = block_count(n_panels, panels_per_task);
    parallel_for(n_tasks, count * dims_ < least_parallel_numbers ? 1 : threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n_panels, panels_per_task, task);
      steps_[static_cast<std::size_t>(task)] = engine().prim.relax(points, range.begin, range.end, added, row);
    });
    PrimStep best = steps_[0];
    for (std::int64_t task = 1; task < n_tasks; ++task)
      if (steps_[static_cast<std::size_t>(task)].squared < best.squared) best = steps_[static_cast<std::size_t>(task)];
    return best;
  }

  std::int64_t dims_;
  int threads_;
  std::vector<double> panels_, nearest_;
  std::vector<std::int64_t> from_;
  std::vector<std::int32_t> row_of_;
  std::vector<PrimStep> steps_;
};

}  // namespace

template <class T>
std::vector<SlotMerge> single_linkage_of_rows(const MatrixView<T>& rows, int threads) {
  return merges_along(PrimEngine(rows, threads).run(), rows.rows);
}

template std::vector<SlotMerge> single_linkage_of_rows(const MatrixView<float>&, int);
template std::vector<SlotMerge> single_linkage_of_rows(const MatrixView<double>&, int);

}  // namespace coterie
