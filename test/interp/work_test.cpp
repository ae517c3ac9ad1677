// Runs stop where they would do more than they may.
#include "kolam/interp/work.h"

#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"

#include <gtest/gtest.h>

namespace kolam::interp {
namespace {

/// What is left of `work` behind a run; -1 where it is too little.
int64_t left_of(int64_t work, const std::string& text, const std::vector<Array>& arguments) {
  driver::ParsedProgram parsed = driver::parse(text, "work.mlir");
  try {
    interpret(parsed.program.main(), arguments, {.work_left = &work});
  } catch (const OutOfWork&) {
    return -1;
  }
  return work;
}

TEST(Work, IsTakenUntilNothingIsLeft) {
  int64_t left = 5;
  spend({.work_left = &left}, 3);
  EXPECT_EQ(left, 2);
  EXPECT_THROW(spend({.work_left = &left}, 3), OutOfWork);
  EXPECT_EQ(left, 2);
  spend({}, 1e30);
}

// 8 operand elements and 4 x 8 x 4 index points.
TEST(Work, OfProductsCountsEveryStep) {
  const std::string text = R"(
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
})";
  const std::vector<Array> arguments = {Array::zeros(DType::f32, {4, 8}),
                                        Array::zeros(DType::f32, {8, 4})};
  const int64_t needed = 2 * kOpPoints + 2 * 4 * 8 + 4 * 8 * 4;
  EXPECT_EQ(left_of(needed, text, arguments), 0);
  EXPECT_EQ(left_of(needed - 1, text, arguments), -1);
}

} // namespace
} // namespace kolam::interp
