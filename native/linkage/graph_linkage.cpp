#include "linkage/graph_linkage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "linkage/centroid_search.h"
#include "support/parallel.h"

namespace coterie {
namespace {

struct Edge {
  double height;
  std::int64_t smaller, larger;
  bool operator>(const Edge& other) const {
    return std::tie(height, smaller, larger) > std::tie(other.height, other.smaller, other.larger);
  }
};

// Nodes are numbered as SciPy does: rows, then merges as they come.
class GraphEngine {
 public:
  explicit GraphEngine(const GraphLinkage& graph) : graph_(graph), neighbours_(static_cast<std::size_t>(2 * graph.edges.rows - 1)) {
    const auto n = static_cast<std::size_t>(graph.edges.rows);
    graph.sizes == nullptr ? sizes_.assign(n, 1.0) : sizes_.assign(graph.sizes, graph.sizes + n);
    is_live_.assign(n, true);
    if (graph.rows != nullptr) centroids_.assign(graph.rows, graph.rows + graph.edges.rows * graph.cols);
    for (std::int64_t i = 0; i < graph.edges.rows; ++i)
      for (std::int64_t at = graph.edges.row_starts[i]; at < graph.edges.row_starts[i + 1]; ++at) {
        const std::int64_t j = graph.edges.columns[at];
        if (i == j) continue;  // the distance of a row to itself
        const double height = has_centroids() ? between_centroids(i, j) : graph.edges.values[at];
        neighbours_[static_cast<std::size_t>(i)][j] = height;
        if (i < j) queue_.push({height, i, j});
      }
  }

  std::int64_t run(double* out) {
    std::int64_t written = 0;
    for (; written < graph_.n_merges && !queue_.empty(); check_interrupt()) {
      const Edge edge = queue_.top();
      queue_.pop();
      if (is_live_[static_cast<std::size_t>(edge.smaller)] && is_live_[static_cast<std::size_t>(edge.larger)])
        write(edge, out + 4 * written++);
    }
    if (graph_.missing == MissingEdge::infinite) written = join_rest(written, out);
    return written;
  }

 private:
  bool has_centroids() const { return graph_.rule == LinkageRule::ward || graph_.rule == LinkageRule::centroid; }

  double between_centroids(std::int64_t a, std::int64_t b) const {
    const double *x = centroids_.data() + a * graph_.cols, *y = centroids_.data() + b * graph_.cols;
    double squared = 0;
    for (std::int64_t t = 0; t < graph_.cols; ++t) squared += (x[t] - y[t]) * (x[t] - y[t]);
    if (graph_.rule == LinkageRule::centroid) return std::sqrt(squared);
    return std::sqrt(ward_of(squared, sizes_[static_cast<std::size_t>(a)], sizes_[static_cast<std::size_t>(b)]));
  }

  double combined(double first, double second, double size_first, double size_second) const {
    switch (graph_.rule) {
      case LinkageRule::single:
        return std::min(first, second);
      case LinkageRule::complete:
        return std::max(first, second);
      case LinkageRule::weighted:
        return (first + second) / 2;
      default:
        return (size_first * first + size_second * second) / (size_first + size_second);
    }
  }

  // Distances of the merged cluster to those that edges join it with.
  std::vector<std::pair<std::int64_t, double>> joined(std::int64_t a, std::int64_t b) const {
    const auto &first = neighbours_[static_cast<std::size_t>(a)], &second = neighbours_[static_cast<std::size_t>(b)];
    const bool keeps_one_sided = graph_.missing == MissingEdge::unknown || graph_.rule == LinkageRule::single;
    std::vector<std::pair<std::int64_t, double>> result;
    for (const auto& [other, height] : first) {
      const auto found = second.find(other);
      if (other == b) continue;
      if (found != second.end())
        result.emplace_back(other,
                            combined(height, found->second, sizes_[static_cast<std::size_t>(a)], sizes_[static_cast<std::size_t>(b)]));
      else if (keeps_one_sided)
        result.emplace_back(other, height);
    }
    if (keeps_one_sided)
      for (const auto& [other, height] : second)
        if (other != a && first.find(other) == first.end()) result.emplace_back(other, height);
    return result;
  }

  void add_centroid(std::int64_t a, std::int64_t b) {
    const double total = sizes_[static_cast<std::size_t>(a)] + sizes_[static_cast<std::size_t>(b)];
    const double share = sizes_[static_cast<std::size_t>(b)] / total;
    for (std::int64_t t = 0; t < graph_.cols; ++t) {
      const double x = centroids_[static_cast<std::size_t>(a * graph_.cols + t)],
                   y = centroids_[static_cast<std::size_t>(b * graph_.cols + t)];
      centroids_.push_back(x + share * (y - x));
    }
  }

  void write(const Edge& edge, double* out) {
    const auto merged = static_cast<std::int64_t>(sizes_.size());
    const auto edges = joined(edge.smaller, edge.larger);
    for (const std::int64_t part : {edge.smaller, edge.larger}) {
      for (const auto& entry : neighbours_[static_cast<std::size_t>(part)])
        neighbours_[static_cast<std::size_t>(entry.first)].erase(part);
      neighbours_[static_cast<std::size_t>(part)] = {};
      is_live_[static_cast<std::size_t>(part)] = false;
    }
    if (has_centroids()) add_centroid(edge.smaller, edge.larger);
    sizes_.push_back(sizes_[static_cast<std::size_t>(edge.smaller)] + sizes_[static_cast<std::size_t>(edge.larger)]);
    is_live_.push_back(true);
    for (const auto& [other, height] : edges) {
      const double now = has_centroids() ? between_centroids(other, merged) : height;
      neighbours_[static_cast<std::size_t>(other)][merged] = neighbours_[static_cast<std::size_t>(merged)][other] = now;
      queue_.push({now, other, merged});
    }
    const double values[] = {static_cast<double>(edge.smaller), static_cast<double>(edge.larger), edge.height, sizes_.back()};
    std::copy(values, values + 4, out);
  }

  std::int64_t join_rest(std::int64_t written, double* out) {
    std::int64_t first = 0, second = 0;
    for (; written < graph_.n_merges; ++written) {
      while (!is_live_[static_cast<std::size_t>(first)]) ++first;
      second = std::max(second, first + 1);
      while (!is_live_[static_cast<std::size_t>(second)]) ++second;
      write({std::numeric_limits<double>::infinity(), first, second}, out + 4 * written);
    }
    return written;
  }

  const GraphLinkage& graph_;
  std::vector<std::unordered_map<std::int64_t, double>> neighbours_;
  std::vector<double> sizes_, centroids_;
  std::vector<bool> is_live_;
  std::priority_queue<Edge, std::vector<Edge>, std::greater<Edge>> queue_;
};

}  // namespace

std::int64_t link_graph(const GraphLinkage& graph, double* out) { return GraphEngine(graph).run(out); }

}  // namespace coterie
