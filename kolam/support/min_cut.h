/// The cheapest edges of a network without which nothing flows from its source to its sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kolam {

/// A directed network. Source: Dinic's blocking flows, 1970; by Ford and Fulkerson the greatest
/// flow is the least cut.
class Network {
public:
  static constexpr int kSource = 0, kSink = 1;        ///< size of code: the first two nodes
  static constexpr int64_t kNever = int64_t{1} << 60; ///< bound: no cut has such an edge

  int add_node();
  void add_edge(int from, int to, int64_t capacity);
  /// Of each node whether it lies on the sink's side of a least cut, the one nearest to the sink.
  /// Consumes the capacities.
  std::vector<bool> sink_side();

private:
  struct Edge {
    int to;
    int64_t left;
  };
  bool set_levels();
  int64_t push(int node, int64_t most);

  std::vector<Edge> edges_; ///< an edge and its reverse side by side
  std::vector<std::vector<int>> of_node_ = std::vector<std::vector<int>>(2);
  std::vector<int> level_;
  std::vector<size_t> next_;
};

} // namespace kolam
