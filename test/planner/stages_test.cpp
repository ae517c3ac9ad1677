// Which ops run together, and what they read.
#include "kolam/driver/parse.h"
#include "kolam/planner/stages.h"

#include <gtest/gtest.h>

namespace kolam::planner {
namespace {

std::vector<Stage> stages_of_text(const std::string& text, driver::Module& program,
                                  transform::Cuts& parts) {
  program = driver::parse(text, "test").program;
  return stages_of(program.main(), usual_stored(program.main(), parts), parts);
}

TEST(Stages, ALayerIsOneAndItsReadersShareIt) {
  driver::Module program;
  transform::Cuts parts;
  const std::vector<Stage> stages = stages_of_text(R"(
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>, %v: tensor<6x3xf32>) -> tensor<8x3xf32> {
  %h = kolam.contract "mk,kn->mn" %x, %w <"chain<512>"> : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %t = kolam.elementwise "tanh" %h : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %y = kolam.contract "mk,kn->mn" %t, %v <"chain<512>"> : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
})",
                                                   program, parts);
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(space::to_string(stages[0].signature),
            "elementwise\n"
            "  dim i0: map 8\n"
            "  dim i1: map 6\n"
            "  in read0 [8, 4]: [1 0 | 0 | 1; 0 0 | 0 | 4] pad(0)\n"
            "  in read1 [4, 6]: [0 0 | 0 | 4; 0 1 | 0 | 1] pad(0)\n"
            "  out result [8, 6]: [1 0 | 0 | 1; 0 1 | 0 | 1]\n");
}

TEST(Stages, StencilsThatAreComputedAnewReadDeepHalos) {
  driver::Module program;
  transform::Cuts parts;
  const std::vector<Stage> stages = stages_of_text(R"(
func.func @main(%x: tensor<10xf32>) -> tensor<6xf32> {
  %a = kolam.slice %x <["0"]> [1] : tensor<10xf32> -> tensor<8xf32>
  %b = kolam.slice %x <["2"]> [1] : tensor<10xf32> -> tensor<8xf32>
  %s = kolam.elementwise "add" %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %c = kolam.slice %s <["0"]> [1] : tensor<8xf32> -> tensor<6xf32>
  %d = kolam.slice %s <["2"]> [1] : tensor<8xf32> -> tensor<6xf32>
  %t = kolam.elementwise "add" %c, %d : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %t : tensor<6xf32>
})",
                                                   program, parts);
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(space::to_string(stages[0].signature.operands[0].projection), "[1 | 0 | 5]");
}

} // namespace
} // namespace kolam::planner
