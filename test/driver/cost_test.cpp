// What programs cost, by figures that a reader can count.
#include "kolam/driver/cost.h"

#include "kolam/driver/explain.h"
#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

#define ONE "tensor<f32>"
#define FOUR "tensor<4xf32>"
#define NEGATIVE(from, to)                                                                         \
  to " = kolam.elementwise \"negative\" " from " : (" FOUR ") -> " FOUR "\n"

std::map<std::string, double> cost_of(const std::string& arguments, const std::string& body,
                                      const std::string& type = FOUR) {
  std::string text = "func.func @main(" + arguments + ") -> " + type + " {\n" + body +
                     "return %r : " + type + "\n}\n";
  return cost(parse(text, "cost.mlir").program, {});
}

/// A loop from 0 to `upper` around one negation of four elements, whose figures for a turn are
/// known.
std::map<std::string, double> loop_cost(const std::string& arguments, const std::string& upper) {
  return cost_of(arguments, "%l = kolam.constant dense<0> : tensor<i32>\n" + upper +
                                "%r = kolam.for from %l to %u carry(%x) captures() : "
                                "(tensor<i32>, tensor<i32>, " FOUR ") -> " FOUR " {\n"
                                "^bb0(%i: tensor<i32>, %s: " FOUR
                                "):\n" NEGATIVE("%s", "%n") "kolam.yield %n : " FOUR "\n}\n");
}

TEST(Cost, CountsAnOpOnce) {
  auto cost = cost_of("%x: " FOUR, NEGATIVE("%x", "%r"));
  EXPECT_EQ(cost.at("flops"), 4);
  EXPECT_EQ(cost.at("bytes"), 2 * 4 * 4);
  EXPECT_EQ(cost.at("arena_bytes"), 0);
  EXPECT_EQ(cost.at("nests"), 1);
}

TEST(Cost, IsThatOfTheRewrittenProgram) {
  auto cost = cost_of("%x: " FOUR, NEGATIVE("%x", "%a") NEGATIVE("%a", "%b") NEGATIVE("%b", "%r"));
  EXPECT_EQ(cost.at("flops"), 4);
}

TEST(Cost, OfMovingCellsIsNoFlops) {
  auto cost = cost_of("%x: tensor<4x8xf32>",
                      "%r = kolam.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>\n",
                      "tensor<8x4xf32>");
  EXPECT_EQ(cost.at("flops"), 0);
  EXPECT_EQ(cost.at("bytes"), 2 * 32 * 4);
}

TEST(Cost, OfASliceIsWhatItReads) {
  auto cost = cost_of("%x: tensor<1000xf32>",
                      "%r = kolam.slice %x <[\"3\"]> [1] : tensor<1000xf32> -> " FOUR "\n");
  EXPECT_EQ(cost.at("bytes"), 2 * 4 * 4);
}

TEST(Cost, CountsABodyOfCellsWithItsOp) {
  auto cost = cost_of("%x: tensor<4x8xf32>",
                      "%r = kolam.reduce \"add\" %x dims [1] commutative true <\"chunk<64>\"> : "
                      "(tensor<4x8xf32>) -> " FOUR "\n");
  EXPECT_EQ(cost.at("flops"), 32);
}

/// exp(x - max x) over its sum by rows; both are read again by the elements of their row.
std::map<std::string, double> softmax_cost(const std::string& rows, const std::string& columns) {
  std::string whole = "tensor<" + rows + "x" + columns + "xf32>", row = "tensor<" + rows + "xf32>";
  std::string two = "(" + whole + ", " + whole + ") -> " + whole + "\n";
  auto reduce = [&](const std::string& to, const std::string& monoid, const std::string& from) {
    return to + " = kolam.reduce \"" + monoid + "\" " + from +
           " dims [1] commutative true <\"lanes<64>, chunk<4096>\"> : (" + whole + ") -> " + row +
           "\n";
  };
  auto repeat = [&](const std::string& to, const std::string& from) {
    return to + " = kolam.broadcast " + from + " [0] : " + row + " -> " + whole + "\n";
  };
  return cost_of("%x: " + whole,
                 reduce("%m", "maximum", "%x") + repeat("%a", "%m") +
                     "%d = kolam.elementwise \"subtract\" %x, %a : " + two +
                     "%e = kolam.elementwise \"exp\" %d : (" + whole + ") -> " + whole + "\n" +
                     reduce("%s", "add", "%e") + repeat("%b", "%s") +
                     "%r = kolam.elementwise \"divide\" %e, %b : " + two,
                 whole);
}

TEST(Cost, CountsASumOfARowOnce) {
  // An element is compared, shifted, raised, added and divided, each once.
  double exp = cost_of("%x: " FOUR, "%r = kolam.elementwise \"exp\" %x : (" FOUR ") -> " FOUR "\n")
                   .at("flops") /
               4;
  double divide =
      cost_of("%x: " FOUR ", %y: " FOUR,
              "%r = kolam.elementwise \"divide\" %x, %y : (" FOUR ", " FOUR ") -> " FOUR "\n")
          .at("flops") /
      4;
  auto cost = softmax_cost("100", "1000");
  EXPECT_EQ(cost.at("nests"), 1);
  EXPECT_EQ(cost.at("flops"), 100 * 1000 * (3 + exp + divide));
  EXPECT_EQ(cost.at("bytes"), 2 * 100 * 1000 * 4);
}

TEST(Cost, OfAChangeInPlaceIsWhatItWrites) {
  auto cost =
      cost_of("%x: tensor<1000xf32>, %u: " FOUR ", %i: tensor<i32>",
              "%a = kolam.elementwise \"negative\" %x : (tensor<1000xf32>) -> tensor<1000xf32>\n"
              "%b = kolam.dynamic_update_slice %a, %u[%i] : (tensor<1000xf32>, " FOUR
              ", tensor<i32>) -> tensor<1000xf32>\n"
              "%r = kolam.dynamic_update_slice %b, %u[%i] : (tensor<1000xf32>, " FOUR
              ", tensor<i32>) -> tensor<1000xf32>\n",
              "tensor<1000xf32>");
  EXPECT_LT(cost.at("bytes"), 4 * 4 * 1000);
}

TEST(Cost, CountsTheTurnsOfALoopWithConstantBounds) {
  auto ten = loop_cost("%x: " FOUR, "%u = kolam.constant dense<10> : tensor<i32>\n");
  auto twenty = loop_cost("%x: " FOUR, "%u = kolam.constant dense<20> : tensor<i32>\n");
  EXPECT_EQ(ten.at("flops"), 40);
  EXPECT_EQ(twenty.at("flops"), 80);
  EXPECT_EQ(twenty.at("bytes"), ten.at("bytes")) << "states stay in registers";
}

TEST(Cost, TakesManyTurnsWhereOnlyTheRunKnows) {
  EXPECT_EQ(loop_cost("%x: " FOUR ", %u: tensor<i32>", "").at("flops"), 4e6);
}

TEST(Cost, OfBranchesIsTheDearest) {
  auto cost = cost_of(
      "%x: " FOUR ", %p: tensor<i1>",
      "%r = kolam.cond %p captures(%x) : (tensor<i1>, " FOUR ") -> " FOUR " {\n"
      "^bb0(%a: " FOUR
      "):\n" NEGATIVE("%a", "%n") "kolam.yield %n : " FOUR "\n}, {\n"
                                  "^bb0(%a: " FOUR "):\n" NEGATIVE(
                                      "%a", "%n") "%m = kolam.elementwise \"square\" %n : (" FOUR
                                                  ") -> " FOUR "\n"
                                                  "kolam.yield %m : " FOUR "\n}\n");
  EXPECT_LE(cost.at("flops"), 8);
  EXPECT_GT(cost.at("flops"), 3);
}

TEST(Cost, CountsSorting) {
  auto cost = cost_of("%x: tensor<3x7xf32>",
                      "%r, %p = kolam.sort %x {descending = false} : (tensor<3x7xf32>) -> "
                      "(tensor<3x7xf32>, tensor<3x7xi32>)\n",
                      "tensor<3x7xf32>");
  EXPECT_EQ(cost.at("flops"), 3 * 7 * 3);  // n log2(n + 1) a row
  EXPECT_EQ(cost.at("bytes"), 2 * 21 * 4); // nobody reads the places
}

TEST(Cost, OfSortedRowsThatAreViews) {
  // The buffer that is sorted has the shape of what it is a view of: none here.
  auto cost = cost_of("%x: " FOUR,
                      "%s = kolam.reduce \"minimum\" %x dims [0] commutative true "
                      "<\"lanes<64>, chunk<4096>\"> : (" FOUR ") -> " ONE "\n"
                      "%e = kolam.expand_dims %s [0] : " ONE " -> tensor<1xf32>\n"
                      "%r, %i = kolam.sort %e {descending = false} : (tensor<1xf32>) -> "
                      "(tensor<1xf32>, tensor<1xi32>)\n",
                      "tensor<1xf32>");
  EXPECT_GT(cost.at("bytes"), 0);
}

TEST(SmallFlops, ComparesWithBothFigures) {
  Module program = parse("func.func @main(%x: " FOUR ") -> " FOUR
                         " {\n" NEGATIVE("%x", "%r") "return %r : " FOUR "\n}",
                         "cost.mlir")
                       .program;
  EXPECT_EQ(small_flops(program.main(), 100, 32), 4);
  EXPECT_EQ(small_flops(program.main(), 4, 32), 4);
  EXPECT_FALSE(small_flops(program.main(), 3, 32));
  EXPECT_FALSE(small_flops(program.main(), 4, 31));
}

TEST(SmallFlops, CountsElementsThatAreMoved) {
  Module program =
      parse("func.func @main(%x: " FOUR ") -> " FOUR " {\n%r = kolam.reverse %x [0] : " FOUR
            " -> " FOUR "\nreturn %r : " FOUR "\n}",
            "cost.mlir")
          .program;
  EXPECT_EQ(small_flops(program.main(), 0, 32), 2);
}

} // namespace
} // namespace kolam::driver
