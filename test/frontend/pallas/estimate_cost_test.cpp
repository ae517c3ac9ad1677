// What functions cost; the numbers are those of jax.experimental.pallas.estimate_cost, JAX 0.10.2.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam::pallas {
namespace {

using Tensors = std::vector<Tensor>;

const TensorSpec kX{DType::f32, {8, 16}};

CostEstimate of_unary(const std::function<Tensor(Tensor)>& f) {
  return estimate_cost([&](const Tensors& x) { return Tensors{f(x[0])}; }, {kX});
}

TEST(EstimateCost, CountsElementsOfResults) {
  EXPECT_EQ(of_unary([](Tensor x) { return x + 1.0; }), (CostEstimate{128, 0, 1024}));
  EXPECT_EQ(of_unary([](Tensor x) { return exp(x); }), (CostEstimate{0, 128, 1024}));
  EXPECT_EQ(of_unary([](Tensor x) { return sum(x); }), (CostEstimate{0, 0, 516}));
}

TEST(EstimateCost, CountsProductsOfPowers) {
  EXPECT_EQ(of_unary([](Tensor x) { return pow(x, 2); }).flops, 256);
  EXPECT_EQ(of_unary([](Tensor x) { return pow(x, 3); }).flops, 384);
  EXPECT_EQ(of_unary([](Tensor x) { return pow(x, 4); }).flops, 384);
  EXPECT_EQ(of_unary([](Tensor x) { return pow(x, 7); }).flops, 640);
  EXPECT_EQ(of_unary([](Tensor x) { return pow(x, 2.5); }).flops, 0);
}

TEST(EstimateCost, CountsProductsOfMatrices) {
  auto product = [](const Tensors& x) { return Tensors{matmul(x[0], x[1])}; };
  EXPECT_EQ(estimate_cost(product, {kX, {DType::f32, {16, 4}}}), (CostEstimate{1024, 0, 896}));
  EXPECT_EQ(estimate_cost(product, {{DType::f32, {3, 8, 16}}, {DType::f32, {3, 16, 4}}}),
            (CostEstimate{3072, 0, 2688}));
}

TEST(EstimateCost, OfAKernelIsWhatTheUserSaysOrItsBodyAtEachPoint) {
  auto call = [](const std::optional<CostEstimate>& said) {
    return [said](const Tensors& x) {
      BlockSpec block{{{2, 16}}, [](const auto& at, const auto&) {
                        return Tensors{at[0], Tensor(int32_t{0})};
                      }};
      return pallas_call(
          [](const std::vector<Ref>& refs) { refs[1].set(exp(refs[0].get()) + 1.0); },
          {.out_shape = {kX},
           .grid = {4},
           .in_specs = {block},
           .out_specs = {block},
           .cost_estimate = said},
          {x[0]});
    };
  };
  EXPECT_EQ(estimate_cost(call({}), {kX}), (CostEstimate{128, 128, 1024}));
  EXPECT_EQ(estimate_cost(call(CostEstimate{7, 8, 9}), {kX}), (CostEstimate{7, 8, 1033}));
}

} // namespace
} // namespace kolam::pallas
