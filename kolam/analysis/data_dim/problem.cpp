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

/// The D with which a value is at hand, as places in DataDimValue::dims, in order.
using AtHand = std::vector<int>;

class Pairs {
public:
  Pairs(const DataDimProblem& problem)
      : problem_(problem), readers_(problem.values.size(), 0), writers_(problem.values.size(), 0) {
    const size_t ops = problem.ops.size();
    for (const DataDimOp& op : problem.ops) {
      for (int value : op.operands)
        ++readers_[value];
      for (int value : op.results)
        ++writers_[value];
    }
    for (const DataDimOp& op : problem.ops) {
      std::vector<int64_t> costs;
      for (const PricedRow& row : op.rows)
        costs.push_back(row.time);
      pairs_.nodes.push_back(std::move(costs));
    }
    find_wanted();
    at_hand_.resize(problem.values.size());
    nodes_.resize(problem.values.size());
    // Sets last: a choice of all before them, one by one, leaves each a set that has what is asked.
    for (bool has_sets : {false, true})
      for (size_t value = 0; value < problem.values.size(); ++value)
        if (may_have_more(static_cast<int>(value)) == has_sets)
          add_value(static_cast<int>(value));
    for (size_t op = 0; op < ops; ++op)
      add_edges(static_cast<int>(op));
    // An op when it runs, a value with its last reader.
    pairs_.times.resize(pairs_.nodes.size(), 0);
    for (size_t op = 0; op < ops; ++op) {
      pairs_.times[op] = static_cast<int>(op);
      for (const std::vector<int>* touched : {&problem.ops[op].operands, &problem.ops[op].results})
        for (int value : *touched)
          pairs_.times[node_of(value)] = static_cast<int>(op);
    }
  }

  const PairwiseProblem& pairs() const { return pairs_; }
  const AtHand& at_hand(int value, int label) const { return at_hand_[value][label]; }
  /// Of these the one that a value is made with where a row gives `asked`: from there the others
  /// cost least.
  int made(int value, int asked, const AtHand& at_hand) const {
    return cheapest(value, asked, at_hand).made;
  }
  /// Of a value with one reader, which moves it on its edge.
  bool moves_on_edge(int value) const {
    return problem_.values[value].may_move && readers_[value] == 1;
  }
  int node_of(int value) const { return nodes_[value]; }

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

  /// One label for each set of D at hand, the smaller ones first. What they cost depends on the D
  /// that the op made, so that stands on its edge: a label for each pair would be more by far.
  void add_value(int value) {
    const int count = static_cast<int>(problem_.values[value].dims.size());
    std::vector<AtHand> sets;
    for (int made = 0; made < count; ++made)
      sets.push_back({made});
    // More moves than readers help nobody.
    for (size_t at = 0; may_have_more(value) && at < sets.size(); ++at)
      for (int dim = sets[at].back() + 1; dim < count; ++dim) {
        AtHand set = sets[at];
        set.push_back(dim);
        if (static_cast<int>(set.size()) <= readers_[value] + 1 && helps(value, set))
          sets.push_back(std::move(set));
      }
    nodes_[value] = static_cast<int>(pairs_.nodes.size());
    pairs_.nodes.push_back(std::vector<int64_t>(sets.size(), 0));
    at_hand_[value] = std::move(sets);
  }

  bool may_have_more(int value) const {
    return problem_.values[value].may_move && readers_[value] > 1 && writers_[value] == 1;
  }

  /// Whether readers may ask for all of it but for one, with which it is made.
  bool helps(int value, const AtHand& set) const {
    return std::ranges::count_if(set, [&](int dim) { return !wanted_[value].contains(dim); }) <= 1;
  }

  void add_edges(int number) {
    const DataDimOp& op = problem_.ops[number];
    const size_t operands = op.operands.size();
    for (size_t at = 0; at < operands + op.results.size(); ++at) {
      const bool is_read = at < operands;
      const int value = is_read ? op.operands[at] : op.results[at - operands];
      PairwiseProblem::Edge edge{number, node_of(value), {}};
      for (const PricedRow& row : op.rows)
        for (const AtHand& set : at_hand_[value])
          edge.costs.push_back(is_read ? cost_of_read(value, row.dims[at], set)
                                       : cheapest(value, row.dims[at], set).cost);
      pairs_.edges.push_back(std::move(edge));
    }
  }

  struct Made {
    int made = -1;
    int64_t cost = kForbidden;
  };
  Made cheapest(int value, int asked, const AtHand& set) const {
    Made best;
    for (int made : set) {
      if (!takes(problem_.values[value], asked, problem_.values[value].dims[made]))
        continue;
      int64_t cost = 0;
      for (int to : set)
        cost = std::min(kForbidden, cost + (to == made ? 0 : move(value, made, to)));
      if (cost < best.cost)
        best = {made, cost};
    }
    return best;
  }

  int64_t cost_of_read(int value, int asked, const AtHand& set) const {
    const DataDimValue& of = problem_.values[value];
    for (int dim : set)
      if (takes(of, asked, of.dims[dim]))
        return 0;
    if (!moves_on_edge(value))
      return kForbidden;
    auto to = std::ranges::find(of.dims, asked);
    return to == of.dims.end() ? kForbidden
                               : move(value, set[0], static_cast<int>(to - of.dims.begin()));
  }

  const DataDimProblem& problem_;
  std::vector<int> readers_, writers_;
  std::vector<int> nodes_; ///< by value
  std::vector<std::set<int>> wanted_;
  std::vector<std::vector<AtHand>> at_hand_;
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
  for (size_t value = 0; value < problem.values.size(); ++value) { // of those that no op makes
    const int number = static_cast<int>(value);
    const AtHand& set = pairs.at_hand(number, found.labels[pairs.node_of(number)]);
    solution.made.push_back(problem.values[value].dims[set[0]]);
  }
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    for (size_t at = 0; at < op.results.size(); ++at) {
      const int value = op.results[at];
      const AtHand& set = pairs.at_hand(value, found.labels[pairs.node_of(value)]);
      const int made = pairs.made(value, row.dims[op.operands.size() + at], set);
      solution.made[value] = problem.values[value].dims[made];
      for (int to : set)
        if (to != made)
          moved(value, made, to);
    }
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
