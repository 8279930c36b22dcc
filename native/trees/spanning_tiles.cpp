// Spanning trees by tiles: a few nearest rows of every row, rounds of Boruvka on these lists, and all columns again for
// the rows whose lists are used up.
#include "support/cpu_dispatch.h"
#include "tiles/tiles.h"
#include "trees/spanning_rounds.h"

namespace coterie {
namespace {

constexpr std::int64_t listed_rows = 16;
constexpr std::int64_t rows_per_block = 32;
constexpr std::int64_t panels_per_block = 32;  // a block of distances stays in the second cache

template <class T>
class TileBoruvka {
 public:
  TileBoruvka(const MatrixView<T>& rows, const Metric& metric, const Reachability<T>& reach, int threads)
      : rows_(rows),
        metric_(metric),
        reach_(reach),
        threads_(threads),
        rounds_(rows.rows),
        shift_(centring_shift(rows, metric, threads)),
        pack_(rows, shift(), metric, threads),
        n_listed_(std::min(listed_rows, rows.rows - 1)),
        index_(static_cast<std::size_t>(rows.rows * n_listed_)),
        value_(index_.size()),
        distance_(static_cast<std::size_t>(rows.rows), T{0}),
        partner_(distance_.size(), -1) {}

  SpanningEdges<T> run() {
    if (n_listed_ > 0)
      engine().of<T>().tiles.smallest({rows_, shift(), pack_.columns(), metric_, threads_},
                                      {n_listed_, index_.data(), value_.data(), true});
    while (rounds_.n_components() > 1) {
      bound_.assign(static_cast<std::size_t>(rounds_.n_components()), std::numeric_limits<T>::infinity());
      for (std::int32_t i = 0; i < n_rows(); ++i) look_up(i);
      search();
      rounds_.merge([&](std::int32_t i, SpanningEdge<T>& edge, std::int32_t& partner) {
        partner = partner_[i];
        if (partner < 0 || rounds_.component(i) == rounds_.waiting()) return false;
        edge = {distance_[i], std::min(i, partner), std::max(i, partner)};
        return true;
      });
    }
    return rounds_.take_edges();
  }

 private:
  const T* shift() const { return shift_.empty() ? nullptr : shift_.data(); }
  std::int32_t n_rows() const { return static_cast<std::int32_t>(rows_.rows); }

  T between(std::int64_t a, std::int64_t b, T distance) const {
    if (reach_.alpha != 1) distance = static_cast<T>(static_cast<double>(distance) / reach_.alpha);
    return reach_.core == nullptr ? distance : std::max(std::max(reach_.core[a], reach_.core[b]), distance);
  }

  void look_up(std::int32_t i) {
    T& bound = bound_[rounds_.component(i)];
    if (partner_[i] < 0 || rounds_.component(partner_[i]) == rounds_.component(i)) take_from_list(i);
    if (partner_[i] >= 0) bound = std::min(bound, distance_[i]);
  }

  void take_from_list(std::int32_t i) {
    const std::int32_t* index = index_.data() + i * n_listed_;
    const T* value = value_.data() + i * n_listed_;
    std::int32_t partner = -1;
    T best = std::numeric_limits<T>::infinity();
    for (std::int64_t m = 0; m < n_listed_; ++m) {
      if (index[m] < 0) break;  // fewer rows are at a finite distance
      if (rounds_.component(index[m]) == rounds_.component(i)) continue;
      const T distance = between(i, index[m], value[m]);
      if (partner >= 0 && (distance > best || (distance == best && index[m] > partner))) continue;
      best = distance;
      partner = index[m];
    }
    const T beyond = between(i, i, value[n_listed_ - 1]);  // no row outside the list is nearer
    const bool is_sure = partner >= 0 && (best < beyond || n_listed_ == rows_.rows - 1);
    partner_[i] = is_sure ? partner : -1;
    distance_[i] = is_sure ? best : std::max(distance_[i], beyond);
  }

  void search() {
    std::vector<std::int32_t> queries;
    for (std::int32_t i = 0; i < n_rows(); ++i)
      if (partner_[i] < 0 && rounds_.component(i) != rounds_.waiting() && distance_[i] <= bound_[rounds_.component(i)])
        queries.push_back(i);
    const auto n = static_cast<std::int64_t>(queries.size());
    parallel_for(block_count(n, rows_per_block), threads_, [&](std::int64_t task, int) {
      const Range range = block_range(n, rows_per_block, task);
      search_block(queries.data() + range.begin, range.size());
    });
  }

  void search_block(const std::int32_t* queries, std::int64_t n) {
    std::vector<T> numbers(static_cast<std::size_t>(n * rows_.cols));
    for (std::int64_t q = 0; q < n; ++q)
      std::copy(rows_.row(queries[q]), rows_.row(queries[q]) + rows_.cols, numbers.data() + q * rows_.cols);
    const std::int64_t width = engine().of<T>().tiles.panel_width, chunk = panels_per_block * width;
    std::vector<T> block(static_cast<std::size_t>(n * chunk));
    for (std::int64_t first = 0; first < pack_.columns().n_panels; first += panels_per_block) {
      PackedColumns<T> columns = pack_.columns();
      columns.n_panels = std::min(panels_per_block, columns.n_panels - first);
      columns.n_columns = std::min(columns.n_panels * width, rows_.rows - first * width);
      columns.panels += first * width * columns.cols;
      columns.start += first * width;
      columns.term += first * width;
      engine().of<T>().tiles.store({{numbers.data(), n, rows_.cols, rows_.cols}, shift(), columns, metric_, 1},
                                   {block.data(), n, columns.n_columns, chunk});
      for (std::int64_t q = 0; q < n; ++q) scan(queries[q], block.data() + q * chunk, first * width, columns.n_columns);
    }
    for (std::int64_t q = 0; q < n; ++q)
      if (partner_[queries[q]] < 0) distance_[queries[q]] = bound_[rounds_.component(queries[q])];
  }

  // The best of columns [first, first + count) for row i; earlier columns have lower numbers.
  void scan(std::int32_t i, const T* distances, std::int64_t first, std::int64_t count) {
    const std::int32_t* component = rounds_.components().data() + first;
    const std::int32_t own = rounds_.component(i);
    T best = partner_[i] < 0 ? bound_[own] : distance_[i];
    for (std::int64_t j = 0; j < count; ++j) {
      if (component[j] == own) continue;
      const T distance = between(i, first + j, distances[j]);
      if (!(distance <= best) || (distance == best && partner_[i] >= 0)) continue;
      best = distance;
      partner_[i] = static_cast<std::int32_t>(first + j);
      distance_[i] = distance;
    }
  }

  MatrixView<T> rows_;
  Metric metric_;
  Reachability<T> reach_;
  int threads_;
  SpanningRounds<T> rounds_;
  std::vector<T> shift_;
  ColumnPack<T> pack_;
  std::int64_t n_listed_;
  std::vector<std::int32_t> index_;  // lists of nearest rows
  std::vector<T> value_;
  std::vector<T> distance_;          // per row: of its partner, or a bound below which there is none
  std::vector<std::int32_t> partner_;
  std::vector<T> bound_;             // per component
};

}  // namespace

template <class T>
SpanningEdges<T> spanning_tree(const MatrixView<T>& rows, const Metric& metric, const Reachability<T>& reach, int threads) {
  return rows.rows < 2 ? SpanningEdges<T>{} : TileBoruvka<T>(rows, metric, reach, threads).run();
}

template SpanningEdges<float> spanning_tree(const MatrixView<float>&, const Metric&, const Reachability<float>&, int);
template SpanningEdges<double> spanning_tree(const MatrixView<double>&, const Metric&, const Reachability<double>&, int);

}  // namespace coterie
