#include "trees/hit_order.h"

#include <algorithm>
#include <vector>

#include "support/number_order.h"
#include "trees/select_value.h"

namespace coterie {
namespace {

template <class T>
struct Hit {
  T distance;
  std::int64_t index;
};

// Hits come leaf by leaf, and a leaf's points are in order of their indices: short rows are nearly sorted.
template <class T, class IsBefore>
void insertion_sort(std::int64_t count, std::int64_t* indices, T* distances, IsBefore is_before) {
  for (std::int64_t i = 1; i < count; ++i) {
    const Hit<T> hit{distances[i], indices[i]};
    std::int64_t place = i;
    for (; place > 0 && is_before(hit, Hit<T>{distances[place - 1], indices[place - 1]}); --place) {
      distances[place] = distances[place - 1];
      indices[place] = indices[place - 1];
    }
    distances[place] = hit.distance;
    indices[place] = hit.index;
  }
}

template <class T, class IsBefore>
void sort_by(std::int64_t count, std::int64_t* indices, T* distances, IsBefore is_before) {
  constexpr std::int64_t few = 32;
  if (count <= few) return insertion_sort(count, indices, distances, is_before);
  std::vector<Hit<T>> hits(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) hits[i] = {distances[i], indices[i]};
  std::sort(hits.begin(), hits.end(), is_before);
  for (std::int64_t i = 0; i < count; ++i) {
    distances[i] = hits[i].distance;
    indices[i] = hits[i].index;
  }
}

}  // namespace

template <class T>
void sort_hits(HitOrder order, std::int64_t count, std::int64_t* indices, T* distances) {
  if (order == HitOrder::index) sort_by(count, indices, distances, [](const Hit<T>& a, const Hit<T>& b) { return a.index < b.index; });
  if (order == HitOrder::distance)
    sort_by(count, indices, distances,
            [](const Hit<T>& a, const Hit<T>& b) { return stands_before(a.distance, a.index, b.distance, b.index); });
}

template <class T>
T keep_nearest(std::int64_t count, std::int64_t k, std::int32_t* indices, T* distances, T* workspace) {
  std::copy(distances, distances + count, workspace);
  const T last = select_value(workspace, count, k - 1);
  std::vector<std::int32_t> tied;
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (distances[i] == last) tied.push_back(indices[i]);
    indices[n_kept] = indices[i];
    const T distance = distances[i];
    distances[n_kept] = distance;
    n_kept += distance < last;
  }
  const std::int64_t room = std::min(k - n_kept, static_cast<std::int64_t>(tied.size()));
  if (room < 1) return last;
  std::nth_element(tied.begin(), tied.begin() + room - 1, tied.end());
  std::copy(tied.begin(), tied.begin() + room, indices + n_kept);
  std::fill(distances + n_kept, distances + k, last);
  return last;
}

template void sort_hits(HitOrder, std::int64_t, std::int64_t*, float*);
template void sort_hits(HitOrder, std::int64_t, std::int64_t*, double*);
template float keep_nearest(std::int64_t, std::int64_t, std::int32_t*, float*, float*);
template double keep_nearest(std::int64_t, std::int64_t, std::int32_t*, double*, double*);

}  // namespace coterie
