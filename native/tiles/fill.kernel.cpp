// Raw values of every kernel into a tile.
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T, class BlockFunction>
COTERIE_INLINE void fill_with(const StripRows<T>& rows, const PackedColumns<T>& Y, std::int64_t first, std::int64_t count, T* tile,
                              const BlockFunction& block) {
  for (std::int64_t q = 0; q < count; ++q) {
    Block<T> values;
    block(rows, Y.panels + (first + q) * Y.cols * panel_width<T>, Y.start + (first + q) * panel_width<T>, Y.cols, values);
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v)
        store(tile + r * max_tile_columns + q * panel_width<T> + v * lanes<T>, values.value[r][v]);
  }
}

// Of a kernel that needs the rows alone: dot_block and the like.
template <class T, auto block>
void fill_by(const StripRows<T>& rows, const PackedColumns<T>& Y, const Metric&, std::int64_t first, std::int64_t count, T* tile) {
  fill_with(
      rows, Y, first, count, tile,
      [](const StripRows<T>& strip, const T* panel, const T* start, std::int64_t cols, Block<T>& out)
          __attribute__((always_inline)) { block(strip, panel, start, cols, out); });
}

// Whether no cell of the strip is missing; the panels say so in their terms.
template <class T>
bool is_complete(const StripRows<T>& rows, std::int64_t cols) {
  T sum = 0;
  for (int r = 0; r < strip_rows; ++r)
    for (std::int64_t t = 0; t < cols; ++t) sum += rows.row[r][t] - rows.row[r][t];
  return sum == T(0);
}

template <class T>
void fill_gower(const StripRows<T>& rows, const PackedColumns<T>& Y, const Metric& metric, std::int64_t first, std::int64_t count,
                T* tile) {
  const MixedColumns& mixed = *metric.mixed;
  const bool may_be_complete = mixed.n_numbers + mixed.n_categories == Y.cols && is_complete(rows, Y.cols);
  for (std::int64_t q = first; q < first + count; ++q) {
    const T *panel = Y.panels + q * Y.cols * panel_width<T>, *start = Y.start + q * panel_width<T>,
            *term = Y.term + q * panel_width<T>;
    bool is_whole = may_be_complete;
    for (int lane = 0; lane < panel_width<T>; ++lane) is_whole = is_whole && term[lane] == T(0);
    Block<T> values;
    if (is_whole)
      complete_gower_block<T>(mixed, rows, panel, start, Y.cols, values);
    else
      gower_block<T>(mixed, rows, panel, start, Y.cols, values);
    for (int r = 0; r < strip_rows; ++r)
      for (int v = 0; v < panel_vectors; ++v)
        store(tile + r * max_tile_columns + (q - first) * panel_width<T> + v * lanes<T>, values.value[r][v]);
  }
}

template <class T, class Step>
COTERIE_INLINE void fill_step(const Step& step, const StripRows<T>& rows, const PackedColumns<T>& Y, std::int64_t first,
                              std::int64_t count, T* tile) {
  fill_with(
      rows, Y, first, count, tile,
      [&step](const StripRows<T>& strip, const T* panel, const T* start, std::int64_t cols, Block<T>& out)
          __attribute__((always_inline)) { difference_block<T>(step, strip, panel, start, cols, out); });
}

template <class T, template <class> class Step>
void fill_difference(const StripRows<T>& rows, const PackedColumns<T>& Y, const Metric&, std::int64_t first, std::int64_t count,
                     T* tile) {
  fill_step(Step<T>{}, rows, Y, first, count, tile);
}

template <class T, int twice_p>
void fill_halves(const StripRows<T>& rows, const PackedColumns<T>& Y, const Metric&, std::int64_t first, std::int64_t count, T* tile) {
  fill_step(MinkowskiHalves<T, twice_p>{}, rows, Y, first, count, tile);
}

template <class T>
void fill_minkowski(const StripRows<T>& rows, const PackedColumns<T>& Y, const Metric& metric, std::int64_t first, std::int64_t count,
                    T* tile) {
  fill_step(Minkowski<T>{metric.p}, rows, Y, first, count, tile);
}

// The exponents that people use most have their own, faster steps.
template <class T>
TileFill<T> minkowski_of(double p) {
  if (p == 0.5) return fill_halves<T, 1>;
  if (p == 1.5) return fill_halves<T, 3>;
  if (p == 2.5) return fill_halves<T, 5>;
  if (p == 3) return fill_halves<T, 6>;
  if (p == 4) return fill_halves<T, 8>;
  return fill_minkowski<T>;
}

}  // namespace

template <class T>
TileFill<T> fill_of(const Metric& metric) {
  switch (metric.kernel) {
    case Kernel::dot:
      return fill_by<T, dot_block<T>>;
    case Kernel::squared_difference:
      return fill_difference<T, SquaredDifference>;
    case Kernel::manhattan:
      return fill_difference<T, Manhattan>;
    case Kernel::chebyshev:
      return fill_difference<T, Chebyshev>;
    case Kernel::minkowski:
      return minkowski_of<T>(metric.p);
    case Kernel::canberra:
      return fill_difference<T, Canberra>;
    case Kernel::braycurtis:
      return fill_by<T, braycurtis_block<T>>;
    case Kernel::hamming:
      return fill_difference<T, Hamming>;
    case Kernel::gower:
      return fill_gower<T>;
    case Kernel::observed:
      return fill_by<T, observed_block<T>>;
  }
  return nullptr;
}

template TileFill<float> fill_of<float>(const Metric&);
template TileFill<double> fill_of<double>(const Metric&);

}  // namespace coterie::COTERIE_ISA
