#include "kolam/analysis/own_windows.h"

#include "kolam/ir/ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

/// Whether steps 0 .. 3 of a loop over x of 32 x 8 have windows of their own.
bool is_own(const std::string& body) {
  mlir::MLIRContext context;
  context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(
          R"(
func.func @main(%x0: tensor<32x8xf32>, %data: tensor<i32>) -> tensor<32x8xf32> {
  %first = kolam.constant dense<0> : tensor<i32>
  %last = kolam.constant dense<4> : tensor<i32>
  %r = kolam.for from %first to %last carry(%x0) captures(%data, %first, %last) : (tensor<i32>, tensor<i32>, tensor<32x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32> {
  ^bb0(%i: tensor<i32>, %x: tensor<32x8xf32>, %d: tensor<i32>, %none: tensor<i32>, %four: tensor<i32>):
    %zero = kolam.constant dense<0> : tensor<i32>
    %one = kolam.constant dense<1> : tensor<i32>
    %seven = kolam.constant dense<7> : tensor<i32>
    %eight = kolam.constant dense<8> : tensor<i32>
    %start = kolam.elementwise "multiply" %i, %eight : (tensor<i32>, tensor<i32>) -> tensor<i32>
)" + body + R"(
    kolam.yield %next : tensor<32x8xf32>
  }
  return %r : tensor<32x8xf32>
})",
          &context);
  EXPECT_TRUE(module);
  bool found = false;
  auto main = llvm::cast<mlir::func::FuncOp>(*module->getBody()->begin());
  for (auto loop : main.getBody().front().getOps<ir::ForOp>()) {
    mlir::Block& block = loop.getBody().front();
    found = has_own_windows(block.getArgument(1), block.getTerminator()->getOperand(0),
                            {block.getArgument(0), 0, 3});
  }
  return found;
}

const std::string kOf8 = " : (tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>\n";
const std::string kTo8 =
    " : (tensor<32x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32>\n";

std::string read(const std::string& at) {
  return "%w = kolam.dynamic_slice %x[" + at + ", %zero]" + kOf8;
}
std::string write(const std::string& at) {
  return "%next = kolam.dynamic_update_slice %x, %w[" + at + ", %zero]" + kTo8;
}

TEST(OwnWindows, WindowsThatMoveByTheirLength) {
  EXPECT_TRUE(is_own(read("%start") + write("%start")));
}

TEST(OwnWindows, StartsAlikeForAllSteps) {
  EXPECT_FALSE(is_own(read("%zero") + write("%start")));
  EXPECT_FALSE(is_own(read("%start") + write("%zero")));
}

TEST(OwnWindows, WindowsThatOverlapThoseOfTheNextStep) {
  EXPECT_FALSE(is_own(read("%i") + write("%i")));
  EXPECT_FALSE(is_own(R"(
    %behind = kolam.elementwise "add" %start, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
)" + read("%start") + write("%behind")));
}

TEST(OwnWindows, WindowsThatAreMovedInside) {
  EXPECT_FALSE(is_own(R"(
    %shifted = kolam.elementwise "add" %start, %seven : (tensor<i32>, tensor<i32>) -> tensor<i32>
)" + read("%shifted") +
                      write("%shifted")));
}

TEST(OwnWindows, StartsOfData) {
  EXPECT_FALSE(is_own(read("%d") + write("%d")));
  EXPECT_FALSE(is_own(R"(
    %moved = kolam.elementwise "add" %start, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
)" + read("%moved") + write("%moved")));
}

TEST(OwnWindows, TheWholeState) {
  EXPECT_FALSE(is_own(R"(
    %y = kolam.elementwise "exp" %x : (tensor<32x8xf32>) -> tensor<32x8xf32>
    %w = kolam.dynamic_slice %y[%start, %zero])" +
                      kOf8 + write("%start")));
  EXPECT_FALSE(is_own(R"(
    %next = kolam.elementwise "exp" %x : (tensor<32x8xf32>) -> tensor<32x8xf32>)"));
}

/// A loop inside over rows j of the step's window, through its state or through a capture.
std::string inside(const std::string& start, const std::string& next) {
  return R"(
    %next = kolam.for from %none to %four carry(%x) captures(%start, %zero, %d) : (tensor<i32>, tensor<i32>, tensor<32x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32> {
    ^bb0(%j: tensor<i32>, %s: tensor<32x8xf32>, %p: tensor<i32>, %z: tensor<i32>, %data_in: tensor<i32>):
      %w = kolam.dynamic_slice %s[)" +
         start + ", %z]" + kOf8 + "      %n = kolam.dynamic_update_slice %s, %w[" + start +
         ", %z]" + kTo8 + "      kolam.yield " + next + R"( : tensor<32x8xf32>
    })";
}

TEST(OwnWindows, LoopsInside) {
  EXPECT_TRUE(is_own(inside("%p", "%n")));
  EXPECT_TRUE(is_own(inside("%p", "%s")));
  EXPECT_FALSE(is_own(inside("%j", "%n")));
  EXPECT_FALSE(is_own(inside("%data_in", "%n")));
}

/// A loop inside that exchanges the state and another one, which then is read as a whole.
TEST(OwnWindows, StatesThatChangeSides) {
  EXPECT_FALSE(is_own(R"(
    %q:2 = kolam.for from %none to %four carry(%x, %x) : (tensor<i32>, tensor<i32>, tensor<32x8xf32>, tensor<32x8xf32>) -> (tensor<32x8xf32>, tensor<32x8xf32>) {
    ^bb0(%j: tensor<i32>, %a: tensor<32x8xf32>, %b: tensor<32x8xf32>):
      %y = kolam.elementwise "exp" %b : (tensor<32x8xf32>) -> tensor<32x8xf32>
      kolam.yield %a, %a : tensor<32x8xf32>, tensor<32x8xf32>
    }
    %w = kolam.dynamic_slice %x[%start, %zero])" +
                      kOf8 + write("%start")));
}

/// A branch that writes the window or leaves it.
TEST(OwnWindows, BranchesInside) {
  auto branch = [](const std::string& other) {
    return R"(
    %c = kolam.elementwise "less" %d, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %next = kolam.cond %c captures(%x, %start, %zero) : (tensor<i1>, tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32> {
    ^bb0(%s: tensor<32x8xf32>, %p: tensor<i32>, %z: tensor<i32>):
      %w = kolam.dynamic_slice %s[%p, %z])" +
           kOf8 + "      %n = kolam.dynamic_update_slice %s, %w[%p, %z]" + kTo8 + R"(
      kolam.yield %n : tensor<32x8xf32>
    }, {
    ^bb0(%s: tensor<32x8xf32>, %p: tensor<i32>, %z: tensor<i32>):
      )" + other +
           R"(
    })";
  };
  EXPECT_TRUE(is_own(branch("kolam.yield %s : tensor<32x8xf32>")));
  EXPECT_FALSE(
      is_own(branch(R"(%y = kolam.elementwise "exp" %s : (tensor<32x8xf32>) -> tensor<32x8xf32>
      kolam.yield %y : tensor<32x8xf32>)")));
}

} // namespace
} // namespace kolam::analysis
