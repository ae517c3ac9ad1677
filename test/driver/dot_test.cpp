// Drawings of programs.
#include "kolam/driver/explain.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

TEST(AsDot, DrawsOpsAndValues) {
  std::string text = as_dot(parse(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = kolam.elementwise "exp" %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})",
                                  "dot.mlir")
                                .program);
  EXPECT_EQ(text, R"(digraph program {
  compound=true;
  node [shape=box];
  n0 [label="argument 0"];
  n1 [label="exp"];
  n2 [label="return"];
  n0 -> n1 [label="float32[4]"];
  n1 -> n2 [label="float32[4]"];
}
)");
}

TEST(AsDot, DrawsBodiesAsClusters) {
  std::string text =
      as_dot(parse(R"(func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %r = kolam.for from %n to %n carry(%x) captures() : (tensor<i32>, tensor<i32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %e = kolam.elementwise "exp" %s : (tensor<f32>) -> tensor<f32>
    kolam.yield %e : tensor<f32>
  }
  return %r : tensor<f32>
})",
                   "dot.mlir")
                 .program);
  EXPECT_NE(text.find(R"(  subgraph cluster_0 {
    label="for";
    n3 [label="argument 0"];
    n4 [label="argument 1"];
    n5 [label="exp"];
    n6 [label="yield"];
  }
)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  n2 -> n3 [style=dashed, lhead=cluster_0];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  n4 -> n5 [label=\"float32[]\"];\n"), std::string::npos) << text;
}

} // namespace
} // namespace kolam::driver
