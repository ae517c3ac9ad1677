// Access facts of single ops.
#include "kolam/analysis/access.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

/// A program of one op, which reads the function's arguments.
struct OneOp {
  explicit OneOp(const std::string& arguments, const std::string& line)
      : program(
            driver::parse("func.func @main(" + arguments + ") {\n" + line + "\nreturn\n}\n", "test")
                .program),
        op(&program.main().getBody().front().front()) {}
  driver::Module program;
  mlir::Operation* op;
};

TEST(Access, ContractionsGiveSingleElements) {
  OneOp one("%x: tensor<8x16xf32>, %y: tensor<16x4xf32>",
            "%r = kolam.contract \"ik,kj->ij\" %x, %y <\"chain<8192>\"> : (tensor<8x16xf32>, "
            "tensor<16x4xf32>) -> tensor<8x4xf32>");
  EXPECT_TRUE(computes_cells(one.op));
}

TEST(Access, FactsAreTheSameOfSignaturesThatAreKept) {
  OneOp one("%x: tensor<8xf32>",
            "%r = kolam.elementwise \"negative\" %x : (tensor<8xf32>) -> tensor<8xf32>");
  Signatures signatures;
  const space::Signature& signature = signatures.of(one.op);
  EXPECT_EQ(computes_cells(one.op, signatures), computes_cells(one.op));
  EXPECT_EQ(reads_own_cell(signature, 0), reads_own_cell(one.op, 0));
  EXPECT_EQ(&signatures.of(one.op), &signature);
}

TEST(Access, ElementwiseOpsGiveSingleElements) {
  OneOp one("%x: tensor<8xf32>",
            "%r = kolam.elementwise \"exp\" %x : (tensor<8xf32>) -> tensor<8xf32>");
  EXPECT_TRUE(computes_cells(one.op));
}

TEST(Access, PointsOfThePaddingReadNothing) {
  OneOp pad("%x: tensor<2xf32>, %v: tensor<f32>",
            "%r = kolam.pad %x, %v \"constant\" low [1] high [7] : tensor<2xf32>, tensor<f32> -> "
            "tensor<10xf32>");
  Signatures signatures;
  EXPECT_DOUBLE_EQ(share_inside(signatures.of(pad.op), 0), 0.2);
}

TEST(Access, GathersGiveSingleElements) {
  OneOp one("%x: tensor<100x4xf32>, %i: tensor<50x1xi32>",
            "%r = kolam.gather %x, %i \"clip\" dims [0] lengths [1] batched 0 : "
            "(tensor<100x4xf32>, tensor<50x1xi32>) -> tensor<50x1x4xf32>");
  EXPECT_TRUE(computes_cells(one.op));
}

TEST(Access, OpsThatGiveNoSingleCells) {
  const std::pair<const char*, const char*> ops[] = {
      {"%x: tensor<8xf32>", "%r = kolam.cumulative \"add\" %x dim 0 {exclusive = false, reverse = "
                            "false} : tensor<8xf32> -> tensor<8xf32>"},
      {"%x: tensor<8xf32>", "%v, %p = kolam.sort %x {descending = false} : (tensor<8xf32>) -> "
                            "(tensor<8xf32>, tensor<8xi32>)"},
      {"%x: tensor<8xf32>, %u: tensor<3x1xf32>, %i: tensor<3x1xi32>",
       "%r = kolam.scatter \"kAdd\" \"drop\" (%x) updates(%u) at %i dims [0] batched 0 unique true "
       ": (tensor<8xf32>, tensor<3x1xf32>, tensor<3x1xi32>) -> tensor<8xf32>"},
      {"%c: tensor<8xi1>", "kolam.check %c \"bad-value\" \"expected more\" : tensor<8xi1>"},
  };
  for (const auto& [arguments, line] : ops)
    EXPECT_FALSE(computes_cells(OneOp(arguments, line).op)) << line;
}

TEST(Access, UpdatesGiveSingleCells) {
  OneOp one(
      "%x: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>",
      "%r = kolam.dynamic_update_slice %x, %u[%i] : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) "
      "-> tensor<8xf32>");
  EXPECT_TRUE(computes_cells(one.op));
}

} // namespace
} // namespace kolam::analysis
