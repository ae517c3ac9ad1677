// Finds minimal conflicts by CaDiCaL and deletion.
#include "kolam/analysis/data_dim/conflict.h"

#include <cadical.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace kolam::analysis {
namespace {

using space::kAnyDim;

/// Bound: orders in which members are taken away.
constexpr unsigned kOrders = 32;
/// Bound: of programs with more members only those of the first core are looked at.
constexpr size_t kSmallProgram = 200;

class Clauses {
public:
  /// Of these members, and the values that they touch.
  Clauses(const DataDimProblem& problem, const std::vector<ConflictMember>& members,
          const std::vector<int>& chosen)
      : first_(problem.values.size(), 0), assumptions_(members.size(), 0) {
    for (int member : chosen) {
      for (int op : members[member].ops)
        for (const std::vector<int>* touched :
             {&problem.ops[op].operands, &problem.ops[op].results})
          for (int value : *touched)
            add_value(value, problem.values[value]);
      assumptions_[member] = next_++;
      for (int op : members[member].ops)
        add_op(problem, problem.ops[op], assumptions_[member]);
    }
  }

  /// Whether these members contradict one another; then those of them that the solver needed.
  std::optional<std::vector<int>> core_of(const std::vector<int>& members) {
    for (int member : members)
      solver_.assume(assumptions_[member]);
    constexpr int kUnsatisfiable = 20; // format: what all solvers of clauses answer then
    if (solver_.solve() != kUnsatisfiable)
      return std::nullopt;
    std::vector<int> needed;
    for (int member : members)
      if (solver_.failed(assumptions_[member]))
        needed.push_back(member);
    return needed;
  }

private:
  void clause(const std::vector<int>& literals) {
    for (int literal : literals)
      solver_.add(literal);
    solver_.add(0);
  }

  /// Exactly one D.
  void add_value(int value, const DataDimValue& of) {
    if (first_[value] != 0)
      return;
    first_[value] = next_;
    next_ += static_cast<int>(of.dims.size());
    std::vector<int> any;
    for (int dim = 0; dim < static_cast<int>(of.dims.size()); ++dim) {
      any.push_back(first_[value] + dim);
      for (int other = 0; other < dim; ++other)
        clause({-(first_[value] + dim), -(first_[value] + other)});
    }
    clause(any);
  }

  /// The D of the value that a row asks for; what none can be forbids the row.
  void add_demand(const DataDimProblem& problem, int value, int asked, int row) {
    const DataDimValue& of = problem.values[value];
    std::vector<int> allowed{-row};
    for (size_t dim = 0; dim < of.dims.size(); ++dim)
      if (takes(of, asked, of.dims[dim]))
        allowed.push_back(first_[value] + static_cast<int>(dim));
    if (allowed.size() <= of.dims.size())
      clause(allowed);
  }

  void add_op(const DataDimProblem& problem, const DataDimOp& op, int assumption) {
    std::vector<int> any{-assumption};
    for (const PricedRow& row : op.rows) {
      const int chosen = next_++;
      any.push_back(chosen);
      for (size_t at = 0; at < row.dims.size(); ++at)
        add_demand(problem,
                   at < op.operands.size() ? op.operands[at] : op.results[at - op.operands.size()],
                   row.dims[at], chosen);
    }
    clause(any);
  }

  CaDiCaL::Solver solver_;
  std::vector<int> first_, assumptions_;
  int next_ = 1;
};

/// Without any one member what is left has a solution.
std::vector<int> minimal(Clauses& clauses, std::vector<int> core, std::mt19937* random) {
  std::vector<int> candidates = core;
  if (random)
    for (size_t at = candidates.size(); at > 1; --at)
      std::swap(candidates[at - 1], candidates[(*random)() % at]);
  std::set<int> kept(core.begin(), core.end());
  for (int member : candidates) {
    if (!kept.contains(member))
      continue;
    std::vector<int> rest;
    for (int other : kept)
      if (other != member)
        rest.push_back(other);
    if (auto smaller = clauses.core_of(rest))
      kept = {smaller->begin(), smaller->end()};
  }
  return {kept.begin(), kept.end()};
}

} // namespace

std::vector<ConflictMember> conflict_members(const DataDimProblem& problem, MemberKind kind) {
  std::vector<ConflictMember> members;
  std::map<std::tuple<std::string, int, int>, size_t> known;
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const bool is_call = op.kind == DataDimOp::Kind::op;
    if (!is_call && !op.is_pinned)
      continue; // every D is allowed
    if (is_call && op.call >= 0) {
      const int call = kind == MemberKind::calls ? op.call : 0;
      auto [found, is_new] =
          known.try_emplace({op.where.file, op.where.line, call}, members.size());
      if (!is_new) {
        members[found->second].ops.push_back(static_cast<int>(number));
        continue;
      }
    }
    members.push_back({{static_cast<int>(number)}});
  }
  return members;
}

namespace {

/// Members that contradict one another: those that the solver needed; none where it found a choice.
std::vector<int> first_core(const DataDimProblem& problem,
                            const std::vector<ConflictMember>& members) {
  std::vector<int> all;
  for (size_t member = 0; member < members.size(); ++member)
    all.push_back(static_cast<int>(member));
  return Clauses(problem, members, all).core_of(all).value_or(std::vector<int>());
}

/// Of a large program only what is left goes on, with clauses of its own.
std::vector<int> minimal_core(const DataDimProblem& problem,
                              const std::vector<ConflictMember>& members, std::vector<int> core) {
  std::vector<int> left = core;
  if (members.size() <= kSmallProgram) {
    left.resize(members.size());
    std::iota(left.begin(), left.end(), 0);
  }
  Clauses clauses(problem, members, left);
  for (auto smaller = clauses.core_of(core); smaller && smaller->size() < core.size();
       smaller = clauses.core_of(core))
    core = *smaller;
  std::vector<int> best = minimal(clauses, core, nullptr);
  const unsigned orders = left.size() <= kSmallProgram ? kOrders : 1;
  for (unsigned order = 1; order < orders; ++order) {
    std::mt19937 random(order);
    std::vector<int> found = minimal(clauses, left, &random);
    if (found.size() < best.size())
      best = std::move(found);
  }
  return best;
}

} // namespace

std::vector<int> conflict_core(const DataDimProblem& problem,
                               const std::vector<ConflictMember>& members) {
  std::vector<int> core = first_core(problem, members);
  return core.empty() ? core : minimal_core(problem, members, std::move(core));
}

Conflict find_conflict(const DataDimProblem& problem) {
  Conflict calls{conflict_members(problem), {}};
  calls.core = first_core(problem, calls.members);
  if (calls.core.size() <= kSmallProgram) { // else one by one takes long
    calls.core = minimal_core(problem, calls.members, std::move(calls.core));
    return calls;
  }
  Conflict lines{conflict_members(problem, MemberKind::lines), {}};
  lines.core = conflict_core(problem, lines.members);
  std::set<int> left;
  for (int line : lines.core)
    left.insert(lines.members[line].ops.begin(), lines.members[line].ops.end());
  std::erase_if(calls.members,
                [&](const ConflictMember& call) { return !left.contains(call.ops[0]); });
  if (calls.members.size() > kSmallProgram)
    return lines;
  calls.core = conflict_core(problem, calls.members);
  return calls;
}

} // namespace kolam::analysis
