// The smallest numbers of each row of a matrix of distances.
#pragma once

#include <cstdint>

#include "support/matrix_view.h"

namespace coterie {

// Writes the k smallest of each row, rising, equal ones by their column. What is not a number
// counts as infinite, with skip_own the diagonal too.
template <class T>
void smallest_of_matrix(const MatrixView<T>& distances, std::int64_t k, bool skip_own, std::int64_t* index, T* distance, int threads);

}  // namespace coterie
