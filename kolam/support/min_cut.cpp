// Dinic's algorithm.
#include "kolam/support/min_cut.h"

#include <algorithm>

namespace kolam {

int Network::add_node() {
  of_node_.emplace_back();
  return static_cast<int>(of_node_.size()) - 1;
}

void Network::add_edge(int from, int to, int64_t capacity) {
  of_node_[from].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({to, capacity});
  of_node_[to].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({from, 0});
}

/// Steps from the source along edges that are not full.
bool Network::set_levels() {
  level_.assign(of_node_.size(), -1);
  level_[kSource] = 0;
  std::vector<int> reached{kSource};
  for (size_t place = 0; place < reached.size(); ++place)
    for (int edge : of_node_[reached[place]])
      if (edges_[edge].left > 0 && level_[edges_[edge].to] < 0) {
        level_[edges_[edge].to] = level_[reached[place]] + 1;
        reached.push_back(edges_[edge].to);
      }
  return level_[kSink] >= 0;
}

int64_t Network::push(int node, int64_t most) {
  if (node == kSink)
    return most;
  for (; next_[node] < of_node_[node].size(); ++next_[node]) {
    const int edge = of_node_[node][next_[node]];
    if (edges_[edge].left <= 0 || level_[edges_[edge].to] != level_[node] + 1)
      continue;
    if (int64_t pushed = push(edges_[edge].to, std::min(most, edges_[edge].left))) {
      edges_[edge].left -= pushed;
      edges_[edge ^ 1].left += pushed;
      return pushed;
    }
  }
  return 0;
}

std::vector<bool> Network::sink_side() {
  while (set_levels()) {
    next_.assign(of_node_.size(), 0);
    while (push(kSource, kNever) > 0) {
    }
  }
  std::vector<bool> side(of_node_.size(), false);
  side[kSink] = true;
  std::vector<int> reached{kSink};
  for (size_t place = 0; place < reached.size(); ++place)
    for (int edge : of_node_[reached[place]]) { // its reverse leads here
      const int from = edges_[edge].to;
      if (edges_[edge ^ 1].left > 0 && !side[from]) {
        side[from] = true;
        reached.push_back(from);
      }
    }
  return side;
}

} // namespace kolam
