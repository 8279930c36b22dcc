// A sum that remembers what rounding took away: a million updates later it is still right.
#pragma once

#include <cmath>

namespace coterie {

class RunningSum {
 public:
  void add(double term) {
    const double total = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - total) + term : (term - total) + sum_;
    sum_ = total;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace coterie
