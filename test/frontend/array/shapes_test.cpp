// eval_shape: dtypes and shapes without results, outside of traces and inside.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(EvalShape, GivesDtypesAndShapes) {
  auto f = [](Tensor x, std::pair<Tensor, int> w) {
    return std::pair<Tensor, Tensor>{matmul(x, w.first), x > w.second};
  };
  Tensor x = zeros({2, 3}), w = zeros({3, 4});
  auto specs = eval_shape(f, x, std::pair<Tensor, int>{w, 1});
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0], (TensorSpec{DType::f32, {2, 4}}));
  EXPECT_EQ(specs[1], (TensorSpec{DType::boolean, {2, 3}}));
}

TEST(EvalShape, ComputesNothingAndTakesSpecs) {
  std::vector<TensorSpec> huge{{DType::f32, {1 << 20, 1 << 20}}};
  auto specs = eval_shape(std::span<const TensorSpec>(huge),
                          [](std::vector<Tensor> x) { return std::vector<Tensor>{sum(x[0], 0)}; });
  EXPECT_EQ(specs[0], (TensorSpec{DType::f32, {1 << 20}}));
}

TEST(EvalShape, UsesValuesAroundItInsideATrace) {
  auto f = jit([](Tensor x, Tensor y) {
    auto specs = eval_shape([&](Tensor x) { return matmul(x, y); }, x);
    return zeros(specs[0].shape) + 1;
  });
  Array result = f(zeros({2, 3}), zeros({3, 4}));
  EXPECT_TRUE(runtime::same_bits(result, ones({2, 4}).array()));
}

} // namespace
} // namespace kolam
