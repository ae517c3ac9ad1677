// Cores of random problems are conflicts, and minimal.
#include "kolam/analysis/data_dim/conflict.h"

#include <gtest/gtest.h>

#include "test/analysis/data_dim/random_problem.h"

#include <functional>

namespace kolam::analysis {
namespace {

bool is_possible(const DataDimProblem& problem, const std::vector<ConflictMember>& members,
                 const std::vector<int>& chosen) {
  DataDimProblem part = problem;
  part.ops.clear();
  for (int member : chosen)
    for (int op : members[member].ops)
      part.ops.push_back(problem.ops[op]);
  return solve(part).is_possible;
}

TEST(DataDimConflict, CoresAreMinimal) {
  int conflicts = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    DataDimProblem problem = test::RandomDataDims(seed).make(LayoutMode::strict);
    std::vector<ConflictMember> members = conflict_members(problem);
    std::vector<int> core = conflict_core(problem, members);
    ASSERT_EQ(core.empty(), solve(problem).is_possible) << "seed " << seed;
    if (core.empty())
      continue;
    ++conflicts;
    ASSERT_FALSE(is_possible(problem, members, core)) << "seed " << seed;
    for (size_t without = 0; without < core.size(); ++without) {
      std::vector<int> rest = core;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(without));
      ASSERT_TRUE(is_possible(problem, members, rest)) << "seed " << seed;
    }
    ASSERT_EQ(core, conflict_core(problem, members)) << "seed " << seed;
  }
  EXPECT_GT(conflicts, 500);
}

TEST(DataDimConflict, OpsOfACallAreOneMember) {
  DataDimProblem problem;
  problem.ops.resize(4);
  for (DataDimOp& op : problem.ops)
    op.where = {"model.py", 3}; // one line may hold several calls
  problem.ops[0].call = problem.ops[2].call = 7;
  problem.ops[1].call = 8;
  problem.ops[3].kind = DataDimOp::Kind::argument;
  std::vector<ConflictMember> members = conflict_members(problem);
  ASSERT_EQ(members.size(), 2u) << "a free argument is none";
  EXPECT_EQ(members[0].ops, (std::vector<int>{0, 2}));
  EXPECT_EQ(members[1].ops, (std::vector<int>{1}));
}

/// A value handed on from op to op, pinned to one D in front and to another behind. `line_of` and
/// the number of an op give its line and its call.
DataDimProblem chain(int ops, const std::function<int(int)>& line_of) {
  DataDimProblem problem;
  for (int value = 0; value <= ops; ++value) {
    problem.values.push_back({});
    problem.values.back().shape.assign(2, Extent(4));
    problem.values.back().dims = {0, 1};
  }
  for (int number = 0; number < ops; ++number) {
    DataDimOp op;
    op.where = {"model.py", line_of(number)};
    op.call = number;
    op.operands = {number};
    op.results = {number + 1};
    op.rows = {{{0, 0}}, {{1, 1}}};
    problem.ops.push_back(std::move(op));
  }
  for (int end : {0, ops}) {
    DataDimOp pin;
    pin.kind = DataDimOp::Kind::pin;
    pin.is_pinned = true;
    pin.operands = {end};
    pin.rows = {{{end == 0 ? 0 : 1}}};
    problem.ops.push_back(std::move(pin));
  }
  return problem;
}

TEST(DataDimConflict, AFewCallsOfALargeProgramAreFoundAtOnce) {
  DataDimProblem problem = chain(10000, [](int) { return 3; });
  problem.ops.back().operands = {40};
  EXPECT_EQ(find_conflict(problem).core.size(), 42u) << "calls, though all are on one line";
}

TEST(DataDimConflict, CallsOfALargeProgramAreFound) {
  // The first 100 ops are the conflict: the value behind them is pinned.
  DataDimProblem problem = chain(400, [](int number) { return number / 10; });
  problem.ops.back().operands = {100};
  Conflict conflict = find_conflict(problem);
  EXPECT_EQ(conflict.core.size(), 102u) << "calls";
}

TEST(DataDimConflict, LongLoopsStayLines) {
  Conflict conflict = find_conflict(chain(10000, [](int) { return 3; }));
  EXPECT_EQ(conflict.core.size(), 3u) << "the line and two pins";
}

} // namespace
} // namespace kolam::analysis
