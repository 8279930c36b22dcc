// OPTICS from rows of distances and along a graph.
#include "density/optics.h"

#include <queue>
#include <utility>

#include "density/optics_offers.h"
#include "support/parallel.h"

namespace coterie {

void optics_of_rows(std::int64_t n, const std::function<const double*(std::int64_t)>& distances_from, const OpticsQuestion& question,
                    const OpticsOutput& out) {
  reach_nothing(n, out);
  std::vector<std::int64_t> open(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) open[i] = i;
  std::int64_t next = 0;
  for (std::int64_t visit = 0; visit < n; ++visit) {
    out.ordering[visit] = next;
    const std::int64_t row = next;
    const double core = question.core[row];
    const double* distances = core < out_of_reach ? distances_from(row) : nullptr;
    std::size_t n_open = 0;
    double lowest = out_of_reach;
    next = -1;
    for (const std::int64_t other : open) {  // in the order of rows: of equals the lowest stays
      if (other == row) continue;
      open[n_open++] = other;
      double& reach = out.reachability[other];
      if (distances != nullptr && distances[other] <= question.radius) {
        const double offer = rounded_offer(core, distances[other]);
        if (offer < reach) {
          reach = offer;
          out.predecessor[other] = row;
        }
      }
      if (next < 0 || reach < lowest) {
        lowest = reach;
        next = other;
      }
    }
    open.resize(n_open);
    check_interrupt();
  }
}

void optics_of_graph(const SparseView<double>& graph, const OpticsQuestion& question, const OpticsOutput& out) {
  using Reached = std::pair<double, std::int64_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> reached;  // outdated entries stay until they are met
  reach_nothing(graph.rows, out);
  std::vector<bool> is_visited(static_cast<std::size_t>(graph.rows));
  std::int64_t lowest_open = 0;
  for (std::int64_t visit = 0; visit < graph.rows; ++visit, check_interrupt()) {
    while (!reached.empty() && is_visited[reached.top().second]) reached.pop();
    while (is_visited[lowest_open]) ++lowest_open;
    const std::int64_t row = reached.empty() ? lowest_open : reached.top().second;
    is_visited[row] = true;
    out.ordering[visit] = row;
    const double core = question.core[row];
    if (!(core < out_of_reach)) continue;
    for (std::int64_t at = graph.row_starts[row]; at < graph.row_starts[row + 1]; ++at) {
      const std::int64_t other = graph.columns[at];
      if (is_visited[other] || !(graph.values[at] <= question.radius)) continue;
      const double offer = rounded_offer(core, graph.values[at]);
      if (offer >= out.reachability[other]) continue;
      out.reachability[other] = offer;
      out.predecessor[other] = row;
      reached.emplace(offer, other);
    }
  }
}

}  // namespace coterie
