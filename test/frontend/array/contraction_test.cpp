// matmul, tensordot, vecdot, outer and linear against plain loops.
#include "kolam/frontend/array/contraction.h"

#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

namespace kolam {
namespace {

using test::run_both;

Extent symbol(const char* name) { return Extent::symbol(name); }

std::vector<Tensor> product(std::vector<Tensor> t) { return {matmul(t[0], t[1])}; }

/// result[i, j] = sum_k x[i, k] y[k, j], in T.
template <class T> Array plain_product(const Array& x, const Array& y) {
  int64_t m = x.shape()[0], k = x.shape()[1], n = y.shape()[1];
  Array result = Array::zeros(dtype_of<T>(), {m, n});
  auto cells = result.mutable_values<T>();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        cells[i * n + j] =
            static_cast<T>(cells[i * n + j] + x.values<T>()[i * k + l] * y.values<T>()[l * n + j]);
  return result;
}

template <class T> class MatmulOf : public testing::Test {};
using Numbers = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                               uint64_t, float, double>;
TYPED_TEST_SUITE(MatmulOf, Numbers);

TYPED_TEST(MatmulOf, IsTheSumOfProducts) {
  std::mt19937 random(1);
  TensorSpec x_spec{dtype_of<TypeParam>(), {symbol("m"), symbol("k")}};
  TensorSpec y_spec{dtype_of<TypeParam>(), {symbol("k"), symbol("n")}};
  for (auto [m, k, n] :
       {std::tuple(3, 4, 5), {1, 1, 1}, {0, 3, 2}, {2, 0, 3}, {2, 3, 0}, {2, 7, 17}}) {
    Array x = test::random_integers<TypeParam>({m, k}, random);
    Array y = test::random_integers<TypeParam>({k, n}, random);
    EXPECT_TRUE(
        same_bits(run_both({x_spec, y_spec}, {x, y}, product)[0], plain_product<TypeParam>(x, y)));
    EXPECT_TRUE(same_bits(matmul(x, y).array(), plain_product<TypeParam>(x, y)));
  }
}

TEST(Matmul, WrapsAroundInTheOperandsDtype) {
  Array x = Array::of<int8_t>({100, 100}, {1, 2}), y = Array::of<int8_t>({2, 1}, {2, 1});
  EXPECT_EQ(run_both({x, y}, product)[0].item<int8_t>(), 44); // 300 - 256
  Array u = Array::of<uint8_t>({200, 100}, {1, 2}), v = Array::of<uint8_t>({1, 1}, {2, 1});
  EXPECT_EQ(run_both({u, v}, product)[0].item<uint8_t>(), 44);
}

TEST(Matmul, SumsBytesInAWiderDtypeExactly) {
  Array x = Array::of(std::vector<int8_t>(1000, -128), {1, 1000});
  Array y = Array::of(std::vector<int8_t>(1000, -128), {1000, 1});
  auto sum = [](DType dtype) {
    return
        [dtype](std::vector<Tensor> t) { return std::vector<Tensor>{matmul(t[0], t[1], dtype)}; };
  };
  EXPECT_EQ(run_both({x, y}, sum(DType::i32))[0].item<int32_t>(), 16384000);
  EXPECT_EQ(run_both({x, y}, sum(DType::i64))[0].item<int64_t>(), 16384000);
  Array u = Array::of(std::vector<uint8_t>(1000, 255), {1, 1000});
  Array v = Array::of(std::vector<uint8_t>(1000, 255), {1000, 1});
  EXPECT_EQ(run_both({u, v}, sum(DType::i32))[0].item<int32_t>(), 65025000);
  EXPECT_EQ(run_both({u, v}, sum(DType::u32))[0].item<uint32_t>(), 65025000u);
}

TEST(Matmul, SumsHalvesInSinglePrecision) {
  // 2048 + 1 is lost in float16, and 256 + 1 in bfloat16, but not in their sums.
  std::vector<Float16> halves(2049, Float16{0x3c00}); // 1
  Array x = Array::of(halves, {1, 2049}), y = Array::of(halves, {2049, 1});
  auto in_f32 = [](std::vector<Tensor> t) {
    return std::vector<Tensor>{matmul(t[0], t[1], DType::f32)};
  };
  EXPECT_EQ(run_both({x, y}, in_f32)[0].item<float>(), 2049);
  EXPECT_EQ(run_both({x, y}, product)[0].item<Float16>().bits,
            0x6800); // 2048, rounded once to even
  std::vector<BFloat16> brains(257, BFloat16{0x3f80});
  x = Array::of(brains, {1, 257}), y = Array::of(brains, {257, 1});
  EXPECT_EQ(run_both({x, y}, in_f32)[0].item<float>(), 257);
  EXPECT_EQ(run_both({x, y}, product)[0].item<BFloat16>().bits, 0x4380); // 256
}

TEST(Matmul, PromotesItsOperands) {
  Array x = Array::of<int8_t>({1, 2}, {1, 2}), y = Array::of<float>({0.5f, 0.25f}, {2, 1});
  EXPECT_EQ(run_both({x, y}, product)[0].item<float>(), 1.0f);
}

TEST(Matmul, BroadcastsBatchDims) {
  std::mt19937 random(2);
  Array x = test::random_integers<float>({4, 1, 2, 3}, random);
  Array y = test::random_integers<float>({5, 3, 6}, random);
  Array result = run_both({x, y}, product)[0];
  ASSERT_EQ(result.shape(), (std::vector<int64_t>{4, 5, 2, 6}));
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t c = 0; c < 5; ++c)
      EXPECT_TRUE(
          same_bits(result.slice_outer(a).slice_outer(c),
                    plain_product<float>(x.slice_outer(a).slice_outer(0), y.slice_outer(c))));
}

TEST(Matmul, ChecksSymbolicBatchDimsWhenTheyRun) {
  std::mt19937 random(3);
  std::vector<TensorSpec> specs{{DType::f32, {symbol("a"), 2, 3}},
                                {DType::f32, {symbol("b"), 3, 2}}};
  Array x = test::random_integers<float>({4, 2, 3}, random);
  Array y = test::random_integers<float>({4, 3, 2}, random);
  EXPECT_EQ(run_both(specs, {x, y}, product)[0].shape(), (std::vector<int64_t>{4, 2, 2}));
  Error error =
      test::run_error(specs, {x, test::random_integers<float>({1, 3, 2}, random)}, product);
  EXPECT_EQ(error.slug(), "shape-mismatch");
}

TEST(Matmul, TakesVectorsAsRowAndColumn) {
  Array v = Array::of<float>({1, 2, 3}), m = Array::of<float>({1, 0, 0, 1, 1, 1}, {3, 2});
  EXPECT_EQ(run_both({v, v}, product)[0].item<float>(), 14);
  EXPECT_TRUE(same_bits(run_both({v, m}, product)[0], Array::of<float>({4, 5})));
  Array batch = Array::of<float>({1, 1, 1, 2, 2, 2}, {2, 1, 3});
  EXPECT_TRUE(same_bits(run_both({batch, v}, product)[0], Array::of<float>({6, 12}, {2, 1})));
  EXPECT_TRUE(same_bits(run_both({v, batch.reshaped({2, 3, 1})}, product)[0],
                        Array::of<float>({6, 12}, {2, 1})));
}

TEST(Tensordot, SumsTheLastAxesWithTheFirst) {
  std::mt19937 random(4);
  Array x = test::random_integers<float>({2, 3, 4}, random);
  Array y = test::random_integers<float>({3, 4, 5}, random);
  auto dot = [](int64_t axes) {
    return
        [axes](std::vector<Tensor> t) { return std::vector<Tensor>{tensordot(t[0], t[1], axes)}; };
  };
  EXPECT_TRUE(same_bits(run_both({x, y}, dot(2))[0],
                        plain_product<float>(x.reshaped({2, 12}), y.reshaped({12, 5}))));
  EXPECT_TRUE(same_bits(
      run_both({x, y}, dot(0))[0],
      plain_product<float>(x.reshaped({24, 1}), y.reshaped({1, 60})).reshaped({2, 3, 4, 3, 4, 5})));
}

TEST(Tensordot, PairsListedAxes) {
  std::mt19937 random(5);
  Array x = test::random_integers<int32_t>({2, 3, 4}, random);
  Array y = test::random_integers<int32_t>({4, 5, 2}, random);
  Array result = run_both({x, y}, [](std::vector<Tensor> t) {
    return std::vector<Tensor>{tensordot(t[0], t[1], {0, -1}, {2, 0})};
  })[0];
  ASSERT_EQ(result.shape(), (std::vector<int64_t>{3, 5}));
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t d = 0; d < 5; ++d) {
      int32_t sum = 0;
      for (int64_t a = 0; a < 2; ++a)
        for (int64_t c = 0; c < 4; ++c)
          sum +=
              x.values<int32_t>()[(a * 3 + b) * 4 + c] * y.values<int32_t>()[(c * 5 + d) * 2 + a];
      EXPECT_EQ(result.values<int32_t>()[b * 5 + d], sum);
    }
}

TEST(Vecdot, SumsOneAxisAndBroadcastsTheRest) {
  Array x = Array::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}), y = Array::of<float>({1, 10, 100});
  auto dot = [](int64_t axis) {
    return [axis](std::vector<Tensor> t) { return std::vector<Tensor>{vecdot(t[0], t[1], axis)}; };
  };
  EXPECT_TRUE(same_bits(run_both({x, y}, dot(-1))[0], Array::of<float>({321, 654})));
  EXPECT_TRUE(same_bits(run_both({x, x}, dot(0))[0], Array::of<float>({17, 29, 45})));
  Array row = Array::of<float>({1, 1, 2}, {1, 3});
  EXPECT_TRUE(same_bits(run_both({x, row}, dot(1))[0], Array::of<float>({9, 21})));
}

TEST(Outer, MultipliesEveryPair) {
  Array x = Array::of<float>({1, -2}), y = Array::of<float>({3, 0, 5});
  Array result = run_both(
      {x, y}, [](std::vector<Tensor> t) { return std::vector<Tensor>{outer(t[0], t[1])}; })[0];
  EXPECT_TRUE(same_bits(result, Array::of<float>({3, 0, 5, -6, -0.0f, -10}, {2, 3})));
}

TEST(Linear, TakesPyTorchsWeight) {
  Array x = Array::of<float>({1, 2, 3, 4}, {2, 1, 2});
  Array weight = Array::of<float>({1, 1, 0, 2, 3, 0}, {3, 2}), bias = Array::of<float>({0, 10, 20});
  Array result = run_both({x, weight, bias}, [](std::vector<Tensor> t) {
    return std::vector<Tensor>{linear(t[0], t[1], t[2])};
  })[0];
  EXPECT_TRUE(same_bits(result, Array::of<float>({3, 14, 23, 7, 18, 29}, {2, 1, 3})));
  EXPECT_TRUE(
      same_bits(linear(x, weight).array(), Array::of<float>({3, 4, 3, 7, 8, 9}, {2, 1, 3})));
}

TEST(Linear, RoundsNarrowFloatsOnce) {
  // 256 + 1 is no bfloat16; with the bias of 1 the sum is.
  Array x = Array::of<BFloat16>({{0x4380}, {0x3f80}}), one = Array::of<BFloat16>({{0x3f80}});
  Array weight = Array::of<BFloat16>({{0x3f80}, {0x3f80}}, {1, 2});
  Array result = run_both({x, weight, one}, [](std::vector<Tensor> t) {
    return std::vector<Tensor>{linear(t[0], t[1], t[2])};
  })[0];
  EXPECT_EQ(result.item<BFloat16>().bits, 0x4381); // 258
}

TEST(Terms, HiddenOnesDoNotLeak) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Array x = array<float>({{1, nan}, {3, 4}}), y = array<float>({1, 10});
  Array where = array<bool>({{true, false}, {true, true}});
  auto results = run_both({x, y, where}, [](std::vector<Tensor> t) {
    return std::vector{matmul(t[0], t[1], {}, {.where = t[2]}),
                       vecdot(t[0], t[1], -1, {}, {.where = t[2], .accumulate = "chain"})};
  });
  for (const Array& result : results)
    EXPECT_EQ(std::vector<float>(result.values<float>().begin(), result.values<float>().end()),
              (std::vector<float>{1, 43}));
}

TEST(Terms, RefusesOtherOrders) {
  Array x = Array::zeros(DType::f32, {2, 2});
  EXPECT_THROW(matmul(x, x, {}, {.accumulate = "tree"}), Error);
}

} // namespace
} // namespace kolam
