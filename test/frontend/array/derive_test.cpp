// Derivatives in C++: structures of arguments, pairs, pullbacks called twice, in and outside of
// jit.
#include "kolam/frontend/array/derive.h"
#include "kolam/kolam.h"

#include "test/error/expect_words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kolam {
namespace {

using runtime::same_bits;
using test::expect_mention;

Tensor numbers(std::vector<float> values, std::vector<int64_t> shape) {
  return Array::of<float>(values, std::move(shape));
}

struct Params {
  Tensor w, b;
};
auto fields(Params& p) { return std::tie(p.w, p.b); }

Tensor loss(Params p, Tensor x) { return sum(tanh(add(matmul(x, p.w), p.b))); }

TEST(Derive, TheGradientHasTheArgumentsStructure) {
  Tensor x = numbers({1, 2, -1, 0.5F}, {2, 2});
  Params p{numbers({0.1F, 0.2F, -0.3F, 0.4F}, {2, 2}), numbers({0, 1}, {2})};
  auto [value, g] = value_and_grad(loss)(p, x);
  constexpr float kStep = 1e-2F; // size of a finite difference
  for (int64_t i = 0; i < 2; ++i) {
    auto moved = [&](float by) {
      std::vector<float> b{0, 1};
      b[static_cast<size_t>(i)] += by;
      return loss({p.w, numbers(b, {2})}, x).array().item<float>();
    };
    EXPECT_NEAR(g.b.array().values<float>()[i], (moved(kStep) - moved(-kStep)) / (2 * kStep), 1e-3);
  }
  Params inside = jit([](Params p, Tensor x) { return grad(loss)(p, x); })(p, x);
  EXPECT_TRUE(same_bits(inside.w.array(), g.w.array()));
  EXPECT_TRUE(same_bits(loss(p, x).array(), value.array()));
}

TEST(Derive, SeveralArgumentsAndAPair) {
  auto f = [](Tensor x, Tensor i, Tensor y) {
    return std::pair(sum(multiply(take(x, i, 0), y)), add(x, x));
  };
  Tensor x = numbers({1, 2, 3}, {3}), y = numbers({4, 5}, {2});
  Tensor i = Array::of<int32_t>(std::vector<int32_t>{2, 0}, {2});
  auto [value, g] = value_and_grad<0, 2>(f)(x, i, y);
  EXPECT_EQ(value.first.array().item<float>(), 3 * 4 + 1 * 5);
  EXPECT_EQ(value.second.array().values<float>()[1], 4);
  EXPECT_EQ(std::get<0>(g).array().values<float>()[2], 4);
  EXPECT_EQ(std::get<1>(g).array().values<float>()[0], 3);
  auto [only, beside] = grad<0>(f)(x, i, y);
  EXPECT_EQ(only.array().values<float>()[0], 5);
  EXPECT_EQ(beside.array().values<float>()[0], 2);
}

TEST(Derive, PullbacksAreCalledAnyNumberOfTimes) {
  Tensor x = numbers({0.5F, 1}, {2});
  auto [y, pullback] = vjp([](Tensor x) { return sin(x); }, x);
  auto [once] = pullback(numbers({1, 1}, {2}));
  auto [again] = pullback(numbers({2, 0}, {2}));
  EXPECT_NEAR(once.array().values<float>()[1], std::cos(1.0), 1e-6);
  EXPECT_NEAR(again.array().values<float>()[0], 2 * std::cos(0.5), 1e-6);
  EXPECT_EQ(again.array().values<float>()[1], 0);
  auto [z, push] = linearize([](Tensor x) { return sin(x); }, x);
  EXPECT_NEAR(push(numbers({1, 0}, {2})).array().values<float>()[0], std::cos(0.5), 1e-6);
  auto [w, tangent] =
      jvp([](Tensor x) { return sin(x); }, std::tuple(x), std::tuple(numbers({1, 0}, {2})));
  EXPECT_NEAR(tangent.array().values<float>()[0], std::cos(0.5), 1e-6);
  EXPECT_TRUE(same_bits(w.array(), y.array()));
  EXPECT_TRUE(same_bits(z.array(), y.array()));
}

TEST(Derive, DerivativesOfDerivatives) {
  auto fourth = [](Tensor x) { return multiply(multiply(x, x), multiply(x, x)); };
  EXPECT_EQ(grad(grad(grad(fourth)))(numbers({2}, {})).array().item<float>(), 48);
}

TEST(Derive, TransposesOfLinearFunctions) {
  auto shift = [](Tensor x) { return diff(x); };
  auto [g] = linear_transpose(shift, numbers({0, 0, 0}, {3}))(numbers({1, 10}, {2}));
  EXPECT_EQ(g.array().values<float>()[1], 1 - 10);
  expect_mention(
      [] {
        linear_transpose([](Tensor x) { return multiply(x, x); },
                         numbers({1}, {1}))(numbers({1}, {1}));
      },
      "[not-linear]", "linear in its arguments");
}

TEST(Derive, StopGradientAndErrors) {
  EXPECT_EQ(grad([](Tensor x) { return multiply(x, stop_gradient(x)); })(numbers({3}, {}))
                .array()
                .item<float>(),
            3);
  expect_mention([] { grad([](Tensor x) { return add(x, x); })(numbers({1, 2}, {2})); },
                 "[not-scalar]", "float32[2]");
  expect_mention(
      [] {
        grad([](Tensor x) { return sum(x); })(
            Tensor(Array::of<int32_t>(std::vector<int32_t>{1}, {1})));
      },
      "[not-differentiable]", "floats");
}

} // namespace
} // namespace kolam
