// Finds the least total of a pairwise problem: reduces, sweeps, eliminates and searches.
#include "kolam/analysis/data_dim/pairwise.h"

#include "kolam/analysis/data_dim/sweeps.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

class Search {
public:
  Search(const PairwiseProblem& problem, const SolveLimits& limits)
      : limits_(limits), branches_(limits.branches), work_(limits.work) {
    best_.labels.assign(problem.nodes.size(), 0);
    best_.total = kForbidden;
  }

  PairwiseSolution run(ReducedProblem problem) {
    int64_t bound = visit(std::move(problem));
    best_.is_possible = best_.total < kForbidden;
    best_.bound = std::min(bound, best_.total);
    best_.is_exact = best_.bound >= best_.total;
    return std::move(best_);
  }

private:
  /// What no choice of this part costs less than, but for those that are not better than the best.
  int64_t visit(ReducedProblem problem) {
    int64_t bound = 0;
    while (true) {
      if (!problem.reduce(limits_))
        return kForbidden;
      if (problem.alive().empty() || problem.eliminate(limits_)) {
        offer(problem, {});
        return std::max(bound, problem.constant());
      }
      Sweeps sweeps(problem);
      bound = std::max(bound, improve(problem, sweeps));
      if (bound >= best_.total)
        return bound;
      if (work_ == 0)
        return bound;
      if (fix(problem, sweeps))
        continue;
      return std::max(bound, branch(problem, sweeps));
    }
  }

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
      work_ -= std::min(work_, sweeps.work());
      if (sweeps.best() && sweeps.best_total() < best_.total)
        offer(problem, *sweeps.best());
      if (sweeps.bound() >= best_.total || work_ == 0)
        break;
      still = sweeps.bound() > last ? 0 : still + 1;
      last = sweeps.bound();
    }
    return sweeps.bound();
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

  int64_t branch(const ReducedProblem& problem, const Sweeps& sweeps) {
    int chosen = -1;
    for (int node : problem.alive()) {
      auto key = [&](int of) {
        return std::pair(-static_cast<int64_t>(problem.live_edges(of).size()),
                         problem.nodes()[of].size());
      };
      if (problem.nodes()[node].size() > 1 && (chosen < 0 || key(node) < key(chosen)))
        chosen = node;
    }
    int64_t least = kForbidden;
    for (int place : sweeps.by_reduced_cost(chosen)) {
      if (branches_ == 0)
        return sweeps.bound();
      --branches_;
      ReducedProblem part = problem;
      std::vector<bool> keep(problem.nodes()[chosen].labels.size(), false);
      keep[place] = true;
      part.keep_labels(chosen, keep);
      least = std::min(least, visit(std::move(part)));
    }
    return least;
  }

  const SolveLimits& limits_;
  size_t branches_, work_; ///< that are left
  PairwiseSolution best_;
};

} // namespace

PairwiseSolution solve(const PairwiseProblem& problem, const SolveLimits& limits) {
  return Search(problem, limits).run(ReducedProblem(problem));
}

} // namespace kolam::analysis
