// Running sums and products.
#include "test/frontend/array/one_tensor.h"

namespace kolam {
namespace {

using test::run_one;
using test::run_one_dynamic;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

const Array kGrid = Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});

TEST(Cumulative, GoesAlongAnyAxis) {
  expect_same(run_one(kGrid, [](Tensor x) { return cumulative_sum(x, {.axis = 0}); }),
              Array::of<int32_t>({1, 2, 3, 5, 7, 9}, {2, 3}));
  expect_same(run_one(kGrid, [](Tensor x) { return cumulative_sum(x, {.axis = -1}); }),
              Array::of<int32_t>({1, 3, 6, 4, 9, 15}, {2, 3}));
  expect_same(run_one_dynamic(kGrid, [](Tensor x) { return cumulative_prod(x, {.axis = 1}); }),
              Array::of<int32_t>({1, 2, 6, 4, 20, 120}, {2, 3}));
}

TEST(Cumulative, StartsWithTheIdentityOnDemand) {
  expect_same(
      run_one(kGrid,
              [](Tensor x) { return cumulative_sum(x, {.axis = 1, .include_initial = true}); }),
      Array::of<int32_t>({0, 1, 3, 6, 0, 4, 9, 15}, {2, 4}));
  expect_same(run_one(Array::of<float>({2, 3}),
                      [](Tensor x) { return cumulative_prod(x, {.include_initial = true}); }),
              Array::of<float>({1, 2, 6}));
}

TEST(Cumulative, AddsLeftToRight) {
  Array x = test::random_array<float>({3, 700}, 1);
  Array result = run_one(x, [](Tensor t) { return cumulative_sum(t, {.axis = 1}); });
  for (int64_t row = 0; row < 3; ++row) {
    float sum = x.values<float>()[row * 700];
    for (int64_t i = 0; i < 700; ++i) {
      if (i > 0)
        sum += x.values<float>()[row * 700 + i];
      ASSERT_EQ(result.values<float>()[row * 700 + i], sum);
    }
  }
}

TEST(Cumulative, NarrowFloatsRoundEachResultOnce) {
  std::vector<float> ones(400, 1.0f);
  Array result = run_one(Array::of<float>(ones), [](Tensor x) {
    return imm(cumulative_sum(imm(x, DType::bf16)), DType::f32);
  });
  EXPECT_EQ(result.values<float>()[255], 256.0f);
  EXPECT_EQ(result.values<float>()[399], 400.0f); // a bf16 sum would stay at 256
}

TEST(Cumulative, ChangesDTypesLikeSum) {
  Array bytes = Array::of<int8_t>({100, 100});
  expect_same(run_one(bytes, [](Tensor x) { return cumulative_sum(x); }),
              Array::of<int32_t>({100, 200}));
  expect_same(run_one(bytes, [](Tensor x) { return cumulative_sum(x, {.dtype = DType::u8}); }),
              Array::of<uint8_t>({100, 200}));
}

TEST(Cumulative, TakesEmptyAxes) {
  Array x = Array::zeros(DType::f32, {2, 0});
  EXPECT_EQ(run_one(x, [](Tensor t) { return cumulative_sum(t, {.axis = 1}); }).shape(),
            (std::vector<int64_t>{2, 0}));
  expect_same(
      run_one(x, [](Tensor t) { return cumulative_prod(t, {.axis = 1, .include_initial = true}); }),
      Array::of<float>({1, 1}, {2, 1}));
  expect_same(run_one_dynamic(x, [](Tensor t) { return cumulative_sum(t, {.axis = 0}); }), x);
}

} // namespace
} // namespace kolam
