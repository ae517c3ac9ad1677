// Named reductions: their values, dtypes, axes, and what they give of nothing.
#include "test/frontend/array/one_tensor.h"

#include <cmath>
#include <limits>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;
using test::run_one;
using test::run_one_dynamic;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected))
      << actual.to_string() << " of " << name(actual.dtype()) << "\nexpected\n"
      << expected.to_string() << " of " << name(expected.dtype());
}

const Array kGrid = Array::of<float>({1, 5, 2, 4, 3, 6}, {2, 3});

TEST(Reduction, TakesOneAxisSeveralOrAll) {
  expect_same(run_one(kGrid, [](Tensor x) { return max(x); }), Array::scalar(6.0f));
  expect_same(run_one(kGrid, [](Tensor x) { return max(x, 0); }), Array::of<float>({4, 5, 6}));
  expect_same(run_one(kGrid, [](Tensor x) { return min(x, -1); }), Array::of<float>({1, 3}));
  expect_same(run_one(kGrid, [](Tensor x) { return sum(x, {0, -1}); }), Array::scalar(21.0f));
}

TEST(Reduction, NoAxisLeavesEveryCell) {
  expect_same(run_one(kGrid, [](Tensor x) { return sum(x, std::vector<int64_t>{}); }), kGrid);
}

TEST(Reduction, KeepsDimsOnDemand) {
  expect_same(run_one(kGrid, [](Tensor x) { return sum(x, 0, {.keepdims = true}); }),
              Array::of<float>({5, 8, 8}, {1, 3}));
  expect_same(run_one(kGrid, [](Tensor x) { return argmax(x, {}, {.keepdims = true}); }),
              Array::of<int32_t>({5}, {1, 1}));
}

TEST(Reduction, TakesScalars) {
  Array x = Array::scalar(2.5f);
  expect_same(run_one(x, [](Tensor t) { return sum(t); }), x);
  expect_same(run_one(x, [](Tensor t) { return var(t); }), Array::scalar(0.0f));
  expect_same(run_one(x, [](Tensor t) { return argmin(t); }), Array::scalar(int32_t{0}));
}

TEST(Reduction, RunsAtOnceOnArrays) {
  EXPECT_EQ(sum(kGrid).item<float>(), 21.0f);
  EXPECT_EQ(any(greater(kGrid, 5.5f)).item<bool>(), true);
}

TEST(Reduction, SumsSmallIntegersWide) {
  Array bytes = Array::of<int8_t>({100, 100, 100});
  expect_same(run_one(bytes, [](Tensor x) { return sum(x); }), Array::scalar(int32_t{300}));
  expect_same(run_one(bytes, [](Tensor x) { return sum(x, {}, {.dtype = DType::i8}); }),
              Array::scalar(int8_t{44}));
  Array words = Array::of<uint16_t>({65535, 65535});
  expect_same(run_one(words, [](Tensor x) { return sum(x); }), Array::scalar(uint32_t{131070}));
  Array truths = Array::of<bool>({true, false, true});
  expect_same(run_one(truths, [](Tensor x) { return sum(x); }), Array::scalar(int32_t{2}));
  expect_same(run_one(truths, [](Tensor x) { return prod(x); }), Array::scalar(int32_t{0}));
  Array longs = Array::of<int64_t>({INT64_MAX, 1});
  expect_same(run_one(longs, [](Tensor x) { return sum(x); }), Array::scalar(INT64_MIN));
}

TEST(Reduction, NarrowFloatsRoundOnce) {
  // 256 + 1 + 1 ... in bf16 would stay 256.
  std::vector<float> values(65, 1.0f);
  values[0] = 256;
  Array narrow = run_one(Array::of<float>(values),
                         [](Tensor x) { return imm(sum(imm(x, DType::bf16)), DType::f32); });
  expect_same(narrow, Array::scalar(320.0f));
  expect_same(run_one(Array::of<float>(values),
                      [](Tensor x) { return imm(mean(imm(x, DType::f16)), DType::f32); }),
              Array::scalar(4.921875f)); // 320 / 65 = 4.923, to 11 bits
}

TEST(Reduction, ExtremesPropagateNaNAndOrderZeros) {
  expect_same(run_one(Array::of<float>({1, kNaN, 3}), [](Tensor x) { return max(x); }),
              Array::scalar(kNaN));
  expect_same(run_one(Array::of<float>({0.0f, -0.0f}), [](Tensor x) { return min(x); }),
              Array::scalar(-0.0f));
  expect_same(run_one(Array::of<int16_t>({3, -7, 5}), [](Tensor x) { return min(x); }),
              Array::scalar(int16_t{-7}));
}

TEST(Reduction, ArgumentsTakeTheFirstNaNElseTheFirstExtreme) {
  auto places = [](const Array& x) {
    auto results = run_both(
        {x}, [](std::vector<Tensor> t) { return std::vector{argmin(t[0]), argmax(t[0])}; });
    return std::pair(results[0].item<int32_t>(), results[1].item<int32_t>());
  };
  EXPECT_EQ(places(Array::of<float>({3, 1, 4, 1, 4})), std::pair(1, 2));
  EXPECT_EQ(places(Array::of<float>({3, kNaN, -kInf, kNaN, kInf})), std::pair(1, 1));
  EXPECT_EQ(places(Array::of<float>({0.0f, -0.0f})), std::pair(0, 0));
  EXPECT_EQ(places(Array::of<float>({kInf, kInf})), std::pair(0, 0));
  EXPECT_EQ(places(Array::of<bool>({true, false, true})), std::pair(1, 0));
  std::vector<float> wave(9000);
  for (size_t i = 0; i < wave.size(); ++i)
    wave[i] = static_cast<float>((i * 37) % 1000);
  EXPECT_EQ(places(Array::of<float>(wave)), std::pair(0, 27));
}

TEST(Reduction, ArgumentsAreFlatOverSeveralAxes) {
  Array x = Array::of<int32_t>({1, 2, 9, 4, 5, 6, 7, 8, 3, 0, 1, 2}, {2, 3, 2});
  expect_same(run_one(x, [](Tensor t) { return argmax(t, {1, 2}); }), Array::of<int32_t>({2, 1}));
  expect_same(run_one(x, [](Tensor t) { return argmax(t, {0, 2}); }),
              Array::of<int32_t>({3, 0, 1}));
  expect_same(run_one_dynamic(x, [](Tensor t) { return argmin(t); }), Array::scalar(int64_t{9}));
}

TEST(Reduction, MeanAndVariance) {
  Array x = Array::of<float>({1, 2, 3, 4});
  expect_same(run_one(x, [](Tensor t) { return mean(t); }), Array::scalar(2.5f));
  expect_same(run_one(x, [](Tensor t) { return var(t); }), Array::scalar(1.25f));
  expect_same(run_one(x, [](Tensor t) { return var(t, {}, {.correction = 1}); }),
              Array::scalar(5.0f / 3.0f));
  expect_same(run_one(x, [](Tensor t) { return std(t, 0, {.keepdims = true}); }),
              Array::of<float>({std::sqrt(1.25f)}));
  expect_same(run_one(Array::of<int64_t>({1, 2}), [](Tensor t) { return mean(t); }),
              Array::scalar(1.5f));
  expect_same(run_one_dynamic(x, [](Tensor t) { return var(t, {}, {.correction = 1}); }),
              Array::scalar(5.0f / 3.0f));
}

TEST(Reduction, TruthOfCells) {
  Array x = Array::of<float>({0, kNaN, 0, 0}, {2, 2});
  expect_same(run_one(x, [](Tensor t) { return any(t, 1); }), Array::of<bool>({true, false}));
  expect_same(run_one(x, [](Tensor t) { return all(t, 0); }), Array::of<bool>({false, false}));
}

TEST(Reduction, LogSumExpDoesNotOverflow) {
  Array x = Array::of<float>({1000, 1000, -kInf, -kInf}, {2, 2});
  Array result = run_one(x, [](Tensor t) { return logsumexp(t, 1); });
  EXPECT_NEAR(result.values<float>()[0], 1000 + std::log(2.0f), 1e-4); // two ulps at 1000
  EXPECT_EQ(result.values<float>()[1], -kInf);
}

TEST(Reduction, OfNothing) {
  Array x = Array::zeros(DType::f32, {0, 2});
  expect_same(run_one(x, [](Tensor t) { return sum(t, 0); }), Array::of<float>({0, 0}));
  expect_same(run_one(x, [](Tensor t) { return prod(t); }), Array::scalar(1.0f));
  expect_same(run_one(x, [](Tensor t) { return mean(t); }), Array::scalar(kNaN));
  expect_same(run_one(x, [](Tensor t) { return all(t); }), Array::scalar(true));
  expect_same(run_one(x, [](Tensor t) { return logsumexp(t); }), Array::scalar(-kInf));
  EXPECT_EQ(run_one(x, [](Tensor t) { return max(t, 1); }).shape(), std::vector<int64_t>{0});
  expect_same(run_one_dynamic(x, [](Tensor t) { return sum(t, 0); }), Array::of<float>({0, 0}));
}

TEST(Reduction, SumsNegativeZeros) {
  expect_same(run_one(Array::of<float>({-0.0f, -0.0f}), [](Tensor t) { return sum(t); }),
              Array::scalar(-0.0f));
}

TEST(Reduction, EveryDTypeReduces) {
  for (DType dtype : kDTypes) {
    Array x =
        run_one(Array::of<int32_t>({3, 0, 1, 2, 5, 4, 7}), [&](Tensor t) { return imm(t, dtype); });
    run_both({x}, [&](std::vector<Tensor> t) {
      std::vector<Tensor> results{sum(t[0]), prod(t[0]), mean(t[0]),   any(t[0]),
                                  all(t[0]), var(t[0]),  argmin(t[0]), argmax(t[0])};
      if (dtype != DType::boolean)
        results.insert(results.end(), {min(t[0]), max(t[0]), cumulative_sum(t[0])});
      return results;
    });
  }
}

TEST(Reduction, FusesWhatItReads) {
  Program program = trace(std::vector<TensorSpec>{{DType::f32, {8, 100}}},
                          [](std::vector<Tensor> t) { return std::vector{sum(exp(t[0]) * 2, 1)}; });
  EXPECT_NE(program.as_text("nests").find("arena: 0 bytes"), std::string::npos);
}

} // namespace
} // namespace kolam
