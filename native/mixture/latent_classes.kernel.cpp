// The pass over a range of rows of a table of numbers and categories.
#include "mixture/latent_classes.h"

#include <cmath>

#include "engine.h"
#include "mixture/densities.h"

namespace coterie::COTERIE_ISA {
namespace {

// A tile of rows, column by column; rows beyond the last have no cells and weigh nothing.
struct Tile {
  Scratch<double> numbers;  // n_numbers x tile_rows
  Scratch<std::int32_t> levels;
  Scratch<double> weights;

  explicit Tile(const LatentRows& rows)
      : numbers(rows.numbers.cols * tile_rows + 1), levels(rows.levels.cols * tile_rows + 1), weights(tile_rows) {}

  void fill(const LatentRows& rows, std::int64_t first, std::int64_t count) const {
    for (std::int64_t j = 0; j < rows.numbers.cols; ++j)
      for (std::int64_t i = 0; i < tile_rows; ++i) numbers[j * tile_rows + i] = i < count ? rows.numbers.row(first + i)[j] : NAN;
    for (std::int64_t j = 0; j < rows.levels.cols; ++j)
      for (std::int64_t i = 0; i < tile_rows; ++i)
        levels[j * tile_rows + i] = i < count ? rows.levels.row(first + i)[j] : static_cast<std::int32_t>(rows.n_levels);
    for (std::int64_t i = 0; i < tile_rows; ++i) weights[i] = i < count ? rows.weights[first + i] : 0.0;
  }
};

class Pass {
 public:
  Pass(const LatentRows& rows, const LatentClassesView& model, const LatentSums& sums)
      : rows_(rows),
        model_(model),
        sums_(sums),
        tile_(rows),
        shares_(model.n_classes * tile_rows),
        greatest_(tile_rows),
        totals_(tile_rows) {}

  void add(std::int64_t first, std::int64_t count) const {
    tile_.fill(rows_, first, count);
    for (std::int64_t k = 0; k < model_.n_classes; ++k) fill_logs(k, shares_.data() + k * tile_rows);
    relative_densities(shares_.data(), model_.n_classes, greatest_.data(), totals_.data());
    for (std::int64_t i = 0; i < count; ++i) {
      double part = tile_.weights[i] * (greatest_[i] + std::log(totals_[i]));
      keep_fused(part);
      *sums_.log_likelihood += part;
    }
    for (std::int64_t k = 0; k < model_.n_classes; ++k) add_class(k, shares_.data() + k * tile_rows);
  }

 private:
  void fill_logs(std::int64_t k, double* logs) const {
    for (std::int64_t i = 0; i < tile_rows; ++i) logs[i] = model_.log_weights[k];
    const double* table = model_.log_tables + k * (rows_.n_levels + 1);
    for (std::int64_t j = 0; j < rows_.levels.cols; ++j)
      for (std::int64_t i = 0; i < tile_rows; ++i) logs[i] += table[tile_.levels[j * tile_rows + i]];
    for (std::int64_t j = 0; j < rows_.numbers.cols; ++j) {
      const std::int64_t at = k * rows_.numbers.cols + j;
      const Doubles mean = broadcast(model_.means[at]), variance = broadcast(2 * model_.variances[at]);
      const Doubles factor = broadcast(model_.log_factors[at]);
      for (std::int64_t i = 0; i < tile_rows; i += lanes<double>) {
        const Doubles x = load(tile_.numbers.data() + j * tile_rows + i), apart = x - mean;
        const Doubles term = factor - apart * apart / variance;
        store(logs + i, load(logs + i) + (x == x ? term : Doubles{}));
      }
    }
  }

  // Turns relative densities into shares of the weights, and adds them.
  void add_class(std::int64_t k, double* shares) const {
    for (std::int64_t i = 0; i < tile_rows; i += lanes<double>)
      store(shares + i, load(shares + i) * (load(tile_.weights.data() + i) / load(totals_.data() + i)));
    for (std::int64_t i = 0; i < tile_rows; ++i) sums_.weight[k] += shares[i];
    double* counts = sums_.counts + k * (rows_.n_levels + 1);
    for (std::int64_t j = 0; j < rows_.levels.cols; ++j)
      for (std::int64_t i = 0; i < tile_rows; ++i) counts[tile_.levels[j * tile_rows + i]] += shares[i];
    for (std::int64_t j = 0; j < rows_.numbers.cols; ++j)
      add_numbers(k * rows_.numbers.cols + j, shares, tile_.numbers.data() + j * tile_rows);
  }

  void add_numbers(std::int64_t at, const double* shares, const double* column) const {
    WideSum<double> mass{}, deviation{}, squares{};
    const Doubles mean = broadcast(model_.means[at]);
    for (std::int64_t i = 0; i < tile_rows; i += lanes<double>) {
      const Doubles x = load(column + i), apart = x == x ? x - mean : Doubles{}, share = x == x ? load(shares + i) : Doubles{};
      const Doubles part = share * apart;
      const std::int64_t index = i / lanes<double>;
      mass.vector(index) += share;
      deviation.vector(index) += part;
      squares.vector(index) += part * apart;
    }
    sums_.mass[at] += mass.total();
    sums_.deviation[at] += deviation.total();
    sums_.squares[at] += squares.total();
  }

  const LatentRows& rows_;
  const LatentClassesView& model_;
  const LatentSums& sums_;
  Tile tile_;
  Scratch<double> shares_, greatest_, totals_;
};

void add_sums(const LatentRows& rows, const LatentClassesView& model, const LatentSums& sums) {
  const Pass pass(rows, model, sums);
  for (std::int64_t first = 0; first < rows.numbers.rows; first += tile_rows)
    pass.add(first, first + tile_rows < rows.numbers.rows ? tile_rows : rows.numbers.rows - first);
}

}  // namespace

void install_latent_classes(Engine& engine) { engine.latent_classes = {add_sums}; }

}  // namespace coterie::COTERIE_ISA
