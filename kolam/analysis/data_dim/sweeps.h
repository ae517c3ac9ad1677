/// Bounds and choices of a pairwise problem by sequential reparametrisation.
#pragma once

#include "kolam/analysis/data_dim/reduced_problem.h"

#include <optional>

namespace kolam::analysis {

/// Messages between the nodes of a reduced problem, improved sweep by sweep, forwards and backwards
/// in the order of their numbers:
///
///     m(s, t)(y) = min over x of ( g(s) cost(s)(x) - m(t, s)(x) + edge(x, y) )
///
/// where cost(s) holds the node's costs and all messages to it, and g(s) is the larger number of
/// its neighbours on one side, inverted. Costs are counted in parts of one, so that all is exact in
/// integers; the bound is the sum of what every node and edge costs at least.
class Sweeps {
public:
  explicit Sweeps(const ReducedProblem& problem);

  /// One sweep in both directions; raises the bound and may find a better choice.
  void sweep();
  /// Entries of tables that a sweep looks at.
  size_t work() const { return work_; }
  /// No choice costs less.
  int64_t bound() const;
  /// The best choice found, with its cost; labels by place in Node::labels, by node number.
  const std::optional<std::vector<int>>& best() const { return best_; }
  int64_t best_total() const { return best_total_; }
  /// The labels of a node that a choice of less than `total` may have.
  std::vector<bool> may_be_better(int node, int64_t total) const;
  /// The labels of a node, first those that add least to the bound.
  std::vector<int> by_reduced_cost(int node) const;

private:
  struct Link {
    int edge, other;
  };
  /// Assumed to be small enough: messages are shares of costs.
  static constexpr int64_t kParts = 1024;

  void pass(bool forwards);
  std::vector<int64_t> potential(int node) const;
  int64_t cost(int edge, int node, int own, int other) const;
  void choose(int node, bool forwards);
  void keep_choice();

  const ReducedProblem& problem_;
  std::vector<int> order_;
  std::vector<std::vector<Link>> links_;
  /// To the first and to the second node of an edge.
  std::vector<std::vector<int64_t>> to_first_, to_second_;
  std::vector<std::vector<int64_t>> reduced_;
  std::vector<int> choice_;
  std::optional<std::vector<int>> best_;
  int64_t best_total_ = kForbidden;
  size_t work_ = 0;
  int64_t bound_ = 0, last_bound_ = 0; ///< the highest, and that of the last pass; in parts
};

} // namespace kolam::analysis
