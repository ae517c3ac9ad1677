/// Choices that cost something alone and in pairs, and the least total of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kolam::analysis {

/// Bound of all costs: what may not be chosen costs this; sums stay below the largest number.
inline constexpr int64_t kForbidden = int64_t{1} << 60;

/// Nodes with labels, of which one is chosen each:
///
///     total(x) = sum over nodes of costs[node][x(node)] + sum over edges of costs[x(first),
///     x(second)]
///
/// Costs are >= 0, or kForbidden. Several edges may join two nodes.
struct PairwiseProblem {
  struct Edge {
    int first = 0, second = 0;
    std::vector<int64_t> costs; ///< by the label of `first`, then that of `second`
  };
  std::vector<std::vector<int64_t>> nodes;
  std::vector<Edge> edges;
  /// When each node is done with, where they come one after the other; else empty. A second order
  /// in which to eliminate them.
  std::vector<int> times = {};
};

struct SolveLimits {
  int sweeps = 200;                     ///< at most, for each part of the search
  size_t small_table = size_t{1} << 18; ///< of a node with two neighbours
  size_t table = size_t{1} << 22;       ///< entries of a table that eliminating a node makes
  size_t tables = size_t{1} << 28;      ///< of all of them
  size_t branches = 2000;
  size_t work = size_t{1} << 26; ///< entries of tables that sweeps look at, in all
};

struct PairwiseSolution {
  bool is_possible = false;     ///< false: no choice is allowed, or the search found none
  bool is_exact = false;        ///< nothing is cheaper, or nothing is possible
  int64_t total = 0, bound = 0; ///< no choice costs less than `bound`
  std::vector<int> labels;      ///< by node
};

/// The least total, and a choice that has it; of several the same one at each call.
///
/// Labels without a partner go first, nodes that follow from another one and those with at most two
/// neighbours next. What is left is eliminated node by node where tables stay small, that with the
/// smallest first or by times; else sweeps of sequential reparametrisation give bounds and choices,
/// by which labels go that no better choice has, and what then is left is searched. Beyond the
/// limits `is_exact` is false.
/// Sources: Kolmogorov, "Convergent tree-reweighted message passing", 2006, and "A new look at
/// reweighted message passing", 2015; Dechter, "Bucket elimination", 1999.
PairwiseSolution solve(const PairwiseProblem& problem, const SolveLimits& limits = {});

} // namespace kolam::analysis
