// A node of a CF tree: up to a branching factor of entries, each the summary of the rows below it.
#pragma once

#include <cstdint>
#include <vector>

#include "birch/node_kernels.h"

namespace coterie {

inline constexpr std::int64_t no_node = -1;

// Rows in three facts: their weight, their mean, and their sum of squared deviations from it. Unlike the sums of rows and of squares
// that are usual, these lose no digits when the data lie far from zero.
struct Summary {
  double weight;
  double deviation;
  std::vector<double> centre;
};

class CFNode {
 public:
  CFNode(std::int64_t dims, bool is_leaf) : dims_(dims), is_leaf_(is_leaf) {}

  bool is_leaf() const { return is_leaf_; }
  std::int64_t size() const { return static_cast<std::int64_t>(weight_.size()); }
  double weight(std::int64_t slot) const { return weight_[at(slot)]; }
  double deviation(std::int64_t slot) const { return deviation_[at(slot)]; }
  std::int64_t child(std::int64_t slot) const { return is_leaf_ ? no_node : child_[at(slot)]; }
  void copy_centre(std::int64_t slot, double* to) const;

  NearestCentre nearest(const double* x) const;
  // Squared distances of x to all centres from the panel of slot `first` on; `to` has room for all panels.
  void distances_from(std::int64_t first, const double* x, double* to) const;
  std::int64_t padded_size() const { return static_cast<std::int64_t>(panels_.size()) / dims_; }

  void append(double weight, double deviation, const double* centre, std::int64_t child);
  void replace(std::int64_t slot, const Summary& summary);
  // What the entry's sum of squared deviations becomes with `weight` more at a squared distance from its centre.
  double widened(std::int64_t slot, double weight, double squared) const;
  void absorb(std::int64_t slot, const double* x, double weight, double squared);
  Summary summary() const;

  std::int64_t next_leaf = no_node;

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  double* place(std::int64_t slot) { return panels_.data() + slot / panel_slots * panel_slots * dims_ + slot % panel_slots; }
  const double* place(std::int64_t slot) const { return const_cast<CFNode*>(this)->place(slot); }
  void put_centre(std::int64_t slot, const double* centre);

  std::int64_t dims_;
  bool is_leaf_;
  std::vector<double> panels_;
  std::vector<double> weight_, deviation_;
  std::vector<std::int64_t> child_;  // empty in a leaf
};

}  // namespace coterie
