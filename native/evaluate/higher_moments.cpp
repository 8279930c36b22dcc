// With p = r - E r, the moment of power m is the sum over degrees b of (-2)^b binomial(m, b) E[p^(m - b) (z w)^b].
#include <algorithm>

#include "evaluate/group_moments.h"
#include "support/parallel.h"

namespace coterie {
namespace {

constexpr int order = HigherMoments::order;

// Sums over the rows of a group: of p^(3 - b) and p^(4 - b) times the products of b columns of z. Even and odd rows apart.
class Sums {
 public:
  explicit Sums(std::size_t cols) {
    std::size_t size = 1;
    for (std::size_t b = 0; b <= order; size = size * (cols + b) / (b + 1), ++b) {
      if (b < order) third_[b].assign(size, Pair{});
      fourth_[b].assign(size, Pair{});
    }
  }

  // Of rows whose z is z[t][lane]; `is_row` is 0 in lanes that are none, 1 in others.
  void add(const std::vector<Lanes>& z, const Lanes& p, const Lanes& is_row) {
    power_[1] = p;
    for (int b = 2; b <= order; ++b) power_[b] = product(power_[b - 1], p);
    std::fill_n(at_, order + 1, std::size_t{0});
    add_products<0>(z.data(), z.size(), is_row);
  }

  static std::vector<double> totals(const std::vector<Pair>& sums) {
    std::vector<double> totals;
    for (const Pair& sum : sums) totals.push_back(sum[0] + sum[1]);
    return totals;
  }

  std::vector<double> third(int b) const { return totals(third_[b]); }
  std::vector<double> fourth(int b) const { return totals(fourth_[b]); }

 private:
  // `columns`: the product of `degree` columns, the last of which is column `end` - 1.
  template <int degree>
  __attribute__((always_inline)) void add_products(const Lanes* z, std::size_t end, const Lanes& columns) {
    add_to(third_[degree][at_[degree]], degree == order - 1 ? columns : product(columns, power_[order - 1 - degree]));
    add_to(fourth_[degree][at_[degree]], product(columns, power_[order - degree]));
    ++at_[degree];
    if constexpr (degree < order - 1) {
      for (std::size_t t = 0; t < end; ++t) add_products<degree + 1>(z, t + 1, product(columns, z[t]));
    } else {
      Pair* sums = fourth_[order].data() + at_[order];
      for (std::size_t t = 0; t < end; ++t) add_to(sums[t], product(columns, z[t]));
      at_[order] += end;
    }
  }

  static __attribute__((always_inline)) void add_to(Pair& sum, const Lanes& values) {
    static_assert(Lanes::pairs == 4);
    sum += (values.pair[0] + values.pair[1]) + (values.pair[2] + values.pair[3]);
  }

  Lanes power_[order + 1] = {};  // of p, from the first on
  std::size_t at_[order + 1];
  std::vector<Pair> third_[order], fourth_[order + 1];
};

}  // namespace

template <class T>
HigherMoments::HigherMoments(const MatrixView<T>& rows, const Moments& moments) {
  const auto cols = static_cast<std::size_t>(rows.cols);
  Sums sums(cols);
  std::vector<Lanes> z(cols);
  for (std::int64_t first = 0; first < rows.rows; first += row_lanes) {
    check_interrupt();
    const int count = static_cast<int>(std::min<std::int64_t>(row_lanes, rows.rows - first));
    Lanes p = lanes_of(-moments.variance()), is_row{};
    for (int lane = 0; lane < count; ++lane) is_row.set(lane, 1);
    for (std::size_t t = 0; t < cols; ++t) {
      for (int lane = 0; lane < row_lanes; ++lane)
        z[t].set(lane, static_cast<double>(rows.row(first + std::min(lane, count - 1))[t]) - moments.mean()[t]);
      add_product(p, z[t], z[t]);
    }
    sums.add(z, p, is_row);
  }
  for (int b = 0; b <= order; ++b) {
    if (b < order) third_.degree[b] = sums.third(b);
    fourth_.degree[b] = sums.fourth(b);
  }
  scale(cols, 1 / static_cast<double>(rows.rows));
}

// Means instead of sums, times how often the product of some columns occurs, and the factors of the binomials.
void HigherMoments::scale(std::size_t cols, double share) {
  constexpr double of_third[] = {1, -6, 12, -8}, of_fourth[] = {1, -8, 24, -32, 16};
  std::size_t at[order + 1] = {};
  const auto scale_one = [&](int b, double orders) {
    if (b < order) third_.degree[b][at[b]] *= share * orders * of_third[b];
    fourth_.degree[b][at[b]++] *= share * orders * of_fourth[b];
  };
  scale_one(0, 1);
  for (std::size_t i = 0; i < cols; ++i) {
    scale_one(1, 1);
    for (std::size_t j = 0; j <= i; ++j) {
      const double of_two = j == i ? 1 : 2;
      scale_one(2, of_two);
      for (std::size_t k = 0; k <= j; ++k) {
        const double run = 1.0 + (k == j) + (k == j && k == i);  // the last column, so many times
        const double of_three = of_two * 3 / run;
        scale_one(3, of_three);
        for (std::size_t l = 0; l <= k; ++l) scale_one(4, of_three * 4 / (l == k ? run + 1 : 1));
      }
    }
  }
}

template <int degree>
__attribute__((always_inline)) inline void HigherMoments::add_terms(const std::vector<Lanes>& away, std::size_t end, std::size_t* at,
                                                                    Lanes& third, Lanes& fourth) const {
  if constexpr (degree == order) {
    const double* row = fourth_.degree[degree].data() + at[degree];
    for (std::size_t t = 0; t < end; ++t) add_product(fourth, row[t], away[t]);
    at[degree] += end;
  } else {
    for (std::size_t t = 0; t < end; ++t) {
      Lanes of_third = lanes_of(third_.degree[degree][at[degree]]), of_fourth = lanes_of(fourth_.degree[degree][at[degree]]);
      ++at[degree];
      add_terms<degree + 1>(away, t + 1, at, of_third, of_fourth);
      add_product(third, of_third, away[t]);
      add_product(fourth, of_fourth, away[t]);
    }
  }
}

void HigherMoments::measure(const std::vector<Lanes>& away, DistanceMoments* out) const {
  std::size_t at[order + 1] = {};
  Lanes third = lanes_of(third_.degree[0][0]), fourth = lanes_of(fourth_.degree[0][0]);
  add_terms<1>(away, away.size(), at, third, fourth);
  for (int lane = 0; lane < row_lanes; ++lane) {
    out[lane].third = third[lane];
    out[lane].fourth = fourth[lane];
  }
}

template HigherMoments::HigherMoments(const MatrixView<float>&, const Moments&);
template HigherMoments::HigherMoments(const MatrixView<double>&, const Moments&);

}  // namespace coterie
