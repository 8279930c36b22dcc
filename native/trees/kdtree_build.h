// Building a kd-tree: split at the median of the widest side, level by level, then subtree by subtree.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"
#include "trees/kdtree_view.h"

namespace coterie {

// Fills the memory behind a view whose sizes are set. Throws std::invalid_argument when a number is not finite.
template <class T>
void build_kdtree(MatrixView<T> rows, const KDTreeView<T>& tree, T* points, std::int32_t* original, T* boxes, TreeSplit<T>* splits,
                  int threads);

}  // namespace coterie
