// Lance and Williams: the distance of a merged cluster to a third one from those of its parts.
//
// One text for numbers and for vectors of them, so that the matrix stays symmetric to the bit: a row that takes in the
// merge of two columns must get what the merged row gets in its column.
#pragma once

#include "linkage/row_kernels.h"
#include "support/simd.h"

namespace coterie::COTERIE_ISA {

template <class T>
struct CompleteUpdate {
  static constexpr bool needs_pair_only = true;
  explicit COTERIE_INLINE CompleteUpdate(const ColumnMerge<T>&) {}
  explicit COTERIE_INLINE CompleteUpdate(const ColumnPair<T>&) {}
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V, V) const {
    return first > second ? first : second;
  }
};

template <class T>
struct AverageUpdate {
  static constexpr bool needs_pair_only = true;
  T share_first, share_second;
  explicit COTERIE_INLINE AverageUpdate(const ColumnMerge<T>& merge) : AverageUpdate(pair_of(merge)) {}
  explicit COTERIE_INLINE AverageUpdate(const ColumnPair<T>& pair) : share_first(pair.share_first), share_second(pair.share_second) {}
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V, V) const {
    return share_first * first + share_second * second;
  }
};

template <class T>
struct WeightedUpdate {
  static constexpr bool needs_pair_only = true;
  explicit COTERIE_INLINE WeightedUpdate(const ColumnMerge<T>&) {}
  explicit COTERIE_INLINE WeightedUpdate(const ColumnPair<T>&) {}
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V, V) const {
    return (first + second) / 2;
  }
};

template <class T>
struct WardUpdate {
  static constexpr bool needs_pair_only = false;
  ColumnMerge<T> merge;
  explicit COTERIE_INLINE WardUpdate(const ColumnMerge<T>& m) : merge(m) {}
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V size, V) const {
    const V total = (merge.size_first + merge.size_second) + size;
    return ((merge.size_first + size) * first + (merge.size_second + size) * second - size * merge.height) / total;
  }
};

template <class T>
struct CentroidUpdate {
  static constexpr bool needs_pair_only = false;
  AverageUpdate<T> average;
  T correction;
  explicit COTERIE_INLINE CentroidUpdate(const ColumnMerge<T>& merge)
      : average(merge), correction(average.share_first * average.share_second * merge.height) {}
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V size, V inner) const {
    return average(first, second, size, inner) - correction;
  }
};

template <class T>
struct MedianUpdate {
  static constexpr bool needs_pair_only = false;
  T correction;
  explicit COTERIE_INLINE MedianUpdate(const ColumnMerge<T>& merge) : correction(merge.height / 4) {}
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V, V) const {
    return (first + second) / 2 - correction;
  }
};

// The mean over all pairs of the union, those within the two clusters included.
template <class T>
struct AverageMergedUpdate {
  static constexpr bool needs_pair_only = false;
  ColumnMerge<T> merge;
  T known;  // the pairs of the merged cluster, less what is counted twice below
  explicit COTERIE_INLINE AverageMergedUpdate(const ColumnMerge<T>& m)
      : merge(m), known(pairs(m.size_first + m.size_second) * m.height - m.inner_first - m.inner_second) {}
  template <class V>
  static COTERIE_INLINE V pairs(V count) {
    return count * (count - 1) / 2;
  }
  template <class V>
  COTERIE_INLINE V operator()(V first, V second, V size, V inner) const {
    const V sum = pairs<V>(merge.size_first + size) * first + pairs<V>(merge.size_second + size) * second + known - inner;
    return sum / pairs<V>((merge.size_first + merge.size_second) + size);
  }
};

// Calls body.template operator()<Update>() with the update of a rule.
template <class T, class Body>
COTERIE_INLINE void with_update(LinkageRule rule, const Body& body) {
  switch (rule) {
    case LinkageRule::complete:
      return body.template operator()<CompleteUpdate<T>>();
    case LinkageRule::average:
      return body.template operator()<AverageUpdate<T>>();
    case LinkageRule::weighted:
      return body.template operator()<WeightedUpdate<T>>();
    case LinkageRule::ward:
      return body.template operator()<WardUpdate<T>>();
    case LinkageRule::centroid:
      return body.template operator()<CentroidUpdate<T>>();
    case LinkageRule::median:
      return body.template operator()<MedianUpdate<T>>();
    case LinkageRule::average_merged:
      return body.template operator()<AverageMergedUpdate<T>>();
    case LinkageRule::single:
    case LinkageRule::minimax:
      return;  // have engines of their own
  }
}

}  // namespace coterie::COTERIE_ISA
