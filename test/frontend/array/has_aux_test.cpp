// Derivatives of functions that give a pair, the value and what else is wanted.
#include "kolam/frontend/array/has_aux.h"
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;

Tensor numbers(std::vector<double> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Array::of<double>(values, {count});
}

/// x y, and beside it a count and the sine of x.
std::pair<Tensor, std::tuple<Tensor, Tensor>> f(Tensor x, Tensor y) {
  return {multiply(x, y), {argmax(x), sin(x)}};
}

TEST(HasAux, VjpGivesValuePullbackAndWhatStandsBeside) {
  const Tensor x = numbers({1, 2}), y = numbers({3, 4});
  auto [value, pullback, aux] = vjp(has_aux, f, x, y);
  auto [of_x, of_y] = pullback(numbers({1, 10}));
  EXPECT_TRUE(same_bits(value.array(), numbers({3, 8}).array()));
  EXPECT_TRUE(same_bits(of_x.array(), numbers({3, 40}).array()));
  EXPECT_TRUE(same_bits(of_y.array(), numbers({1, 20}).array()));
  EXPECT_EQ(std::get<0>(aux).array().item<int32_t>(), 1);
  EXPECT_TRUE(same_bits(std::get<1>(aux).array(), sin(x).array()));
}

TEST(HasAux, LinearizeAndJvpPushTheValueAlone) {
  const Tensor x = numbers({1, 2}), y = numbers({3, 4}), along = numbers({1, 0});
  auto [value, push, aux] = linearize(has_aux, f, x, y);
  EXPECT_TRUE(same_bits(push(along, along).array(), numbers({4, 0}).array()));
  auto [same, tangent, beside] = jvp<has_aux>(f, std::tuple(x, y), std::tuple(along, along));
  EXPECT_TRUE(same_bits(same.array(), value.array()));
  EXPECT_TRUE(same_bits(tangent.array(), numbers({4, 0}).array()));
  EXPECT_TRUE(same_bits(std::get<1>(beside).array(), std::get<1>(aux).array()));
}

TEST(HasAux, FunctionsThatCaptureTraceOnceInObjects) {
  int traces = 0;
  auto g = [&](Tensor x) {
    ++traces;
    return std::pair(sin(x), argmax(x));
  };
  auto pulled = vjp(has_aux, g);
  auto pushed = linearize(has_aux, g);
  auto along = jvp<has_aux>(g);
  const Tensor direction = numbers({1, 10});
  for (double at : {0.5, 3.0}) {
    const Tensor x = numbers({at, 2});
    const int32_t largest = at > 2 ? 0 : 1;
    const Tensor expected = multiply(cos(x), direction);
    auto [y, pullback, place] = pulled(x);
    EXPECT_TRUE(same_bits(y.array(), sin(x).array()));
    EXPECT_TRUE(same_bits(std::get<0>(pullback(direction)).array(), expected.array()));
    EXPECT_EQ(place.array().item<int32_t>(), largest);
    auto [value, push, beside] = pushed(x);
    EXPECT_TRUE(same_bits(push(direction).array(), expected.array()));
    EXPECT_EQ(beside.array().item<int32_t>(), largest);
    auto [same, tangent, also] = along({x}, {direction});
    EXPECT_TRUE(same_bits(tangent.array(), expected.array()));
    EXPECT_EQ(also.array().item<int32_t>(), largest);
  }
  EXPECT_EQ(traces, 3);
}

TEST(HasAux, InsideJit) {
  auto pulled = jit([](Tensor x, Tensor y) {
    auto [value, pullback, aux] = vjp(has_aux, f, x, y);
    return std::pair(std::get<1>(pullback(value)), std::get<1>(aux));
  });
  const Tensor x = numbers({1, 2}), y = numbers({3, 4});
  auto [of_y, beside] = pulled(x, y);
  EXPECT_TRUE(same_bits(of_y.array(), numbers({3, 16}).array()));
  EXPECT_TRUE(same_bits(beside.array(), sin(x).array()));
}

} // namespace
} // namespace kolam
