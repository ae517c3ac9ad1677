// Attention as a kernel has the bits of kolam::attention, in native code and in the interpreter.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace kolam {
namespace {

Tensor random(unsigned seed, const Shape& shape, DType dtype = DType::f32) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(static_cast<size_t>(*element_count(shape).constant()));
  for (double& number : numbers)
    number = normal(engine);
  return astype(reshape(Tensor(numbers), shape), dtype);
}

/// Equal bits, or both NaN.
void expect_same(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.dtype(), expected.dtype());
  ASSERT_EQ(to_string(found.shape()), to_string(expected.shape()));
  Array a = astype(found, DType::f64).array(), b = astype(expected, DType::f64).array();
  auto of = a.values<double>(), meant = b.values<double>();
  for (size_t i = 0; i < of.size(); ++i)
    if (!(std::isnan(of[i]) && std::isnan(meant[i])))
      ASSERT_EQ(std::bit_cast<uint64_t>(of[i]), std::bit_cast<uint64_t>(meant[i])) << i;
}

/// The kernel as it runs and in the interpreter beside the function.
void expect_bits(const Tensor& q, const Tensor& k, const Tensor& v, AttentionOptions masks) {
  Tensor expected = attention(q, k, v, masks);
  kernels::AttentionOptions options{.masks = masks};
  expect_same(kernels::attention(q, k, v, options), expected);
  options.interpret.emplace();
  expect_same(kernels::attention(q, k, v, options), expected);
}

TEST(AttentionKernel, AllKeys) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16})
    expect_bits(random(0, {2, 4, 70, 16}, dtype), random(1, {2, 2, 130, 16}, dtype),
                random(2, {1, 2, 130, 9}, dtype), {});
}

TEST(AttentionKernel, Masks) {
  Tensor q = random(3, {2, 66, 8}), k = random(4, {2, 256, 8}), v = random(5, {2, 256, 8});
  expect_bits(q, k, v, {.causal = true});
  expect_bits(q, k, v, {.window = AttentionWindow{3, 140}});
  expect_bits(q, k, v, {.window = AttentionWindow{{}, 20}, .scale = 0.5});
  expect_bits(q, k, v, {.mask = random(6, {66, 256}) > 1});
  expect_bits(q, k, v, {.mask = random(7, {2, 1, 256})});
  expect_bits(q, k, v,
              {.segment_ids =
                   AttentionSegments{floor_divide(arange(66), 30), floor_divide(arange(256), 50)}});
  Tensor table = random(8, {256}) > 0;
  expect_bits(q, k, v,
              {.causal = true, .mask_function = [&](Tensor, Tensor head, Tensor query, Tensor key) {
                 return take(table, key, 0) & (query % 3 != head);
               }});
}

TEST(AttentionKernel, RowsWithoutKeys) {
  Tensor q = random(9, {3, 4}), none = zeros({0, 4});
  expect_bits(q, none, none, {});
  Tensor k = random(10, {5, 4});
  expect_bits(q, k, k, {.mask = reshape(arange(3), {3, 1}) == 1});
}

TEST(AttentionKernel, ExtentsThatTheRunKnows) {
  auto call =
      jit([](const Tensor& q, const Tensor& k,
             const Tensor& v) { return kernels::attention(q, k, v, {.masks = {.causal = true}}); },
          {.dynamic = {{0, {1}}, {1, {1}}, {2, {1}}}});
  for (int64_t length : {5, 128, 200}) {
    Tensor q = random(11, {2, 65, 8}), k = random(12, {2, length, 8}),
           v = random(13, {2, length, 8});
    expect_same(call(q, k, v), attention(q, k, v, {.causal = true}));
  }
}

TEST(AttentionKernel, DerivativesAreTheOps) {
  Tensor q = random(16, {2, 66, 8}), k = random(17, {1, 150, 8}), v = random(18, {1, 150, 8}),
         mask = random(19, {1, 150});
  auto of = [](const auto& attend) {
    return [attend](Tensor q, Tensor k, Tensor v, Tensor mask) {
      Tensor found = attend(q, k, v, kolam::AttentionOptions{.mask = mask, .causal = true});
      return sum(found * found);
    };
  };
  auto by_op = of([](auto q, auto k, auto v, auto masks) { return attention(q, k, v, masks); });
  auto by_kernel = of([](auto q, auto k, auto v, auto masks) {
    return kernels::attention(q, k, v, {.masks = masks});
  });
  auto [value, gradient] = value_and_grad<0, 1, 2, 3>(by_kernel)(q, k, v, mask);
  auto [expected, meant] = value_and_grad<0, 1, 2, 3>(by_op)(q, k, v, mask);
  expect_same(value, expected);
  expect_same(std::get<0>(gradient), std::get<0>(meant));
  expect_same(std::get<1>(gradient), std::get<1>(meant));
  expect_same(std::get<2>(gradient), std::get<2>(meant));
  expect_same(std::get<3>(gradient), std::get<3>(meant));
}

TEST(AttentionKernel, Refusals) {
  Tensor q = random(14, {2, 3, 4}), k = random(15, {2, 5, 4});
  auto refused = [](auto call, const std::string& words) {
    try {
      call();
      ADD_FAILURE() << "expected an error: " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([&] { kernels::attention(random(0, {4}), k, k); },
          "argument 'q': expected rank 2 or more");
  refused([&] { kernels::attention(q, random(0, {2, 5, 3}), k); },
          "argument 'k': expected extent 4 in dim -1, but got 3");
  refused([&] { kernels::attention(q, k, random(0, {2, 6, 4})); },
          "argument 'v': expected extent 5 in dim -2, but got 6");
  refused([&] { kernels::attention(q, random(0, {3, 5, 4}), k); },
          "argument 'k': expected extent 2 in dim -3, but got 3");
  refused([&] { kernels::attention(q, k, k, {.masks = {.mask = arange(5)}}); },
          "argument 'mask': expected booleans or floats");
  refused([&] { kernels::attention(q, k, k, {.masks = {.window = AttentionWindow{-1, {}}}}); },
          "expected numbers of keys >= 0, but got -1");
  refused([&] { kernels::attention(q, k, k, {.block_q = 0}); }, "[bad-block]");
}

} // namespace
} // namespace kolam
