// Calls of host functions: what they see and give, when they run, and what is refused.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"
#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;
using test::run_both;
using Tensors = std::vector<Tensor>;

/// y = 2 x, and how many elements x has.
std::vector<Array> doubled(std::span<const Array> inputs) {
  std::vector<float> values(inputs[0].values<float>().begin(), inputs[0].values<float>().end());
  for (float& value : values)
    value *= 2;
  return {Array::of(values), Array::scalar(static_cast<int32_t>(values.size()))};
}

Tensors call_doubled(Tensor x) {
  static const HostFunction f(doubled);
  return opaque_call(f, {x}, {{DType::f32, x.shape()}, {DType::i32, {}}});
}

TEST(OpaqueCall, GivesWhatTheFunctionGives) {
  auto results = run_both({Array::of<float>({1, 2, 3})}, [](Tensors x) {
    Tensors called = call_doubled(x[0] + 1);
    return Tensors{called[0] - 1, called[1]};
  });
  EXPECT_TRUE(same_bits(results[0], Array::of<float>({3, 5, 7})));
  EXPECT_EQ(results[1].item<int32_t>(), 3);
}

TEST(OpaqueCall, RunsAtOnceOnArrays) {
  Tensors results = call_doubled(Array::of<float>({4}));
  EXPECT_EQ(results[0].array().values<float>()[0], 8);
}

TEST(OpaqueCall, RunsAtEachTurnAndAlsoUnused) {
  int calls = 0;
  HostFunction count([&](std::span<const Array>) {
    ++calls;
    return std::vector<Array>{};
  });
  auto counted = [&](Tensors x) {
    Tensor sum = fori_loop(
        0, 5,
        [&](Tensor i, Tensor s) {
          opaque_call(count, {i}, {});
          return s + i;
        },
        x[0]);
    return Tensors{sum};
  };
  EXPECT_EQ(run_both({Array::scalar(0)}, counted)[0].item<int32_t>(), 10);
  EXPECT_EQ(calls, 10) << "five turns on each of two backends";
}

TEST(OpaqueCall, RunsAtEachCallWhereItsInputsAreConstants) {
  int calls = 0;
  HostFunction next([&](std::span<const Array>) { return std::vector{Array::scalar(++calls)}; });
  auto f = jit([&](Tensor x) { return x + opaque_call(next, {}, {{DType::i32, {}}})[0]; });
  EXPECT_EQ(f(Array::scalar(0)).item<int32_t>(), 1);
  EXPECT_EQ(f(Array::scalar(0)).item<int32_t>(), 2);
}

TEST(OpaqueCall, RefusesResultsOfOtherTypes) {
  HostFunction f([](std::span<const Array> x) { return std::vector(x.begin(), x.end()); });
  Array x = Array::of<float>({1, 2});
  test::expect_words([&] { opaque_call(f, {x}, {{DType::f32, {3}}}); }, ErrorKind::value,
                     "opaque_call: [host-function-result] expected result 0 of the function to be "
                     "float32[3], but got float32[2]");
  test::expect_words([&] { opaque_call(f, {x}, {}); }, ErrorKind::value,
                     "opaque_call: [host-function-result] expected 0 results from the function, "
                     "but got 1");
}

TEST(OpaqueCall, PassesOnWhatTheFunctionThrows) {
  HostFunction f([](std::span<const Array>) -> std::vector<Array> {
    throw std::runtime_error("no such word");
  });
  auto g = jit([&](Tensor x) { return opaque_call(f, {x}, {{DType::f32, {}}})[0]; });
  EXPECT_THROW(g(Array::scalar(1.0f)), std::runtime_error);
}

} // namespace
} // namespace kolam
