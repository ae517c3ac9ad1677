#include "kolam/analysis/ranges.h"

#include "kolam/ir/ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

/// The range of what a program of one result gives; "unknown" where nothing is known.
std::string range_of(const std::string& body) {
  mlir::MLIRContext context;
  context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<9xi32>, %f: tensor<9xf32>) -> tensor<9xi32> {\n" + body +
          "\n  return %r : tensor<9xi32>\n}",
      &context);
  EXPECT_TRUE(module);
  auto function = llvm::cast<mlir::func::FuncOp>(*module->getBody()->begin());
  auto range = Ranges().of(function.getBody().front().getTerminator()->getOperand(0));
  return range ? std::to_string(range->least) + " .. " + std::to_string(range->most) : "unknown";
}

const std::string kNumbers = R"(
  %zero = kolam.constant dense<0> : tensor<9xi32>
  %one = kolam.constant dense<1> : tensor<9xi32>
  %two = kolam.constant dense<2> : tensor<9xi32>
  %ten = kolam.constant dense<10> : tensor<9xi32>
  %first = kolam.constant dense<0> : tensor<i32>
  %last = kolam.constant dense<5> : tensor<i32>)";
const std::string kTwo = " : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>\n";

/// A loop of five turns, whose state begins with ten and becomes `next` of %s.
std::string loop(const std::string& next) {
  return kNumbers + R"(
  %r = kolam.for from %first to %last carry(%ten) captures(%zero, %one, %two, %x) : (tensor<i32>, tensor<i32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32> {
  ^bb0(%i: tensor<i32>, %s: tensor<9xi32>, %zero_in: tensor<9xi32>, %one_in: tensor<9xi32>, %two_in: tensor<9xi32>, %x_in: tensor<9xi32>):
)" + next +
         "    kolam.yield %n : tensor<9xi32>\n  }";
}

TEST(Ranges, ArithmeticAndOneSideOfData) {
  EXPECT_EQ(range_of(kNumbers + R"(%r = kolam.elementwise "add" %ten, %two)" + kTwo), "12 .. 12");
  EXPECT_EQ(range_of(kNumbers + R"(%r = kolam.elementwise "add" %ten, %x)" + kTwo), "unknown");
  EXPECT_EQ(range_of(kNumbers + R"(%r = kolam.elementwise "minimum" %ten, %x)" + kTwo),
            "-2147483648 .. 10");
  EXPECT_EQ(range_of(kNumbers + R"(
  %low = kolam.elementwise "maximum" %zero, %x)" +
                     kTwo + R"(%r = kolam.elementwise "minimum" %ten, %low)" + kTwo),
            "0 .. 10");
}

TEST(Ranges, EitherSideOfAChoice) {
  EXPECT_EQ(range_of(kNumbers + R"(
  %c = kolam.elementwise "less" %f, %f : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  %r = kolam.elementwise "where" %c, %two, %ten : (tensor<9xi1>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>)"),
            "2 .. 10");
}

TEST(Ranges, StatesThatATurnDoesNotLeave) {
  EXPECT_EQ(range_of(loop(R"(%n = kolam.elementwise "floor_divide" %s, %two_in)" + kTwo)),
            "0 .. 10");
  EXPECT_EQ(range_of(loop(R"(%m = kolam.elementwise "minimum" %s, %x_in)" + kTwo +
                          R"(%n = kolam.elementwise "maximum" %m, %one_in)" + kTwo)),
            "1 .. 10");
}

TEST(Ranges, StatesThatGrowAreUnknown) {
  EXPECT_EQ(range_of(loop(R"(%n = kolam.elementwise "add" %s, %one_in)" + kTwo)), "unknown");
  EXPECT_EQ(range_of(loop(R"(%n = kolam.elementwise "maximum" %s, %x_in)" + kTwo)),
            "10 .. 2147483647");
}

// low <= high is not known, so that the bounds may pass each other, by one.
TEST(Ranges, BoundsOfABinarySearch) {
  const std::string text = kNumbers + R"(
  %r, %h = kolam.for from %first to %last carry(%zero, %ten) captures(%one, %two, %x) : (tensor<i32>, tensor<i32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>) {
  ^bb0(%i: tensor<i32>, %low: tensor<9xi32>, %high: tensor<9xi32>, %one_in: tensor<9xi32>, %two_in: tensor<9xi32>, %x_in: tensor<9xi32>):
    %sum = kolam.elementwise "add" %low, %high : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    %middle = kolam.elementwise "floor_divide" %sum, %two_in : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    %c = kolam.elementwise "less" %middle, %x_in : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %above = kolam.elementwise "add" %middle, %one_in : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    %next_low = kolam.elementwise "where" %c, %above, %low : (tensor<9xi1>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    %next_high = kolam.elementwise "where" %c, %high, %middle : (tensor<9xi1>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
    kolam.yield %next_low, %next_high : tensor<9xi32>, tensor<9xi32>
  })";
  EXPECT_EQ(range_of(text), "0 .. 11");
}

} // namespace
} // namespace kolam::analysis
