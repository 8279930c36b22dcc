// Packs rows of Y as the columns of the tiles.
#include <limits>

#include "engine.h"
#include "tiles/walk.h"

namespace coterie::COTERIE_ISA {
namespace {

template <class T>
COTERIE_INLINE T start_value(const Metric& metric, T term) {
  if (metric.kernel != Kernel::dot) return T(0);
  switch (start_of(metric.finish)) {
    case Start::half_squared_norm:
      return term / 2;
    case Start::one:
      return T(1);
    case Start::zero:
      break;
  }
  return T(0);
}

template <class T>
void pack_panel(const MatrixView<T>& Y, const T* shift, const Metric& metric, const PackedColumns<T>& out, std::int64_t panel) {
  T* to = out.panels + panel * Y.cols * panel_width<T>;
  const Scratch<T> row(Y.cols);
  for (int lane = 0; lane < panel_width<T>; ++lane) {
    const std::int64_t column = panel * panel_width<T> + lane;
    const std::int64_t from = out.ids != nullptr ? out.ids[column] : (column < Y.rows ? column : -1);
    if (from < 0) {
      for (std::int64_t t = 0; t < Y.cols; ++t) to[t * panel_width<T> + lane] = 0;
      out.term[column] = 0;
      out.start[column] = std::numeric_limits<T>::infinity();
      continue;
    }
    const T* source = Y.row(from);
    for (std::int64_t t = 0; t < Y.cols; ++t) {
      row[t] = shift == nullptr ? source[t] : source[t] - shift[t];
      to[t * panel_width<T> + lane] = row[t];
    }
    out.term[column] = row_term(metric, row.data(), Y.cols);
    out.start[column] = start_value(metric, out.term[column]);
  }
}

template <class T>
void pack(const MatrixView<T>& Y, const T* shift, const Metric& metric, const PackedColumns<T>& out, int threads) {
  constexpr std::int64_t panels_per_task = 64;
  parallel_for(block_count(out.n_panels, panels_per_task), threads, [&](std::int64_t task, int) {
    const Range range = block_range(out.n_panels, panels_per_task, task);
    for (std::int64_t panel = range.begin; panel < range.end; ++panel) pack_panel(Y, shift, metric, out, panel);
  });
}

}  // namespace

void install_pack(Engine& engine) {
  engine.float32.tiles.panel_width = panel_width<float>;
  engine.float32.tiles.pack = pack<float>;
  engine.float64.tiles.panel_width = panel_width<double>;
  engine.float64.tiles.pack = pack<double>;
}

}  // namespace coterie::COTERIE_ISA
