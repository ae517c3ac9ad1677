// What ops and values cost.
#include "kolam/analysis/cost.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

/// A program, and one of its ops.
struct Ops {
  Ops(const std::string& arguments, const std::string& lines)
      : program(driver::parse("func.func @main(" + arguments + ") {\n" + lines + "\nreturn\n}\n",
                              "test")
                    .program) {}
  mlir::Operation* operator[](int number) {
    return &*std::next(program.main().getBody().front().begin(), number);
  }
  driver::Module program;
};

std::string elementwise(const std::string& fn, const std::string& type) {
  return "%" + fn + " = kolam.elementwise \"" + fn + "\" %x : (" + type + ") -> " + type + "\n";
}

Ops product() {
  return {"%x: tensor<8x16xf32>, %y: tensor<16x4xf32>",
          "%r = kolam.contract \"ik,kj->ij\" %x, %y <\"chain<8192>\"> : (tensor<8x16xf32>, "
          "tensor<16x4xf32>) -> tensor<8x4xf32>"};
}

TEST(Flops, AreThoseOfThePointsOfAnElement) {
  Ops ops = product();
  Signatures signatures;
  EXPECT_DOUBLE_EQ(flops_per_cell(ops[0]), 32);
  EXPECT_DOUBLE_EQ(flops_per_cell(ops[0], signatures), 32);
  EXPECT_DOUBLE_EQ(flops_of(ops[0]), 8 * 4 * 32);
}

TEST(Flops, OfFunctionsAreFiguresOfTheMachine) {
  const std::string type = "tensor<8xf32>";
  Ops ops("%x: " + type,
          elementwise("negative", type) + elementwise("sqrt", type) + elementwise("exp", type));
  EXPECT_DOUBLE_EQ(flops_per_cell(ops[0]), 1);
  EXPECT_DOUBLE_EQ(flops_per_cell(ops[1]), kArithmetic.divide);
  EXPECT_DOUBLE_EQ(flops_per_cell(ops[2]), kArithmetic.polynomial);
}

TEST(Flops, OfDividedIntegersAreDearButByNumbers) {
  Ops ops("%x: tensor<8xi32>", "%r = kolam.elementwise \"floor_divide\" %x, %x : (tensor<8xi32>, "
                               "tensor<8xi32>) -> tensor<8xi32>\n");
  EXPECT_DOUBLE_EQ(flops_per_cell(ops[0]), kArithmetic.divide_integers);
  Ops fixed("%x: tensor<8xi32>",
            "%c = kolam.constant dense<7> : tensor<i32>\n"
            "%b = kolam.broadcast %c [] : tensor<i32> -> tensor<8xi32>\n"
            "%r = kolam.elementwise \"floor_divide\" %x, %b : (tensor<8xi32>, tensor<8xi32>) -> "
            "tensor<8xi32>\n");
  EXPECT_DOUBLE_EQ(flops_per_cell(fixed[2]), kArithmetic.divide_by_number);
}

TEST(Flops, AreNoneOfWhatMovesElementsAndOfNothing) {
  Ops ops("%x: tensor<8xf32>", "%r = kolam.broadcast %x [1] : tensor<8xf32> -> tensor<5x8xf32>");
  EXPECT_DOUBLE_EQ(flops_of(ops[0]), 0);
  Ops empty("%x: tensor<0xf32>", elementwise("exp", "tensor<0xf32>"));
  EXPECT_DOUBLE_EQ(flops_of(empty[0]), 0);
}

TEST(Flops, OfANestAreThoseOfAllItsOps) {
  const std::string type = "tensor<8xf32>";
  Ops ops("%x: " + type, elementwise("negative", type) + elementwise("exp", type));
  Signatures signatures;
  EXPECT_DOUBLE_EQ(flops_each(ops[1], {ops[0]}, 8, signatures), 1 + kArithmetic.polynomial + 1);
  EXPECT_DOUBLE_EQ(flops_each(ops[1], {ops[0]}, 4, signatures),
                   1 + 2 * (kArithmetic.polynomial + 1));
}

TEST(Work, CountsRegistersOfWiderElements) {
  Ops ops("%x: tensor<8xf64>", elementwise("negative", "tensor<8xf64>"));
  Signatures signatures;
  EXPECT_DOUBLE_EQ(work_per_cell(ops[0], signatures), 2);
}

TEST(PriceOfMemory, IsThatOfTheLevelThatAValueFits) {
  Machine machine;
  const auto near = static_cast<double>(machine.caches.second / 2),
             far = static_cast<double>(machine.caches.last / 2);
  EXPECT_DOUBLE_EQ(price_of_byte(near, machine), machine.prices.near_byte);
  EXPECT_DOUBLE_EQ(price_of_byte(near + 1, machine), machine.prices.far_byte);
  EXPECT_DOUBLE_EQ(price_of_byte(far + 1, machine), machine.prices.memory_byte);
  machine.caches.last *= 4;
  EXPECT_DOUBLE_EQ(price_of_byte(far + 1, machine), machine.prices.far_byte);
}

TEST(PriceOfMemory, HasAPartOfTheNest) {
  Ops ops("%x: tensor<1000xf32>", elementwise("negative", "tensor<1000xf32>"));
  Machine machine;
  machine.prices = {.near_byte = 3, .nest = 5000};
  EXPECT_DOUBLE_EQ(price_of_memory(ops[0]->getResult(0), machine), 4 * 3 + 5000.0 / 1000);
}

} // namespace
} // namespace kolam::analysis
