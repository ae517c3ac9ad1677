// Cores of random problems are conflicts, and minimal.
#include "kolam/analysis/data_dim/conflict.h"

#include <gtest/gtest.h>

#include "test/analysis/data_dim/random_problem.h"

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

} // namespace
} // namespace kolam::analysis
