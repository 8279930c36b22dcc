#include "birch/cf_node.h"

#include <limits>

#include "support/cpu_dispatch.h"

namespace coterie {

void CFNode::copy_centre(std::int64_t slot, double* to) const {
  const double* from = place(slot);
  for (std::int64_t j = 0; j < dims_; ++j) to[j] = from[j * panel_slots];
}

void CFNode::put_centre(std::int64_t slot, const double* centre) {
  double* to = place(slot);
  for (std::int64_t j = 0; j < dims_; ++j) to[j * panel_slots] = centre[j];
}

NearestCentre CFNode::nearest(const double* x) const { return engine().nodes.nearest(panels_.data(), size(), dims_, x); }

void CFNode::distances_from(std::int64_t first, const double* x, double* to) const {
  const std::int64_t skipped = first / panel_slots;
  engine().nodes.distances(panels_.data() + skipped * panel_slots * dims_, padded_size() / panel_slots - skipped, dims_, x,
                           to + skipped * panel_slots);
}

void CFNode::append(double weight, double deviation, const double* centre, std::int64_t child) {
  const std::int64_t slot = size();
  if (slot == padded_size()) panels_.resize(panels_.size() + at(panel_slots * dims_), std::numeric_limits<double>::infinity());
  weight_.push_back(weight);
  deviation_.push_back(deviation);
  if (!is_leaf_) child_.push_back(child);
  put_centre(slot, centre);
}

void CFNode::replace(std::int64_t slot, const Summary& summary) {
  weight_[at(slot)] = summary.weight;
  deviation_[at(slot)] = summary.deviation;
  put_centre(slot, summary.centre.data());
}

double CFNode::widened(std::int64_t slot, double weight, double squared) const {
  const double own = weight_[at(slot)];
  return deviation_[at(slot)] + own * (weight / (own + weight)) * squared;
}

void CFNode::absorb(std::int64_t slot, const double* x, double weight, double squared) {
  deviation_[at(slot)] = widened(slot, weight, squared);
  weight_[at(slot)] += weight;
  const double share = weight / weight_[at(slot)];
  double* centre = place(slot);
  for (std::int64_t j = 0; j < dims_; ++j) centre[j * panel_slots] += (x[j] - centre[j * panel_slots]) * share;
}

Summary CFNode::summary() const {
  Summary total{0.0, 0.0, std::vector<double>(at(dims_), 0.0)};
  for (const double weight : weight_) total.weight += weight;
  // about the first centre: far from zero, sums of differences keep their digits
  for (std::int64_t j = 0; j < dims_; ++j) {
    const double origin = place(0)[j * panel_slots];
    double sum = 0;
    for (std::int64_t slot = 1; slot < size(); ++slot) sum += weight_[at(slot)] * (place(slot)[j * panel_slots] - origin);
    total.centre[at(j)] = origin + sum / total.weight;
  }
  for (std::int64_t slot = 0; slot < size(); ++slot) {
    double squared = 0;
    for (std::int64_t j = 0; j < dims_; ++j) {
      const double difference = place(slot)[j * panel_slots] - total.centre[at(j)];
      squared += difference * difference;
    }
    total.deviation += deviation_[at(slot)] + weight_[at(slot)] * squared;
  }
  return total;
}

}  // namespace coterie
