#include "kolam/analysis/neighbour_steps.h"

#include "kolam/ir/ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

/// The step of what a program of one result gives along its last dim; nullopt where none is seen.
std::optional<int64_t> step_of(const std::string& body) {
  mlir::MLIRContext context;
  context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(
          R"(func.func @main(%x: tensor<90xi32>, %k: tensor<i32>) -> tensor<90xi32> {
  %i = kolam.iota 0 : tensor<90xi32>
  %two = kolam.constant dense<2> : tensor<90xi32>
  %zero = kolam.constant dense<0> : tensor<90xi32>
  %n = kolam.broadcast %k [] : tensor<i32> -> tensor<90xi32>
)" + body + "\n  return %r : tensor<90xi32>\n}",
          &context);
  EXPECT_TRUE(module);
  auto function = llvm::cast<mlir::func::FuncOp>(*module->getBody()->begin());
  return neighbour_step(function.getBody().front().getTerminator()->getOperand(0), 0);
}

std::string op(const std::string& name, const std::string& fn, const std::string& operands) {
  const std::string type = fn == "less" ? "i1" : "i32";
  return name + " = kolam.elementwise \"" + fn + "\" " + operands +
         " : (tensor<90xi32>, tensor<90xi32>) -> tensor<90x" + type + ">\n";
}

std::string where(const std::string& operands) {
  return "%r = kolam.elementwise \"where\" " + operands +
         " : (tensor<90xi1>, tensor<90xi32>, tensor<90xi32>) -> tensor<90xi32>";
}

TEST(NeighbourSteps, SumsWithWhatIsTheSame) {
  EXPECT_EQ(step_of(op("%r", "add", "%i, %n")), 1);
  EXPECT_EQ(step_of(op("%r", "subtract", "%n, %i")), -1);
  EXPECT_EQ(step_of(op("%r", "add", "%i, %i")), 2);
  EXPECT_EQ(step_of(op("%r", "add", "%n, %two")), 0);
  EXPECT_EQ(step_of(op("%r", "add", "%i, %x")), std::nullopt); // data
}

TEST(NeighbourSteps, ClippedOrModulo) {
  EXPECT_EQ(step_of(op("%r", "minimum", "%i, %n")), 1);
  EXPECT_EQ(step_of(op("%r", "remainder", "%i, %n")), 1);
  EXPECT_EQ(step_of(op("%m", "minimum", "%i, %n") + op("%r", "remainder", "%m, %two")),
            std::nullopt);
  EXPECT_EQ(step_of(op("%m", "remainder", "%i, %n") + op("%r", "minimum", "%m, %two")),
            std::nullopt);
  EXPECT_EQ(step_of(op("%m", "subtract", "%n, %i") + op("%r", "minimum", "%m, %i")), std::nullopt);
}

TEST(NeighbourSteps, JumpsWhereNumbersAreBelowZero) {
  const std::string moved = op("%a", "subtract", "%i, %two"), back = op("%b", "add", "%a, %n");
  EXPECT_EQ(step_of(moved + back + op("%c", "less", "%a, %zero") + where("%c, %b, %a")), 1);
  EXPECT_EQ(step_of(moved + back + op("%c", "less", "%a, %two") + where("%c, %b, %a")),
            std::nullopt);
  EXPECT_EQ(step_of(moved + back + op("%c", "less", "%x, %zero") + where("%c, %b, %a")),
            std::nullopt);
  EXPECT_EQ(step_of(moved + op("%c", "less", "%a, %zero") + where("%c, %i, %n")), std::nullopt);
  // What is never below zero is not moved.
  EXPECT_EQ(step_of(op("%m", "remainder", "%i, %two") + op("%a", "add", "%m, %n") +
                    op("%c", "less", "%m, %zero") + where("%c, %a, %m")),
            1);
}

TEST(NeighbourSteps, Views) {
  EXPECT_EQ(step_of("%r = kolam.reverse %i [0] : tensor<90xi32> -> tensor<90xi32>"), -1);
  EXPECT_EQ(step_of("%r = kolam.reverse %x [0] : tensor<90xi32> -> tensor<90xi32>"), std::nullopt);
}

} // namespace
} // namespace kolam::analysis
