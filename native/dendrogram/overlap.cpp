#include "dendrogram/overlap.h"

#include <unordered_map>
#include <vector>

#include "support/parallel.h"

namespace coterie {
namespace {

using Line = std::unordered_map<std::int64_t, std::int64_t>;

// One side of the table (rows or columns): its lines, and how far its tree is merged.
struct Side {
  const TreeView& tree;
  std::vector<Line> lines;
  std::vector<std::int64_t> home, sizes;
  std::int64_t merged = 0, n_clusters, squares;

  explicit Side(const TreeView& view)
      : tree(view),
        lines(view.n_leaves),
        home(view.n_nodes()),
        sizes(view.n_leaves, 1),
        n_clusters(view.n_leaves),
        squares(view.n_leaves) {
    for (std::int64_t leaf = 0; leaf < view.n_leaves; ++leaf) {
      lines[leaf] = {{leaf, 1}};
      home[leaf] = leaf;
    }
  }
};

// Pours line b of one side into line a, or the other way round, and returns the one that is left.
std::int64_t join(Side& side, Side& across, std::int64_t a, std::int64_t b, std::int64_t& cells) {
  if (side.lines[a].size() < side.lines[b].size()) std::swap(a, b);
  for (const auto& [place, count] : side.lines[b]) {
    std::int64_t& cell = side.lines[a][place];
    cells += 2 * cell * count;
    cell += count;
    across.lines[place].erase(b);
    across.lines[place][a] = cell;
  }
  side.lines[b] = Line();
  side.squares += 2 * side.sizes[a] * side.sizes[b];
  side.sizes[a] += side.sizes[b];
  --side.n_clusters;
  return a;
}

void merge_until(Side& side, Side& across, std::int64_t n_clusters, std::int64_t& cells) {
  while (side.n_clusters > n_clusters) {
    check_interrupt();
    const std::int64_t node = side.tree.n_leaves + side.merged++;
    const Span children = side.tree.children_of(node);
    std::int64_t into = side.home[*children.first];
    for (const std::int64_t* child = children.first + 1; child != children.last; ++child)
      into = join(side, across, into, side.home[*child], cells);
    side.home[node] = into;
  }
}

}  // namespace

void overlap_curve(const TreeView& first, const TreeView& second, const std::int64_t* n_clusters, std::int64_t n_cuts,
                   std::int64_t* cells, std::int64_t* rows, std::int64_t* columns) {
  Side of_rows(first), of_columns(second);
  std::int64_t squares = first.n_leaves;
  for (std::int64_t cut = 0; cut < n_cuts; ++cut) {
    merge_until(of_rows, of_columns, n_clusters[cut], squares);
    merge_until(of_columns, of_rows, n_clusters[cut], squares);
    cells[cut] = squares;
    rows[cut] = of_rows.squares;
    columns[cut] = of_columns.squares;
  }
}

}  // namespace coterie
