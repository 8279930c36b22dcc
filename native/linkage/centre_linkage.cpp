// Centroid and median linkage: the nearest pair of all merges, one at a time.
//
// A merged cluster may come nearer to the others than its parts were, but it looks around when it is born: of any two
// clusters, the one that searched last knows about the other. So the nearest pair is always known to one of the two.
#include <numeric>
#include <queue>

#include "linkage/centroid_linkage.h"
#include "linkage/cluster_index.h"
#include "linkage/neighbourhood.h"
#include "support/parallel.h"

namespace coterie {
namespace {

struct Waiting {
  double distance;
  std::int32_t slot, version;
  bool operator>(const Waiting& other) const { return distance != other.distance ? distance > other.distance : slot > other.slot; }
};

class CentreEngine {
 public:
  template <class T>
  CentreEngine(const MatrixView<T>& rows, CentroidRule rule, int threads)
      : clusters_(rows, rule),
        index_(clusters_, threads),
        known_(static_cast<std::size_t>(rows.rows)),
        live_(static_cast<std::size_t>(rows.rows)) {
    std::iota(live_.begin(), live_.end(), 0);
    n_live_ = live_.size();
  }

  std::vector<SlotMerge> run() {
    search(std::vector<std::int32_t>(live_));
    while (n_live_ > 1) {
      check_interrupt();
      const Waiting now = waiting_.top();
      waiting_.pop();
      if (clusters_.is_live(now.slot) && clusters_.version(now.slot) == now.version) advance(now.slot);
    }
    return std::move(merges_);
  }

 private:
  Neighbourhood& known(std::int32_t slot) { return known_[static_cast<std::size_t>(slot)]; }

  bool exists(const Candidate& candidate) const { return clusters_.version(candidate.slot) == candidate.version; }

  // Merges a cluster with its nearest if that still exists, else finds out what its nearest is now.
  void advance(std::int32_t slot) {
    Neighbourhood& own = known(slot);
    if (exists(own.nearest[0])) return merge(slot, own.nearest[0]);
    std::int32_t kept = 0;
    for (std::int32_t i = 0; i < own.count; ++i)
      if (exists(own.nearest[i])) own.nearest[kept++] = own.nearest[i];
    own.count = kept;
    if (kept > 0)
      waiting_.push({own.nearest[0].distance, slot, clusters_.version(slot)});
    else
      search({slot});
  }

  void search(const std::vector<std::int32_t>& asked) {
    if (live_.size() > 2 * n_live_) std::erase_if(live_, [&](std::int32_t slot) { return !clusters_.is_live(slot); });
    index_.nearest(live_, asked, list_length, found_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      known(asked[i]).read(found_.data() + i * list_length, 0);
      waiting_.push({known(asked[i]).nearest[0].distance, asked[i], clusters_.version(asked[i])});
    }
  }

  void merge(std::int32_t slot, const Candidate& nearest) {
    const std::int32_t first = std::min(slot, nearest.slot), second = std::max(slot, nearest.slot);
    merges_.push_back({first, second, nearest.distance});
    clusters_.merge(first, second);
    index_.merged(first, second);
    if (--n_live_ > 1) search({first});
  }

  Clusters clusters_;
  ClusterIndex index_;
  std::vector<Neighbourhood> known_;
  std::vector<std::int32_t> live_;
  std::size_t n_live_;
  std::vector<Candidate> found_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<Waiting>> waiting_;
  std::vector<SlotMerge> merges_;
};

}  // namespace

template <class T>
std::vector<SlotMerge> centre_linkage(const MatrixView<T>& rows, CentroidRule rule, int threads) {
  return CentreEngine(rows, rule, threads).run();
}

template std::vector<SlotMerge> centre_linkage(const MatrixView<float>&, CentroidRule, int);
template std::vector<SlotMerge> centre_linkage(const MatrixView<double>&, CentroidRule, int);

}  // namespace coterie
