/// A pairwise problem that loses labels and nodes without losing its least total.
#pragma once

#include "kolam/analysis/data_dim/pairwise.h"

#include <set>

namespace kolam::analysis {

class ReducedProblem {
public:
  struct Edge {
    int first, second;
    std::vector<int64_t> costs;
    bool is_alive = true;
  };
  struct Node {
    std::vector<int64_t> costs;
    std::vector<int> labels; ///< those that are left, as numbered in the problem
    std::vector<int> edges;  ///< dead ones among them
    int time = 0;            ///< PairwiseProblem::times
    bool is_alive = true;
    int size() const { return static_cast<int>(labels.size()); }
  };

  explicit ReducedProblem(const PairwiseProblem& problem);

  /// Removes labels without a partner, then nodes that another one decides and nodes with at most
  /// two neighbours, until none is left to remove. False where no choice is left.
  bool reduce(const SolveLimits& limits);
  /// Removes all nodes, where no table on the way is larger than the limit; else none.
  bool eliminate(const SolveLimits& limits);
  /// Keeps only the labels of a node, by their places in `Node::labels`, for which `keep` says so.
  void keep_labels(int node, const std::vector<bool>& keep);

  /// The nodes that are left, in order.
  std::vector<int> alive() const;
  /// These, in parts that no edge joins.
  std::vector<std::vector<int>> components() const;
  /// What is left of some nodes, in order, with labels by place in Node::labels: beside the others
  /// as `places` chooses them, which may be left out where no edge goes to them.
  PairwiseProblem part(const std::vector<int>& nodes, const std::vector<int>& places = {}) const;
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// What all nodes that are gone cost at least, in every choice of the others.
  int64_t constant() const { return constant_; }
  /// The labels of all nodes, from those of the nodes that are left (as numbered in the problem).
  std::vector<int> complete(std::vector<int> labels) const;
  int neighbour(const Edge& edge, int node) const {
    return edge.first == node ? edge.second : edge.first;
  }
  int64_t cost(const Edge& edge, int node, int own, int other) const {
    return edge.first == node
               ? edge.costs[static_cast<size_t>(own) * nodes_[edge.second].labels.size() +
                            static_cast<size_t>(other)]
               : edge.costs[static_cast<size_t>(other) * nodes_[edge.second].labels.size() +
                            static_cast<size_t>(own)];
  }
  std::vector<int> live_edges(int node) const;

private:
  using Label = uint16_t; ///< as numbered in the problem; tables of them are large

  /// The best label of a node for all labels of those that it had to do with.
  struct Gone {
    int node;
    std::vector<int> scope;
    std::vector<std::vector<int>> scope_labels;
    std::vector<Label> best; ///< row-major over the scope's labels then
  };
  struct Factor {
    std::vector<int> scope;
    std::vector<int64_t> costs;
  };

  void add_edge(int first, int second, std::vector<int64_t> costs);
  /// Why a node is looked at again: it has fewer edges, or its labels may have lost a partner.
  enum class Change : uint8_t { edges, labels };
  void touch(int node, Change change);
  bool prune(int node);
  /// Labels of `node` as a function of those of its neighbour; empty where they are none.
  std::vector<int> decided_by(int node, const Edge& edge) const;
  bool merge(int node);
  bool eliminate_small(int node, const SolveLimits& limits);
  void remove(int node);
  struct Order {
    std::vector<int> nodes; ///< empty where tables are too large
    double entries = 0;     ///< of all tables
  };
  enum class First : uint8_t { smallest, earliest };
  Order elimination_order(const SolveLimits& limits, First first) const;
  /// Joins what is known of a node into one factor over the others, and keeps its best labels.
  Factor joined(int node, const std::vector<Factor>& factors, const std::set<int>& own);

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Gone> gone_;
  std::vector<int> queue_;
  std::vector<bool> is_queued_, needs_partners_;
  int64_t constant_ = 0;
  bool has_times_;
};

} // namespace kolam::analysis
