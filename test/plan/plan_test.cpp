// What plans' parts say of themselves.
#include "kolam/plan/plan.h"

#include <gtest/gtest.h>

namespace kolam::plans {
namespace {

TEST(Plan, BoxesOfAFamily) {
  const Boxes boxes{{{4, {8, 0}}, {0, {0, -2}}}, {8, 2}};
  EXPECT_EQ(boxes.at({0, 0}), Box({4, 0}, {12, 2}));
  EXPECT_EQ(boxes.at({1, 3}), Box({12, -6}, {20, -4}));
  EXPECT_EQ((Boxes{}.at({1})), Box());
}

TEST(Plan, BytesOfBlocks) {
  Tensor tensor;
  tensor.dtype = DType::f16;
  tensor.shape = {4, 6};
  EXPECT_EQ(block_bytes(tensor, Box({0, 2}, {4, 5})), 24);
  tensor.partial_of = 0;
  EXPECT_EQ(block_bytes(tensor, Box({0, 2}, {4, 5})), 6); // a sum of terms
}

} // namespace
} // namespace kolam::plans
