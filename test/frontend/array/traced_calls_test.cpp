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

TEST(TracedCalls, CheckifyTracesOnce) {
  int traces = 0;
  auto checked = checkify([&](Tensor x) {
    ++traces;
    check(x > 0, "expected a positive x, but got {}", x);
    return multiply(x, 2);
  });
  const Tensor bad = std::vector<float>{1, -3, 2};
  for (int call = 0; call < 4; ++call) {
    auto [none, twice] = checked(kX);
    EXPECT_FALSE(none.get());
    EXPECT_EQ(numbers(twice), (std::vector<float>{2, 4, 6}));
    auto [error, same] = checked(bad);
    ASSERT_TRUE(error.get());
    EXPECT_NE(error.get()->find("but got -3"), std::string::npos) << *error.get();
    EXPECT_EQ(numbers(same), (std::vector<float>{2, -6, 4}));
  }
  EXPECT_EQ(traces, 1);
  checked(Tensor(std::vector<float>{5, 1}));
  EXPECT_EQ(traces, 2);
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

int traces_of_squared = 0;
Tensor squared(Tensor x) {
  ++traces_of_squared;
  return multiply(x, x);
}
int traces_of_cubed = 0;
Tensor cubed(Tensor x) {
  ++traces_of_cubed;
  return multiply(x, multiply(x, x));
}

TEST(TracedCalls, FunctionsWithoutStateTraceOnceAtCallsThatAreGivenThem) {
  traces_of_squared = traces_of_cubed = 0;
  for (float at : {1.0F, 2.0F, 4.0F}) {
    const Tensor x(at), one(1.0F);
    auto [y, pullback] = vjp(squared, x);
    EXPECT_EQ(numbers(y), (std::vector<float>{at * at}));
    EXPECT_EQ(numbers(std::get<0>(pullback(one))), (std::vector<float>{2 * at}));
    auto [z, other] = vjp(cubed, x); // of the same type
    EXPECT_EQ(numbers(std::get<0>(other(one))), (std::vector<float>{3 * at * at}));
    auto [value, push] = linearize(squared, x);
    EXPECT_EQ(numbers(push(one)), (std::vector<float>{2 * at}));
    auto [same, along] = jvp(squared, std::tuple(x), std::tuple(one));
    EXPECT_EQ(numbers(along), (std::vector<float>{2 * at}));
  }
  EXPECT_EQ(traces_of_squared, 3);
  EXPECT_EQ(traces_of_cubed, 1);
}

TEST(TracedCalls, ShapesOfTransposedFunctionsTellTheirProgramsApart) {
  auto doubled = [](Tensor x) { return multiply(x, 2); };
  EXPECT_EQ(numbers(std::get<0>(linear_transpose(doubled, kX)(kX))), (std::vector<float>{2, 4, 6}));
  const Tensor two = std::vector<float>{1, 2};
  EXPECT_EQ(numbers(std::get<0>(linear_transpose(doubled, two)(two))), (std::vector<float>{2, 4}));
}

TEST(TracedCalls, FunctionsThatCaptureTraceOnceInObjects) {
  int traces = 0;
  const Tensor one(1.0F);
  auto f = [&](Tensor x) {
    ++traces;
    return sin(x);
  };
  auto pulled = vjp(f);
  auto pushed = linearize(f);
  auto along = jvp(f);
  for (float at : {0.5F, 1.0F}) {
    const Tensor x(at);
    auto [y, pullback] = pulled(x);
    const auto expected = numbers(cos(x));
    EXPECT_EQ(numbers(std::get<0>(pullback(one))), expected);
    EXPECT_EQ(numbers(pushed(x).second(one)), expected);
    EXPECT_EQ(numbers(along({x}, {one}).second), expected);
  }
  EXPECT_EQ(traces, 3);
}

TEST(TracedCalls, KeptCallsAreInlinedInATrace) {
  auto pulled = vjp([](Tensor x) { return multiply(x, x); });
  auto both = jit([&](Tensor x) {
    auto [y, pullback] = pulled(x);
    return std::get<0>(pullback(y));
  });
  EXPECT_EQ(numbers(both(kX)), (std::vector<float>{2, 16, 54}));
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
