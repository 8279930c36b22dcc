// Moments of |x - y|^2 over the y of a group, as polynomials of x - mean: what is known of a row's distances without looking at pairs.
//
// With z = y - mean, w = x - mean and r = |z|^2, the squared distance is |w|^2 + r - 2 z w, and its mean D is |w|^2 + E r.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/row_lanes.h"
#include "support/matrix_view.h"

namespace coterie {

// Of one row's squared distances to a group.
struct DistanceMoments {
  double distance;  // |x - mean|
  double mean;  // D
  double second;  // the mean of (|x - y|^2 - D)^2, or more
  double largest;  // no squared distance is larger
  double third, fourth;  // the means of higher powers, where HigherMoments gave them
};

// The first two moments, in O(cols^2) a row; or bounds of them in O(cols), for few rows in many columns (`is_wide`).
class Moments {
 public:
  template <class T>
  Moments(const MatrixView<T>& rows, bool is_wide);

  // Of rows x, where row `lane` is at[t][lane]; leaves x - mean in `away`.
  void measure(const std::vector<Lanes>& at, std::vector<Lanes>& away, DistanceMoments* out) const;

  const std::vector<double>& mean() const { return mean_; }
  double variance() const { return variance_; }

 private:
  void add_scatter(const std::vector<double>& z, double share);
  void add_quadratic(const std::vector<Lanes>& away, Lanes& total) const;
  void shorten();

  bool is_wide_;
  std::size_t cols_;
  std::vector<double> mean_;
  std::vector<double> third_, scatter_;  // 4 E[r z], 4 E[z z']
  double variance_ = 0, fourth_ = 0;  // E[r], the variance of r
  double radius_ = 0, third_length_ = 0, spread_ = 0;
};

// The third and fourth moment, in O(cols^4 / 24) a row.
class HigherMoments {
 public:
  static constexpr int order = 4;

  template <class T>
  HigherMoments(const MatrixView<T>& rows, const Moments& moments);

  // How many numbers the fourth moment takes, next to which those of lower ones are few.
  static double terms(std::int64_t cols) {
    const double n = static_cast<double>(cols);
    return n * (n + 1) * (n + 2) * (n + 3) / 24;
  }

  // Of rows whose x - mean is away[t][lane].
  void measure(const std::vector<Lanes>& away, DistanceMoments* out) const;

 private:
  // Coefficients by degree; those of w_i w_j w_k w_l, i >= j >= k >= l, in lexicographical order.
  struct Polynomial {
    std::vector<double> degree[order + 1];
  };

  template <int degree>
  void add_terms(const std::vector<Lanes>& away, std::size_t end, std::size_t* at, Lanes& third, Lanes& fourth) const;
  void scale(std::size_t cols, double share);

  Polynomial third_, fourth_;
};

}  // namespace coterie
