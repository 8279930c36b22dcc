// The sums of all points within the bandwidth of each seed, in whole units: nodes that lie within it are added whole.
#include "density/mean_shift_jobs.h"

#include "engine.h"
#include "trees/radius_walk.h"

namespace coterie::COTERIE_ISA {
namespace {

using Units = Mask<double>;  // a vector of whole numbers of 64 bits

COTERIE_INLINE Units load_units(const std::int64_t* from) {
  Units units;
  for (int lane = 0; lane < lanes<double>; ++lane) units[lane] = from[lane];
  return units;
}

COTERIE_INLINE std::int64_t sum_of_units(Units units) {
  return reduce_lanes<lanes<double>>(units, [](Units a, Units b) __attribute__((always_inline)) { return a + b; });
}

// What a group has summed so far: for each query, and what all of them share.
class GroupSums {
 public:
  GroupSums(const KDTreeView<double>& tree, const UnitView& units, double limit)
      : tree_(tree), units_(units), limit_(limit), sums_(2 * group_size * tree.dims), shared_(2 * tree.dims) {
    for (std::int64_t j = 0; j < 2 * group_size * tree.dims; ++j) sums_[j] = 0;
    for (std::int64_t j = 0; j < 2 * tree.dims; ++j) shared_[j] = 0;
    for (int i = 0; i < group_size; ++i) counts_[i] = 0;
  }

  COTERIE_INLINE void take(TreeNode node) {
    const std::int64_t dims = tree_.dims;
    for (std::int64_t j = 0; j < dims; ++j) {
      shared_[j] += units_.node_coarse[node.id * dims + j];
      shared_[dims + j] += units_.node_fine[node.id * dims + j];
    }
  }

  COTERIE_INLINE void operator()(int query, TreeNode leaf, std::int64_t first, std::uint32_t within, const double* reduced) {
    if (within == 0) return;
    counts_[query] += __builtin_popcount(within);
    const std::int64_t dims = tree_.dims, start = leaf.first_leaf * tree_.leaf_capacity * dims + first;
    std::int64_t* sums = sums_.data() + query * 2 * dims;
    for (std::int64_t j = 0; j < dims; ++j) {
      const std::int64_t at = start + j * tree_.leaf_capacity;
      sums[j] += masked_sum(units_.coarse + at, reduced);
      sums[dims + j] += masked_sum(units_.fine + at, reduced);
    }
  }

  COTERIE_INLINE void write(const QueryGroup<double>& group, std::int64_t whole, const ShiftJob& job) const {
    const std::int64_t dims = tree_.dims;
    for (int i = 0; i < group.size(); ++i) {
      const std::int64_t row = group.row(i);
      job.counts[row] = counts_[i] + whole;
      for (std::int64_t j = 0; j < dims; ++j) {
        job.coarse[row * dims + j] = sums_[i * 2 * dims + j] + shared_[j];
        job.fine[row * dims + j] = sums_[i * 2 * dims + dims + j] + shared_[dims + j];
      }
    }
  }

 private:
  // Unused places of a leaf hold 0.
  COTERIE_INLINE std::int64_t masked_sum(const std::int64_t* units, const double* reduced) const {
    Units total{};
    for (int part = 0; part < chunk_points<double>; part += lanes<double>)
      total += load_units(units + part) & (load<double>(reduced + part) <= broadcast<double>(limit_));
    return sum_of_units(total);
  }

  const KDTreeView<double>& tree_;
  const UnitView& units_;
  double limit_;
  Scratch<std::int64_t> sums_, shared_;
  std::int64_t counts_[group_size];
};

template <class Term>
void sum_with(const KDTreeView<double>& tree, const ShiftJob& job, const Term& term, int threads) {
  const RadiusBand<double> band = make_band(tree, job.radius);
  for_each_group<double>(tree, job.queries, threads, [&](const QueryGroup<double>& group) {
    GroupSums sums(tree, job.units, band.outside);
    RadiusVisitor<double, Term, true, GroupSums> visitor(tree, group, term, band, sums);
    walk<double>(tree, group, term, visitor);
    sums.write(group, visitor.whole(), job);
  });
}

void sum_within(const KDTreeView<double>& tree, const ShiftJob& job, int threads) {
  sum_with(tree, job, SquaredTerm<double>{}, threads);
}

}  // namespace

void install_mean_shift(Engine& engine) { engine.mean_shift = {sum_within}; }

}  // namespace coterie::COTERIE_ISA
