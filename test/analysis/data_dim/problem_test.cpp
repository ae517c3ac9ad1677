// The least total of random problems beside all choices of rows and relayouts.
#include "kolam/analysis/data_dim/problem.h"

#include <gtest/gtest.h>

#include "test/analysis/data_dim/random_problem.h"

#include <set>

namespace kolam::analysis {
namespace {

/// Tries every row of every op, op by op; values are moved when a row asks for another D.
class AllChoices {
public:
  explicit AllChoices(const DataDimProblem& problem) : problem_(problem) {
    at_hand_.resize(problem.values.size());
  }

  int64_t least() {
    visit(0, 0);
    return least_;
  }

private:
  void visit(size_t number, int64_t total) {
    if (total >= least_)
      return;
    if (number == problem_.ops.size()) {
      least_ = total;
      return;
    }
    const DataDimOp& op = problem_.ops[number];
    for (const PricedRow& row : op.rows) {
      const auto before = at_hand_;
      const auto made_before = made_;
      if (auto moves = take(op, row)) {
        for (size_t at = 0; at < op.results.size(); ++at) {
          made_[op.results[at]] = row.dims[op.operands.size() + at];
          at_hand_[op.results[at]] = {row.dims[op.operands.size() + at]};
        }
        visit(number + 1, total + row.time + *moves);
      }
      at_hand_ = before;
      made_ = made_before;
    }
  }

  /// What moving the operands costs; none where they may not be.
  std::optional<int64_t> take(const DataDimOp& op, const PricedRow& row) {
    int64_t cost = 0;
    for (size_t at = 0; at < op.operands.size(); ++at) {
      const int value = op.operands[at], asked = row.dims[at];
      if (asked == space::kAnyDim || at_hand_[value].contains(asked))
        continue;
      const DataDimValue& of = problem_.values[value];
      if (!of.may_move)
        return std::nullopt;
      cost += of.relayouts[static_cast<size_t>(made_.at(value)) * of.dims.size() +
                           static_cast<size_t>(asked)];
      at_hand_[value].insert(asked);
    }
    return cost;
  }

  const DataDimProblem& problem_;
  std::vector<std::set<int>> at_hand_;
  std::map<int, int> made_;
  int64_t least_ = kForbidden;
};

/// What the rows and relayouts of a solution cost, and that every row gets the D that it asks for.
int64_t checked_total(const DataDimProblem& problem, const DataDimSolution& solution) {
  int64_t total = 0;
  std::vector<std::set<int>> at_hand;
  for (int made : solution.made)
    at_hand.push_back({made});
  for (const Relayout& relayout : solution.relayouts) {
    EXPECT_EQ(relayout.from, solution.made[relayout.value]);
    at_hand[relayout.value].insert(relayout.to);
    total += relayout.time;
  }
  for (size_t number = 0; number < problem.ops.size(); ++number) {
    const DataDimOp& op = problem.ops[number];
    const PricedRow& row = op.rows[solution.chosen[number]];
    total += row.time;
    for (size_t at = 0; at < op.operands.size(); ++at)
      if (row.dims[at] != space::kAnyDim)
        EXPECT_TRUE(at_hand[op.operands[at]].contains(row.dims[at]));
    for (size_t at = 0; at < op.results.size(); ++at)
      EXPECT_EQ(solution.made[op.results[at]], row.dims[op.operands.size() + at]);
  }
  return total;
}

void expect_least(unsigned seed, LayoutMode mode, const SolveLimits& limits) {
  DataDimProblem problem = test::RandomDataDims(seed).make(mode);
  const int64_t least = AllChoices(problem).least();
  DataDimSolution solution = solve(problem, limits);
  ASSERT_TRUE(solution.is_exact) << "seed " << seed;
  ASSERT_EQ(solution.is_possible, least < kForbidden) << "seed " << seed;
  if (!solution.is_possible)
    return;
  ASSERT_EQ(solution.total, least) << "seed " << seed;
  ASSERT_EQ(checked_total(problem, solution), least) << "seed " << seed;
}

TEST(DataDimProblem, LeastOfRandomPrograms) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    expect_least(seed, LayoutMode::strict, {});
    expect_least(seed, LayoutMode::repair, {});
  }
}

TEST(DataDimProblem, SweepsFindIt) {
  for (unsigned seed = 0; seed < 500; ++seed)
    expect_least(seed, LayoutMode::repair, {.table = 4});
}

TEST(DataDimProblem, RepairRefusesNothing) {
  for (unsigned seed = 0; seed < 300; ++seed)
    ASSERT_TRUE(solve(test::RandomDataDims(seed).make(LayoutMode::repair)).is_possible)
        << "seed " << seed;
}

} // namespace
} // namespace kolam::analysis
