// Rows of a matrix of cluster distances: least entry, merged rows, merged columns.
#include <limits>

#include "engine.h"
#include "linkage/update_rules.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
struct LaneMinima {
  Vec<T> least, others;
  Mask<T> at, others_at;
};

template <class T>
COTERIE_INLINE void look_at(LaneMinima<T>& seen, Vec<T> values, Mask<T> columns) {
  const Mask<T> is_less = values < seen.least, is_second = values < seen.others;
  seen.others = select<T>(is_less, seen.least, select<T>(is_second, values, seen.others));
  seen.others_at = select_index<T>(is_less, seen.at, select_index<T>(is_second, columns, seen.others_at));
  seen.least = select<T>(is_less, values, seen.least);
  seen.at = select_index<T>(is_less, columns, seen.at);
}

// Ties by the lower column: the order of lanes and of the two sets does not matter.
template <class T>
COTERIE_INLINE void look_at_one(RowMinimum<T>& seen, T value, std::int64_t column) {
  const auto place = static_cast<std::int32_t>(column);
  if (value < seen.least || (value == seen.least && place < seen.at)) {
    seen.others = seen.least;
    seen.others_at = seen.at;
    seen.least = value;
    seen.at = place;
  } else if (value < seen.others || (value == seen.others && place < seen.others_at)) {
    seen.others = value;
    seen.others_at = place;
  }
}

template <class T>
void least_of_row(const T* row, const T* penalty, std::int64_t n, RowMinimum<T>& out) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr int sets = 2;  // two chains of comparisons hide each other's latency
  LaneMinima<T> seen[sets];
  for (auto& set : seen) set = {broadcast(infinity), broadcast(infinity), Mask<T>{}, Mask<T>{}};
  Mask<T> columns = lane_numbers<T>();
  std::int64_t j = 0;
  for (; j + sets * lanes<T> <= n; j += sets * lanes<T>)
    for (int s = 0; s < sets; ++s) {
      look_at<T>(seen[s], load(row + j + s * lanes<T>) + load(penalty + j + s * lanes<T>), columns);
      columns += broadcast_index<T>(lanes<T>);
    }
  constexpr std::int32_t beyond = std::numeric_limits<std::int32_t>::max();
  out = {infinity, infinity, beyond, beyond};
  for (const auto& set : seen)
    for (int lane = 0; lane < lanes<T>; ++lane) {
      look_at_one<T>(out, set.least[lane], set.at[lane]);
      look_at_one<T>(out, set.others[lane], set.others_at[lane]);
    }
  for (; j < n; ++j) look_at_one<T>(out, row[j] + penalty[j], j);
  if (out.least == infinity) out.at = -1;
  if (out.others == infinity) out.others_at = -1;
}

template <class T>
void combine_rows(LinkageRule rule, const ColumnMerge<T>& merge, T* first, const T* second, const T* sizes, const T* inner,
                  std::int64_t n) {
  with_update<T>(rule, [&]<class Update>() {
    const Update update(merge);
    std::int64_t j = 0;
    for (; j + lanes<T> <= n; j += lanes<T>)
      store(first + j, update(load(first + j), load(second + j), load(sizes + j), load(inner + j)));
    for (; j < n; ++j) first[j] = update(first[j], second[j], sizes[j], inner[j]);
  });
}

template <class Update, class T>
COTERIE_INLINE Update update_of(const ColumnMergeSpan<T>& merges, std::int64_t k) {
  if constexpr (Update::needs_pair_only)
    return Update(merges.pairs[k]);
  else
    return Update(merges.all[k]);
}

template <class T>
void merge_columns(LinkageRule rule, const ColumnMergeSpan<T>& merges, T size, T inner, T* row) {
  with_update<T>(rule, [&]<class Update>() {
    for (std::int64_t k = 0; k < merges.count; ++k) {
      const ColumnPair<T>& pair = merges.pairs[k];
      const Update update = update_of<Update>(merges, k);
      row[pair.first] = update(row[pair.first], row[pair.second], size, inner);
    }
  });
}

template <class T>
void keep_columns(const std::int32_t* kept, std::int64_t n, T* row) {
  for (std::int64_t q = 0; q < n; ++q) row[q] = row[kept[q]];
}

template <class T>
void install_for(LinkageKernels<T>& kernels) {
  kernels.least_of_row = least_of_row<T>;
  kernels.combine_rows = combine_rows<T>;
  kernels.merge_columns = merge_columns<T>;
  kernels.keep_columns = keep_columns<T>;
}

}  // namespace

void install_matrix_rows(Engine& engine) {
  install_for(engine.float32.linkage);
  install_for(engine.float64.linkage);
}

}  // namespace coterie::COTERIE_ISA
