// Passes of fuzzy c-means over a range of rows; rows stand in the lanes of vectors, numbers are float64 whatever the rows are.
#include "engine.h"
#include "support/scratch.h"
#include "support/vector_math.h"

namespace coterie::COTERIE_ISA {
namespace {

constexpr std::int64_t fuzzy_tile_rows = 128;
constexpr int centres_at_once = 4, dots_at_once = 2;  // 4 x 2 distances, or 2 x 2 dots of wide sums, fit in the registers

// A tile of rows, its distances to the centres, and what becomes of them.
template <class T>
class FuzzyTile {
 public:
  explicit FuzzyTile(const FuzzyView& model)
      : model_(model),
        power_(1 / (model.fuzzifier - 1)),
        padded_((model.n_clusters + centres_at_once - 1) / centres_at_once * centres_at_once),
        rows_((model.cols + 1) * fuzzy_tile_rows),  // a last column of ones: its sum is the weight
        squared_(padded_ * fuzzy_tile_rows),
        least_(fuzzy_tile_rows),
        total_(fuzzy_tile_rows) {
    for (std::int64_t i = 0; i < fuzzy_tile_rows; ++i) rows_[model.cols * fuzzy_tile_rows + i] = 1;
  }

  // Squared distances to all centres; rows beyond the last are those of a zero row.
  void load_rows(const MatrixView<T>& rows) {
    for (std::int64_t j = 0; j < model_.cols; ++j) {
      double* to = rows_.data() + j * fuzzy_tile_rows;
      for (std::int64_t i = 0; i < rows.rows; ++i) to[i] = static_cast<double>(rows.row(i)[j]) - model_.shift[j];
      for (std::int64_t i = rows.rows; i < fuzzy_tile_rows; ++i) to[i] = 0;
    }
    for (std::int64_t k = 0; k < model_.n_clusters; k += centres_at_once) measure(k);
  }

  // Turns squared distances into the powers r of the ratios to the least one; `total` gets their sum. Where `keep` is set, each is
  // multiplied by its ratio once more.
  template <bool keep>
  void relate() {
    for (std::int64_t first = 0; first < fuzzy_tile_rows; first += lanes<double>) {
      Doubles least = load(squared_.data() + first), total = {};
      for (std::int64_t k = 1; k < model_.n_clusters; ++k) least = minimum<double>(load(squared(k) + first), least);
      for (std::int64_t k = 0; k < model_.n_clusters; ++k) {
        const Doubles own = load(squared(k) + first);
        const Doubles ratio = own > least ? least / own : Doubles{} + 1.0;  // of rows at a centre, too
        const Doubles related = power_ == 1 ? ratio : power_of(ratio, power_);
        total += related;
        store(squared(k) + first, keep ? related * ratio : related);
      }
      store(least_.data() + first, least);
      store(total_.data() + first, total);
    }
  }

  // Adds the rows, each by its weight times u^m, and the objective.
  void add_to(const FuzzySums& sums, const double* weights, std::int64_t n_rows) {
    for (std::int64_t first = 0; first < fuzzy_tile_rows; first += lanes<double>) {
      const Doubles inverse = 1 / load(total_.data() + first);
      const Doubles shrunk = model_.fuzzifier == 2 ? inverse : power_of(inverse, model_.fuzzifier - 1);  // R^(1 - m)
      store(least_.data() + first, load(least_.data() + first) * shrunk);
      store(total_.data() + first, shrunk * inverse);
    }
    for (std::int64_t i = 0; i < n_rows; ++i) {
      const double weight = weights == nullptr ? 1.0 : weights[i];
      *sums.objective += weight * least_[i];
      keep_fused(*sums.objective);
      total_[i] *= weight;
    }
    for (std::int64_t i = n_rows; i < fuzzy_tile_rows; ++i) total_[i] = 0;
    for (std::int64_t k = 0; k < model_.n_clusters; ++k)
      for (std::int64_t first = 0; first < fuzzy_tile_rows; first += lanes<double>)
        store(squared(k) + first, load(squared(k) + first) * load(total_.data() + first));
    for (std::int64_t k = 0; k < model_.n_clusters; k += dots_at_once)
      for (std::int64_t j = 0; j <= model_.cols; j += dots_at_once) add_dots(sums, k, j);
  }

  void place(const FuzzyRows<T>& out, std::int64_t first, std::int64_t n_rows) const {
    for (std::int64_t i = 0; i < n_rows; ++i) {
      std::int64_t best = 0;
      for (std::int64_t k = 0; k < model_.n_clusters; ++k) {
        const double related = squared_[k * fuzzy_tile_rows + i];
        if (related > squared_[best * fuzzy_tile_rows + i]) best = k;
        if (out.memberships != nullptr) out.memberships[(first + i) * model_.n_clusters + k] = static_cast<T>(related / total_[i]);
      }
      if (out.labels != nullptr) out.labels[first + i] = static_cast<std::int32_t>(best);
    }
  }

 private:
  COTERIE_INLINE double* squared(std::int64_t k) const { return squared_.data() + k * fuzzy_tile_rows; }

  COTERIE_INLINE void measure(std::int64_t k) {
    const double* centres[centres_at_once];
    for (int c = 0; c < centres_at_once; ++c)
      centres[c] = model_.centres + (k + c < model_.n_clusters ? k + c : k) * model_.cols;  // those beyond the last are not looked at
    for (std::int64_t first = 0; first < fuzzy_tile_rows; first += 2 * lanes<double>) {
      Doubles sums[centres_at_once][2] = {};
      for (std::int64_t j = 0; j < model_.cols; ++j) {
        const double* from = rows_.data() + j * fuzzy_tile_rows + first;
        const Doubles left = load(from), right = load(from + lanes<double>);
        for (int c = 0; c < centres_at_once; ++c) {
          const Doubles centre = broadcast(centres[c][j]);
          const Doubles a = left - centre, b = right - centre;
          sums[c][0] += a * a;
          sums[c][1] += b * b;
        }
      }
      for (int c = 0; c < centres_at_once; ++c)
        for (int v = 0; v < 2; ++v) store(squared(k + c) + first + v * lanes<double>, sums[c][v]);
    }
  }

  // Groups k, k + 1 times columns j, j + 1, where they exist.
  COTERIE_INLINE void add_dots(const FuzzySums& sums, std::int64_t k, std::int64_t j) {
    WideSum<double> dots[dots_at_once][dots_at_once] = {};
    const double *left[dots_at_once], *right[dots_at_once];
    for (int a = 0; a < dots_at_once; ++a) {
      left[a] = squared(k + a < model_.n_clusters ? k + a : k);
      right[a] = rows_.data() + (j + a <= model_.cols ? j + a : j) * fuzzy_tile_rows;
    }
    for (std::int64_t index = 0; index < fuzzy_tile_rows / lanes<double>; ++index)
      for (int a = 0; a < dots_at_once; ++a)
        for (int b = 0; b < dots_at_once; ++b)
          dots[a][b].vector(index) += load(left[a] + index * lanes<double>) * load(right[b] + index * lanes<double>);
    for (int a = 0; a < dots_at_once; ++a)
      for (int b = 0; b < dots_at_once; ++b) {
        if (k + a >= model_.n_clusters || j + b > model_.cols) continue;
        double* to = j + b == model_.cols ? sums.weight + k + a : sums.deviation + (k + a) * model_.cols + j + b;
        *to += dots[a][b].total();
      }
  }

  const FuzzyView& model_;
  double power_;
  std::int64_t padded_;
  Scratch<double> rows_, squared_, least_, total_;
};

template <class T, class Take>
COTERIE_INLINE void for_each_fuzzy_tile(const FuzzyTask<T>& task, Take&& take) {
  FuzzyTile<T> tile(*task.model);
  for (std::int64_t first = 0; first < task.rows.rows; first += fuzzy_tile_rows) {
    const std::int64_t left = task.rows.rows - first, count = left < fuzzy_tile_rows ? left : fuzzy_tile_rows;
    tile.load_rows({task.rows.row(first), count, task.rows.cols, task.rows.stride});
    take(tile, first, count);
  }
}

template <class T>
void add_fuzzy_sums(const FuzzyTask<T>& task, const FuzzySums& sums) {
  for_each_fuzzy_tile(task, [&](FuzzyTile<T>& tile, std::int64_t first, std::int64_t count) {
    tile.template relate<true>();
    tile.add_to(sums, task.weights == nullptr ? nullptr : task.weights + first, count);
  });
}

template <class T>
void place_fuzzy_rows(const FuzzyTask<T>& task, const FuzzyRows<T>& out) {
  for_each_fuzzy_tile(task, [&](FuzzyTile<T>& tile, std::int64_t first, std::int64_t count) {
    tile.template relate<false>();
    tile.place(out, first, count);
  });
}

}  // namespace

void install_fuzzy_pass(Engine& engine) {
  engine.float32.fuzzy = {add_fuzzy_sums<float>, place_fuzzy_rows<float>};
  engine.float64.fuzzy = {add_fuzzy_sums<double>, place_fuzzy_rows<double>};
}

}  // namespace coterie::COTERIE_ISA
