// Solves the problem of data dimensions as choices in pairs: of ops, and of what values are made
// with.
#include "kolam/analysis/data_dim/problem.h"

#include <algorithm>
#include <set>

namespace kolam::analysis {
using space::kAnyDim;

bool takes(const DataDimValue& value, int asked, int dim) {
  if (asked != kAnyDim)
    return asked == dim;
  return value.shape.empty() ? dim == kAnyDim : !is_kept(dim);
}

namespace {

/// What a value may be: made with one D and at hand with more.
struct State {
  int made;              ///< place in DataDimValue::dims
  std::vector<int> more; ///< places that it is moved to
};

class Pairs {
public:
  Pairs(const DataDimProblem& problem) : problem_(problem), readers_(problem.values.size(), 0) {
    const size_t ops = problem.ops.size();
    for (const DataDimOp& op : problem.ops)
      for (int value : op.operands)
        ++readers_[value];
    for (const DataDimOp& op : problem.ops) {
      std::vector<int64_t> costs;
      for (const PricedRow& row : op.rows)
        costs.push_back(row.time);
      pairs_.nodes.push_back(std::move(costs));
    }
    find_wanted();
    for (size_t value = 0; value < problem.values.size(); ++value)
      add_value(static_cast<int>(value));
    for (size_t op = 0; op < ops; ++op)
      add_edges(static_cast<int>(op));
  }

  const PairwiseProblem& pairs() const { return pairs_; }
  const State& state(int value, int label) const { return states_[value][label]; }
  /// Of a value with one reader, which moves it on its edge.
  bool moves_on_edge(int value) const {
    return problem_.values[value].may_move && readers_[value] == 1;
  }
  int node_of(int value) const { return static_cast<int>(problem_.ops.size()) + value; }

private:
  /// The places in `dims` that some reader may ask for.
  void find_wanted() {
    wanted_.resize(problem_.values.size());
    for (const DataDimOp& op : problem_.ops)
      for (size_t at = 0; at < op.operands.size(); ++at) {
        const DataDimValue& value = problem_.values[op.operands[at]];
        for (const PricedRow& row : op.rows)
          for (size_t dim = 0; dim < value.dims.size(); ++dim)
            if (row.dims[at] == value.dims[dim])
              wanted_[op.operands[at]].insert(static_cast<int>(dim));
      }
  }

  int64_t move(int value, int from, int to) const {
    const DataDimValue& of = problem_.values[value];
    return of.relayouts[static_cast<size_t>(from) * of.dims.size() + static_cast<size_t>(to)];
  }

  void add_value(int value) {
    const int count = static_cast<int>(problem_.values[value].dims.size());
    std::vector<State> states;
    std::vector<int64_t> costs;
    for (int made = 0; made < count; ++made) {
      states.push_back({made, {}});
      costs.push_back(0);
      if (!problem_.values[value].may_move || readers_[value] < 2)
        continue;
      // Sets of moves, the smaller ones first; more than one for each reader help nobody.
      for (size_t at = states.size() - 1; at < states.size(); ++at)
        for (int to : wanted_[value]) {
          const State old = states[at];
          if (to == made || (!old.more.empty() && to <= old.more.back()) ||
              static_cast<int>(old.more.size()) >= readers_[value] ||
              move(value, made, to) >= kForbidden)
            continue;
          states.push_back(old);
          states.back().more.push_back(to);
          costs.push_back(costs[at] + move(value, made, to));
        }
    }
    states_.push_back(std::move(states));
    pairs_.nodes.push_back(std::move(costs));
  }

  void add_edges(int number) {
    const DataDimOp& op = problem_.ops[number];
    const size_t operands = op.operands.size();
    for (size_t at = 0; at < operands + op.results.size(); ++at) {
      const bool is_read = at < operands;
      const int value = is_read ? op.operands[at] : op.results[at - operands];
      PairwiseProblem::Edge edge{number, node_of(value), {}};
      for (const PricedRow& row : op.rows)
        for (const State& state : states_[value])
          edge.costs.push_back(is_read ? cost_of_read(value, row.dims[at], state)
                                       : cost_of_write(value, row.dims[at], state));
      pairs_.edges.push_back(std::move(edge));
    }
  }

  int64_t cost_of_write(int value, int asked, const State& state) const {
    const DataDimValue& of = problem_.values[value];
    return takes(of, asked, of.dims[state.made]) ? 0 : kForbidden;
  }

  int64_t cost_of_read(int value, int asked, const State& state) const {
    const DataDimValue& of = problem_.values[value];
    if (takes(of, asked, of.dims[state.made]))
      return 0;
    for (int to : state.more)
      if (takes(of, asked, of.dims[to]))
        return 0;
    if (!moves_on_edge(value))
      return kForbidden;
    auto to = std::ranges::find(of.dims, asked);
    return to == of.dims.end() ? kForbidden
                               : move(value, state.made, static_cast<int>(to - of.dims.begin()));
  }

  const DataDimProblem& problem_;
  std::vector<int> readers_;
  std::vector<std::set<int>> wanted_;
  std::vector<std::vector<State>> states_;
  PairwiseProblem pairs_;
};

} // namespace

DataDimSolution solve(const DataDimProblem& problem, const SolveLimits& limits) {
  Pairs pairs(problem);
  PairwiseSolution found = solve(pairs.pairs(), limits);
  DataDimSolution solution{found.is_possible, found.is_exact, found.total, found.bound, {}, {}, {}};
  if (!found.is_possible)
    return solution;
  for (size_t op = 0; op < problem.ops.size(); ++op)
    solution.chosen.push_back(found.labels[op]);
  auto moved = [&](int value, int from, int to) {
    const DataDimValue& of = problem.values[value];
    solution.relayouts.push_back(
        {value, of.dims[from], of.dims[to],
         of.relayouts[static_cast<size_t>(from) * of.dims.size() + static_cast<size_t>(to)]});
  };
  for (size_t value = 0; value < problem.values.size(); ++value) {
    const int number = static_cast<int>(value);
    const State& state = pairs.state(number, found.labels[pairs.node_of(number)]);
    solution.made.push_back(problem.values[value].dims[state.made]);
    for (int to : state.more)
      moved(number, state.made, to);
  }
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    for (size_t at = 0; at < op.operands.size(); ++at) {
      const int value = op.operands[at];
      const DataDimValue& of = problem.values[value];
      if (!pairs.moves_on_edge(value) || takes(of, row.dims[at], solution.made[value]))
        continue;
      auto place = [&](int dim) {
        return static_cast<int>(std::ranges::find(of.dims, dim) - of.dims.begin());
      };
      moved(value, place(solution.made[value]), place(row.dims[at]));
    }
  }
  std::ranges::sort(solution.relayouts, {},
                    [](const Relayout& of) { return std::pair(of.value, of.to); });
  return solution;
}

} // namespace kolam::analysis
