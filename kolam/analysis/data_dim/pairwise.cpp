// Finds the least total of a pairwise problem: reduces, takes apart, eliminates, sweeps and
// searches.
#include "kolam/analysis/data_dim/pairwise.h"

#include "kolam/analysis/data_dim/sweeps.h"

#include <algorithm>
#include <utility>

namespace kolam::analysis {
namespace {

/// What is left to do at most.
struct Budget {
  size_t branches, work;
};

/// The search of one problem for a choice that costs less than `cutoff`.
class Search {
public:
  Search(const SolveLimits& limits, Budget& budget, int64_t cutoff)
      : limits_(limits), budget_(budget) {
    best_.total = cutoff;
  }

  /// `bound` is at least the cutoff where there is none.
  PairwiseSolution run(ReducedProblem problem) {
    best_.bound = visit(problem);
    best_.is_exact = best_.bound >= best_.total;
    return std::move(best_);
  }

private:
  /// What no choice costs less than, but for those that are not better than the best.
  int64_t visit(ReducedProblem& problem) {
    int64_t bound = 0;
    while (true) {
      if (!problem.reduce(limits_))
        return best_.total;
      std::vector<std::vector<int>> components = problem.components();
      if (components.size() > 1)
        return std::max(bound, take_apart(problem, components));
      if (components.empty() || problem.eliminate(limits_)) {
        offer(problem, std::vector<int>(problem.nodes().size(), 0));
        return best_.total;
      }
      Sweeps sweeps(problem);
      bound = std::max(bound, improve(problem, sweeps));
      if (bound < best_.total && sweeps.best() && !std::exchange(has_polished_, true))
        polish(problem, *sweeps.best());
      if (bound >= best_.total || budget_.work == 0)
        return bound;
      if (!fix(problem, sweeps))
        return std::max(bound, branch(problem, sweeps));
    }
  }

  /// Parts that have nothing to do with one another.
  int64_t take_apart(const ReducedProblem& problem,
                     const std::vector<std::vector<int>>& components) {
    std::vector<int> places(problem.nodes().size(), 0);
    int64_t bound = problem.constant();
    bool is_possible = true;
    for (const std::vector<int>& nodes : components) {
      PairwiseSolution part =
          Search(limits_, budget_, kForbidden).run(ReducedProblem(problem.part(nodes)));
      bound = std::min(bound + part.bound, kForbidden);
      is_possible &= part.is_possible;
      for (size_t at = 0; at < nodes.size() && part.is_possible; ++at)
        places[nodes[at]] = part.labels[at];
    }
    if (is_possible)
      offer(problem, places);
    return bound;
  }

  /// A choice for the nodes that are left, by place in Node::labels.
  void offer(const ReducedProblem& problem, const std::vector<int>& places) {
    std::vector<int> labels(problem.nodes().size(), 0);
    int64_t total = problem.constant();
    for (int node : problem.alive()) {
      labels[node] = problem.nodes()[node].labels[places[node]];
      total += problem.nodes()[node].costs[places[node]];
      for (int number : problem.live_edges(node))
        if (const auto& edge = problem.edges()[number]; edge.first == node)
          total = std::min(total + problem.cost(edge, node, places[node], places[edge.second]),
                           kForbidden);
    }
    if (total >= best_.total)
      return;
    best_.is_possible = true;
    best_.total = total;
    best_.labels = problem.complete(std::move(labels));
  }

  /// Sweeps until bound and choice meet, or the bound rises no more.
  int64_t improve(const ReducedProblem& problem, Sweeps& sweeps) {
    // Assumed: the bound stands still for some sweeps before it rises again.
    constexpr int kPatience = 8;
    int64_t last = -1;
    for (int sweep = 0, still = 0; sweep < limits_.sweeps && still < kPatience; ++sweep) {
      sweeps.sweep();
      budget_.work -= std::min(budget_.work, sweeps.work());
      if (sweeps.best() && sweeps.best_total() < best_.total)
        offer(problem, *sweeps.best());
      if (sweeps.bound() >= best_.total || budget_.work == 0)
        break;
      still = sweeps.bound() > last ? 0 : still + 1;
      last = sweeps.bound();
    }
    return sweeps.bound();
  }

  /// Improves a choice window by window of neighbouring nodes, each as well as it goes beside the
  /// others as they are.
  void polish(const ReducedProblem& problem, std::vector<int> places) {
    // Bounds: a window takes milliseconds; each node is in two.
    constexpr size_t kWindow = 48, kWindowWork = size_t{1} << 18, kWindowTables = size_t{1} << 20;
    SolveLimits limits = limits_;
    limits.tables = std::min(limits.tables, kWindowTables);
    std::vector<int> nodes = problem.alive();
    if (nodes.size() <= kWindow)
      return;
    for (size_t first = 0; first + kWindow / 2 < nodes.size(); first += kWindow / 2) {
      std::vector<int> window(
          nodes.begin() + static_cast<std::ptrdiff_t>(first),
          nodes.begin() + static_cast<std::ptrdiff_t>(std::min(first + kWindow, nodes.size())));
      Budget budget{16, kWindowWork};
      PairwiseSolution better =
          Search(limits, budget, kForbidden).run(ReducedProblem(problem.part(window, places)));
      budget_.work -= std::min(budget_.work, kWindowWork / 16);
      for (size_t at = 0; at < window.size() && better.is_possible; ++at)
        places[window[at]] = better.labels[at];
    }
    offer(problem, places);
  }

  /// Removes labels that no better choice has; false where there are none.
  bool fix(ReducedProblem& problem, const Sweeps& sweeps) const {
    if (best_.total >= kForbidden)
      return false;
    bool has_fixed = false;
    for (int node : problem.alive()) {
      std::vector<bool> keep = sweeps.may_be_better(node, best_.total);
      if (std::ranges::count(keep, true) == std::ssize(keep))
        continue;
      problem.keep_labels(node, keep); // none left: nothing here is better, which reduce finds
      has_fixed = true;
    }
    return has_fixed;
  }

  /// Tries the labels of the node with the most neighbours, of those that with the fewest labels.
  int64_t branch(const ReducedProblem& problem, const Sweeps& sweeps) {
    int chosen = -1;
    auto key = [&](int node) {
      return std::pair(-std::ssize(problem.live_edges(node)), problem.nodes()[node].size());
    };
    for (int node : problem.alive())
      if (problem.nodes()[node].size() > 1 && (chosen < 0 || key(node) < key(chosen)))
        chosen = node;
    int64_t least = kForbidden;
    for (int place : sweeps.by_reduced_cost(chosen)) {
      if (budget_.branches == 0 || budget_.work == 0)
        return sweeps.bound();
      --budget_.branches;
      budget_.work -= std::min(budget_.work, sweeps.work()); // its copy
      ReducedProblem part = problem;
      std::vector<bool> keep(problem.nodes()[chosen].labels.size(), false);
      keep[place] = true;
      part.keep_labels(chosen, keep);
      least = std::min(least, visit(part));
    }
    return least;
  }

  const SolveLimits& limits_;
  Budget& budget_;
  bool has_polished_ = false; ///< which pays for the first choice
  PairwiseSolution best_;
};

} // namespace

PairwiseSolution solve(const PairwiseProblem& problem, const SolveLimits& limits) {
  Budget budget{limits.branches, limits.work};
  PairwiseSolution found = Search(limits, budget, kForbidden).run(ReducedProblem(problem));
  found.bound = std::min(found.bound, found.total);
  return found;
}

} // namespace kolam::analysis
