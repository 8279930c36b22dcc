// New lists of near clusters: from the distances to all others, or, among Euclidean distances, to those that bounds leave over.
//
// For two clusters whose centres are d apart and whose members are off their centres by V and W in the mean of squares, the mean of
// the squared distances is d^2 + V + W. Their greatest distance is at least the root of that; their mean distance is at least d, for a
// norm is convex.
#include <algorithm>
#include <cmath>
#include <limits>

#include "linkage/member_clusters.h"
#include "support/cpu_dispatch.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr std::int64_t first_looks = near_count + 8;  // clusters whose distances tell how far the nearest are at most
constexpr std::int64_t searches_per_task = 8;  // as many as a strip of the tiles has rows
constexpr Metric squares{Kernel::squared_difference, Finish::identity, 2.0};  // of centres
constexpr std::int64_t first_sample = 512;
constexpr std::int64_t most_at_once = 256;  // clusters whose members are compared with those of one

template <class T>
constexpr T sum_rounding = sizeof(T) == 4 ? T(1e-6) : T(1e-14);  // of a sum over the members of two clusters

// Bounds are widened by more than rounding can change them.
template <class T>
constexpr double bound_slack = sizeof(T) == 4 ? 1e-4 : 1e-9;

// The nearest clusters seen so far.
template <class T, std::int64_t capacity>
struct NearestSeen {
  std::int32_t at[capacity];
  T distance[capacity];
  std::int64_t count = 0;

  void look_at(std::int64_t cluster, T value) {
    if (count == capacity && !(value < distance[capacity - 1])) return;
    if (!(value < std::numeric_limits<T>::infinity())) return;
    if (count < capacity) ++count;
    std::int64_t place = count - 1;
    for (; place > 0 && value < distance[place - 1]; --place) {
      distance[place] = distance[place - 1];
      at[place] = at[place - 1];
    }
    distance[place] = value;
    at[place] = static_cast<std::int32_t>(cluster);
  }
};

}  // namespace

template <class T>
void MemberClusters<T>::nearest(const std::vector<std::int32_t>& clusters, std::vector<NearClusters<T>>& lists) const {
  has_bounds() ? nearest_by_bounds(clusters, lists) : nearest_of_all(clusters, lists);
}

template <class T>
void MemberClusters<T>::nearest_of_all(const std::vector<std::int32_t>& clusters, std::vector<NearClusters<T>>& lists) const {
  std::vector<NearestSeen<T, near_count + 1>> seen(clusters.size());
  walk(clusters, false, [&](std::int64_t q, std::int64_t first, std::int64_t count, const T* distances) {
    auto& own = seen[static_cast<std::size_t>(q)];
    const std::int32_t cluster = clusters[static_cast<std::size_t>(q)];
    for (std::int64_t k = 0; k < count; ++k)
      if (first + k != cluster) own.look_at(first + k, distances[k]);
  });
  parallel_for(static_cast<std::int64_t>(clusters.size()), threads_, [&](std::int64_t q, int) {
    const auto& own = seen[static_cast<std::size_t>(q)];
    const std::int32_t cluster = clusters[static_cast<std::size_t>(q)];
    const std::int64_t count = std::min(own.count, near_count);
    T distances[near_count];
    NearCluster<T> candidates[near_count];
    if (count > 0) between(cluster, own.at, count, distances);
    for (std::int64_t k = 0; k < count; ++k) candidates[k] = {own.at[k], distances[k]};
    NearClusters<T>& list = lists[static_cast<std::size_t>(cluster)];
    list.others = own.count > near_count ? own.distance[near_count] * (1 + sum_rounding<T>) : std::numeric_limits<T>::infinity();
    list.keep(candidates, count);
  });
}

// The mean member of each cluster, and the mean of the squared distances from it.
template <class T>
struct MemberClusters<T>::Centres {
  std::vector<double> mean, spread, none;
  double reach = 0;  // the largest coordinate, of which rounding is a share

  explicit Centres(const MemberClusters& of) {
    const auto cols = static_cast<std::size_t>(of.rows_.cols), count = static_cast<std::size_t>(of.count());
    mean.assign(count * cols, 0.0);
    spread.assign(count, 0.0);
    none = spread;
    for (std::size_t c = 0; c < count; ++c) {
      double* centre = mean.data() + c * cols;
      const std::int64_t begin = of.starts_[c], end = of.starts_[c + 1];
      const double even = 1 / static_cast<double>(end - begin);
      const auto share = [&](std::int64_t place) {
        return of.rule_ == LinkageRule::weighted ? static_cast<double>(of.weights_[static_cast<std::size_t>(place)]) : even;
      };
      for (std::int64_t place = begin; place < end; ++place)
        for (std::size_t t = 0; t < cols; ++t) {
          const double value = static_cast<double>(of.row(place)[t]);
          centre[t] += share(place) * value;
          reach = std::max(reach, std::abs(value));
        }
      for (std::int64_t place = begin; place < end; ++place)
        for (std::size_t t = 0; t < cols; ++t) {
          const double off = static_cast<double>(of.row(place)[t]) - centre[t];
          spread[c] += share(place) * off * off;
        }
    }
    reach *= std::sqrt(static_cast<double>(cols));
  }
};

// A few clusters against all that bounds leave over.
template <class T>
class MemberClusters<T>::BoundedSearch {
 public:
  BoundedSearch(const MemberClusters& of, const Centres& centres)
      : of_(of), centres_(centres), n_(of.count()), near_(static_cast<std::size_t>(n_)) {}

  // Where `apart` are the squared distances of the centre to all; spoils them.
  void run(std::int32_t cluster, double* apart, NearClusters<T>& list) {
    apart[cluster] = infinity;
    candidates_.clear();
    look_at_likely(apart);
    ask(cluster, list);
    for (const std::int32_t one : asked_) apart[one] = infinity;
    const double far =
        static_cast<double>(list.others) * (1 + bound_slack<T>)+64 * std::numeric_limits<double>::epsilon() * centres_.reach;
    const bool is_greatest = of_.rule_ == LinkageRule::complete;
    const double limit = far * far - (is_greatest ? centres_.spread[static_cast<std::size_t>(cluster)] : 0.0);
    find_within(apart, is_greatest ? centres_.spread.data() : centres_.none.data(), n_, std::min(limit, largest));
    asked_ = found_;
    ask(cluster, list);
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();

  void find_within(const double* apart, const double* spread, std::int64_t n, double limit) {
    const std::int64_t count = engine().of<double>().linkage.places_within(apart, spread, n, limit, near_.data());
    found_.assign(near_.begin(), near_.begin() + count);
  }

  // Those whose members are nearest in the mean of squares: the best of some tell where the best of all are.
  void look_at_likely(const double* apart) {
    double limit = largest;
    for (const std::int64_t n : {std::min(first_sample, n_), n_}) {
      find_within(apart, centres_.spread.data(), n, limit);
      NearestSeen<double, first_looks> likely;
      for (const std::int32_t c : found_) likely.look_at(c, apart[c] + centres_.spread[static_cast<std::size_t>(c)]);
      asked_.assign(likely.at, likely.at + likely.count);
      if (likely.count == first_looks) limit = likely.distance[first_looks - 1];
    }
  }

  // Adds the distances to those asked for, and makes the list of all so far.
  void ask(std::int32_t cluster, NearClusters<T>& list) {
    distances_.resize(asked_.size());
    for (std::size_t from = 0; from < asked_.size(); from += most_at_once) {
      const std::size_t count = std::min<std::size_t>(most_at_once, asked_.size() - from);
      of_.between(cluster, asked_.data() + from, static_cast<std::int64_t>(count), distances_.data() + from);
    }
    for (std::size_t k = 0; k < asked_.size(); ++k) candidates_.push_back({asked_[k], distances_[k]});
    list.others = std::numeric_limits<T>::infinity();
    list.keep(candidates_.data(), static_cast<std::int64_t>(candidates_.size()));
  }

  const MemberClusters& of_;
  const Centres& centres_;
  std::int64_t n_;
  std::vector<NearCluster<T>> candidates_;
  std::vector<std::int32_t> near_, found_, asked_;
  std::vector<T> distances_;
};

template <class T>
void MemberClusters<T>::nearest_by_bounds(const std::vector<std::int32_t>& clusters, std::vector<NearClusters<T>>& lists) const {
  const Centres centres(*this);
  const std::int64_t n = count(), cols = rows_.cols, n_searched = static_cast<std::int64_t>(clusters.size());
  const ColumnPack<double> pack({centres.mean.data(), n, cols, cols}, nullptr, squares, threads_);
  parallel_for(block_count(n_searched, searches_per_task), threads_, [&](std::int64_t task, int) {
    const Range range = block_range(n_searched, searches_per_task, task);
    std::vector<double> searched, apart(static_cast<std::size_t>(range.size() * n));
    for (std::int64_t q = range.begin; q < range.end; ++q) {
      const double* centre = centres.mean.data() + clusters[static_cast<std::size_t>(q)] * cols;
      searched.insert(searched.end(), centre, centre + cols);
    }
    engine().of<double>().tiles.store({{searched.data(), range.size(), cols, cols}, nullptr, pack.columns(), squares, 1},
                                      {apart.data(), range.size(), n, n});
    BoundedSearch search(*this, centres);
    for (std::int64_t q = range.begin; q < range.end; ++q) {
      const std::int32_t cluster = clusters[static_cast<std::size_t>(q)];
      search.run(cluster, apart.data() + (q - range.begin) * n, lists[static_cast<std::size_t>(cluster)]);
    }
  });
}

template void MemberClusters<float>::nearest(const std::vector<std::int32_t>&, std::vector<NearClusters<float>>&) const;
template void MemberClusters<double>::nearest(const std::vector<std::int32_t>&, std::vector<NearClusters<double>>&) const;

}  // namespace coterie
