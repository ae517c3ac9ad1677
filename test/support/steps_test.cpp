// Steps that do work have numbers, in the order of the tree.
#include "kolam/support/steps.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(Steps, HaveNumbersInTheOrderOfTheTree) {
  BindStep grows{Size(Extent::symbol("n"))}, binds = grows;
  grows.grown = 1;
  LoopStep loop;
  loop.body = {{CopyStep{0, 1}}, {SwapStep{0, 1}}, {grows}, {binds}};
  WhileStep repeat{{{NestStep{0, {}, {}, Extent(1)}}}, 0, {{CallStep{"f", {}}}}};
  BranchStep branch{0, {{{CopyStep{0, 1}}}, {{RowStep{RowFunction::sort, 0, 1, 2}}}}};
  StepProgram program;
  program.steps = {{loop}, {repeat}, {branch}, {CopyStep{0, 1}}};
  number_steps(program);
  EXPECT_EQ(program.numbered, 7);
  const auto& body = std::get<LoopStep>(program.steps[0].what).body;
  EXPECT_EQ(body[0].number, 0);
  EXPECT_EQ(body[1].number, -1);
  EXPECT_EQ(body[2].number, 1);
  EXPECT_EQ(body[3].number, -1);
  const auto& whole = std::get<WhileStep>(program.steps[1].what);
  EXPECT_EQ(whole.condition[0].number, 2);
  EXPECT_EQ(whole.body[0].number, 3);
  const auto& sides = std::get<BranchStep>(program.steps[2].what).branches;
  EXPECT_EQ(sides[0][0].number, 4);
  EXPECT_EQ(sides[1][0].number, 5);
  EXPECT_EQ(program.steps[0].number, -1);
  EXPECT_EQ(program.steps[3].number, 6);
}

} // namespace
} // namespace kolam
