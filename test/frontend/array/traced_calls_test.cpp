// Functions that transformations made, outside jit: traced once per signature.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

const Tensor kX = std::vector<float>{1, 2, 3};

std::vector<float> numbers(const Tensor& tensor) {
  const Array array = tensor;
  const auto elements = array.values<float>();
  return {elements.begin(), elements.end()};
}

TEST(TracedCalls, GradTracesOnce) {
  int traces = 0;
  auto gradient = grad([&](Tensor x) {
    ++traces;
    return sum(multiply(x, x));
  });
  for (int call = 0; call < 15; ++call)
    EXPECT_EQ(numbers(gradient(kX)), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(numbers(gradient(Tensor(std::vector<float>{5, 1}))), (std::vector<float>{10, 2}));
  EXPECT_EQ(traces, 2);
}

TEST(TracedCalls, VmapTracesOnce) {
  int traces = 0;
  auto mapped = vmap(
      [&](Tensor x, int64_t times) {
        ++traces;
        return multiply(x, times);
      },
      {.in_axes = {0, std::nullopt}});
  EXPECT_EQ(numbers(mapped(kX, 2)), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(numbers(mapped(kX, 3)), (std::vector<float>{3, 6, 9}));
  EXPECT_EQ(numbers(mapped(kX, 2)), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(traces, 2); // numbers are part of the signature
}

TEST(TracedCalls, JacobiansAndHessiansTraceOnce) {
  int traces = 0;
  auto second = hessian([&](Tensor x) {
    ++traces;
    return sum(multiply(x, multiply(x, x)));
  });
  const auto first = numbers(second(kX));
  const int once = traces;
  EXPECT_EQ(numbers(second(kX)), first);
  EXPECT_EQ(traces, once);
}

TEST(TracedCalls, LinearTransposeTracesOnce) {
  int traces = 0;
  auto transposed = linear_transpose(
      [&](Tensor x) {
        ++traces;
        return multiply(x, 3);
      },
      kX);
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(numbers(std::get<0>(transposed(kX))), (std::vector<float>{3, 6, 9}));
  EXPECT_EQ(traces, 1);
}

TEST(TracedCalls, EmptyHandlesAndIntegersStay) {
  auto gradient = grad<0, 1>([](Tensor x, Tensor n) { return sum(multiply(x, n)); });
  const Tensor n = std::vector<int32_t>{1, 0, 2};
  for (int call = 0; call < 3; ++call) {
    auto [of_x, of_n] = gradient(kX, n);
    EXPECT_EQ(numbers(of_x), (std::vector<float>{1, 0, 2}));
    EXPECT_TRUE(of_n.is_empty());
  }
}

TEST(TracedCalls, PullbacksRunAtEachPoint) {
  for (float at : {1.0F, 2.0F, 4.0F}) {
    auto [y, pullback] = vjp([](Tensor x) { return multiply(x, x); }, Tensor(at));
    for (int call = 0; call < 12; ++call)
      EXPECT_EQ(numbers(std::get<0>(pullback(Tensor(1.0F)))), (std::vector<float>{2 * at}));
  }
}

TEST(TracedCalls, CopiesShareTheirPrograms) {
  int traces = 0;
  auto gradient = grad([&](Tensor x) {
    ++traces;
    return sum(x);
  });
  auto copy = gradient;
  gradient(kX);
  copy(kX);
  EXPECT_EQ(traces, 1);
}

} // namespace
} // namespace kolam
