// Rows of a matrix of cluster distances: least entry, merged rows, merged columns.
#include <limits>

#include "engine.h"
#include "linkage/update_rules.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
struct LaneMinima {
  Vec<T> least, others;
  Mask<T> at;
};

template <class T>
COTERIE_INLINE void look_at(LaneMinima<T>& seen, Vec<T> values, Mask<T> columns) {
  const Mask<T> is_less = values < seen.least;
  seen.others = minimum<T>(seen.others, maximum<T>(seen.least, values));
  seen.least = select<T>(is_less, values, seen.least);
  seen.at = select_index<T>(is_less, columns, seen.at);
}

// Ties by the lower column: the order of lanes and of the two sets does not matter.
template <class T>
COTERIE_INLINE void look_at_one(RowMinimum<T>& seen, T value, std::int64_t column) {
  const bool is_less = value < seen.least || (value == seen.least && column < seen.at);
  if (is_less) {
    seen.others = seen.least;
    seen.least = value;
    seen.at = static_cast<std::int32_t>(column);
  } else if (value < seen.others) {
    seen.others = value;
  }
}

template <class T>
void least_of_row(const T* row, const T* penalty, std::int64_t n, RowMinimum<T>& out) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr int sets = 2;  // two chains of comparisons hide each other's latency
  LaneMinima<T> seen[sets];
  for (auto& set : seen) set = {broadcast(infinity), broadcast(infinity), Mask<T>{}};
  Mask<T> columns = lane_numbers<T>();
  std::int64_t j = 0;
  for (; j + sets * lanes<T> <= n; j += sets * lanes<T>)
    for (int s = 0; s < sets; ++s) {
      look_at<T>(seen[s], load(row + j + s * lanes<T>) + load(penalty + j + s * lanes<T>), columns);
      columns += broadcast_index<T>(lanes<T>);
    }
  out = {infinity, infinity, std::numeric_limits<std::int32_t>::max()};
  for (const auto& set : seen)
    for (int lane = 0; lane < lanes<T>; ++lane) {
      look_at_one<T>(out, set.least[lane], set.at[lane]);
      if (set.others[lane] < out.others) out.others = set.others[lane];
    }
  for (; j < n; ++j) look_at_one<T>(out, row[j] + penalty[j], j);
  if (out.least == infinity) out.at = -1;
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

template <class T>
void merge_columns(LinkageRule rule, const ColumnMerge<T>* merges, std::int64_t count, T size, T inner, T* row) {
  with_update<T>(rule, [&]<class Update>() {
    for (std::int64_t k = 0; k < count; ++k) {
      const Update update(merges[k]);
      row[merges[k].first] = update(row[merges[k].first], row[merges[k].second], size, inner);
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

void install_linkage_rows(Engine& engine) {
  install_for(engine.float32.linkage);
  install_for(engine.float64.linkage);
}

}  // namespace coterie::COTERIE_ISA
