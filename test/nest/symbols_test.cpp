// The flat range over which a nest may be cut.
#include "kolam/nest/symbols.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

std::string parallel(const std::string& arguments, const std::string& line) {
  driver::Module program =
      driver::parse("func.func @main(" + arguments + ") {\n" + line + "\nreturn\n}\n", "test")
          .program;
  Nest nest;
  nest.root = &program.main().getBody().front().front();
  return parallel_extent(nest).to_string();
}

TEST(ParallelExtent, IsTheOutermostMapDim) {
  EXPECT_EQ(
      parallel(R"(%x: tensor<?x4xf32, #kolam.extents<["n", "4"]>>)",
               R"(%r = kolam.elementwise "exp" %x : (tensor<?x4xf32, #kolam.extents<["n", "4"]>>)
                        -> tensor<?x4xf32, #kolam.extents<["n", "4"]>>)"),
      "n");
  EXPECT_EQ(parallel("%x: tensor<3x4xf32>",
                     "%r = kolam.reduce \"add\" %x dims [0] commutative true "
                     "<\"chunk<64>\"> : (tensor<3x4xf32>) -> tensor<4xf32>"),
            "4");
}

TEST(ParallelExtent, IsOneWithoutMapDims) {
  EXPECT_EQ(parallel("%x: tensor<f32>",
                     "%r = kolam.elementwise \"exp\" %x : (tensor<f32>) -> tensor<f32>"),
            "1");
  EXPECT_EQ(parallel("%x: tensor<4xf32>", "%r = kolam.reduce \"add\" %x dims [0] commutative true "
                                          "<\"chunk<64>\"> : (tensor<4xf32>) -> tensor<f32>"),
            "1");
}

TEST(ParallelExtent, IsThatOfTheFirstDimOfSeveralCells) {
  EXPECT_EQ(parallel("%x: tensor<1x4xf32>",
                     "%r = kolam.elementwise \"exp\" %x : (tensor<1x4xf32>) -> tensor<1x4xf32>"),
            "4");
  EXPECT_EQ(parallel("%x: tensor<1x1xf32>",
                     "%r = kolam.elementwise \"exp\" %x : (tensor<1x1xf32>) -> tensor<1x1xf32>"),
            "1");
}

TEST(ParallelExtent, PassesOverDimsThatCarryStates) {
  auto running = [](const std::string& type) {
    return parallel(
        "%x: " + type,
        "%r = kolam.cumulative \"add\" %x dim 0 {exclusive = false, reverse = false} : " + type +
            " -> " + type);
  };
  EXPECT_EQ(running("tensor<8x4xf32>"), "4");
  EXPECT_EQ(running("tensor<8xf32>"), "1");
}

TEST(ParallelExtent, IsOutsideTheLoopsOfFusedOps) {
  driver::Module program =
      driver::parse("func.func @main(%x: tensor<1x4xf32>) {\n"
                    "%s = kolam.reduce \"add\" %x dims [1] commutative true <\"chunk<64>\"> : "
                    "(tensor<1x4xf32>) -> tensor<1xf32>\n"
                    "%b = kolam.broadcast %s [0] : tensor<1xf32> -> tensor<1x4xf32>\n"
                    "return\n}\n",
                    "test")
          .program;
  mlir::Block& body = program.main().getBody().front();
  Nest nest;
  nest.root = &*std::next(body.begin());
  EXPECT_EQ(parallel_extent(nest).to_string(), "4");
  nest.fused = {&body.front()};
  EXPECT_EQ(parallel_extent(nest).to_string(), "1");
}

TEST(ParallelExtent, IsThatOfADimAlongWhichFusedLoopsGo) {
  driver::Module program =
      driver::parse("func.func @main(%x: tensor<1x6x4xf32>) {\n"
                    "%s = kolam.reduce \"add\" %x dims [2] commutative true <\"lanes<64>, "
                    "chunk<4096>\"> : (tensor<1x6x4xf32>) -> tensor<1x6xf32>\n"
                    "%b = kolam.broadcast %s [0, 1] : tensor<1x6xf32> -> tensor<1x6x4xf32>\n"
                    "%d = kolam.elementwise \"subtract\" %x, %b : (tensor<1x6x4xf32>, "
                    "tensor<1x6x4xf32>) -> tensor<1x6x4xf32>\n"
                    "return\n}\n",
                    "test")
          .program;
  mlir::Block& body = program.main().getBody().front();
  Nest nest;
  nest.root = &*std::next(body.begin(), 2);
  nest.fused = {&*std::next(body.begin()), &body.front()};
  EXPECT_EQ(parallel_extent(nest).to_string(), "6");
  EXPECT_EQ(parallel_dim(nest), 1);
}

TEST(ParallelExtent, IsOneWhereCellsDependOnOthers) {
  EXPECT_EQ(parallel("%c: tensor<8xi1>", "kolam.check %c \"bad-value\" \"more\" : tensor<8xi1>"),
            "1");
}

} // namespace
} // namespace kolam::nest
