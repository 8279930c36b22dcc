// Linkage of rows by centroids, in memory that grows with the rows only.
#pragma once

#include <cstdint>
#include <vector>

#include "linkage/centroid_search.h"
#include "linkage/merges.h"
#include "support/matrix_view.h"

namespace coterie {

// Ward's linkage or average linkage of squared distances; heights are squared distances as CentroidRule states them.
template <class T>
std::vector<SlotMerge> centroid_rounds(const MatrixView<T>& rows, CentroidRule rule, int threads);

// Single linkage; heights are squared distances.
template <class T>
std::vector<SlotMerge> single_linkage_of_rows(const MatrixView<T>& rows, int threads);

// Centroid or median linkage; heights are squared distances.
template <class T>
std::vector<SlotMerge> centre_linkage(const MatrixView<T>& rows, CentroidRule rule, int threads);

}  // namespace coterie
