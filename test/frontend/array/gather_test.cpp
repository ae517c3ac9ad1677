// gather: the documents' examples, every mode, batched dims, edges and refusals.
#include "test/frontend/array/both_backends.h"

#include <numeric>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;

template <class T> Array counted(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(dtype_of<T>(), std::move(shape));
  auto values = array.mutable_values<T>();
  std::iota(values.begin(), values.end(), T(0));
  return array;
}

/// gather on one operand and its indices.
Array gathered(const Array& x, const Array& indices, std::vector<int64_t> dims,
               std::vector<int64_t> lengths, int64_t batched = 0, std::string mode = "clip") {
  return run_both({x, indices}, [&](std::vector<Tensor> v) {
    return std::vector{gather(v[0], v[1], dims, lengths, batched, mode)};
  })[0];
}

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

TEST(Gather, SeedExampleTakesRowsPerBatch) {
  Array x = Array::of<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  Array result = gathered(x, Array::of<int32_t>({1, 0}, {2, 1}), {0}, {2});
  expect_same(result, Array::of<int32_t>({4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6}, {2, 2, 3}));
}

TEST(Gather, PublishedExampleTakesBlocks) {
  Array result = gathered(counted<float>({5, 5}), Array::of<int64_t>({0, 0, 1, 1, 3, 2}, {3, 2}),
                          {0, 1}, {2, 3});
  expect_same(
      result,
      Array::of<float>({0, 1, 2, 5, 6, 7, 6, 7, 8, 11, 12, 13, 17, 18, 19, 22, 23, 24}, {3, 2, 3}));
}

TEST(Gather, TorchComparisonTakesSingleCells) {
  Array x = counted<float>({2, 3, 4});
  Array result = gathered(x, Array::of<int32_t>({1, 2, 3, 0, 1, 2}, {2, 3}), {0, 1, 2}, {1, 1, 1});
  expect_same(result, Array::of<float>({23, 6}, {2, 1, 1, 1}));
}

TEST(Gather, DimsInAnyOrderPairTheColumns) {
  Array x = counted<int32_t>({3, 4});
  Array result = gathered(x, Array::of<uint8_t>({1, 2}, {1, 2}), {1, 0}, {2, 1});
  expect_same(result, Array::of<int32_t>({9, 10}, {1, 1, 2}));
}

TEST(Gather, RopeTableAndLastTokenShapes) {
  Array positions = Array::of<int32_t>({4, 0, 2, 1, 3, 3}, {2, 3, 1});
  EXPECT_EQ(gathered(counted<float>({5, 2}), positions, {0}, {1}).shape(),
            (std::vector<int64_t>{2, 3, 1, 2}));
  Array last =
      gathered(counted<float>({2, 3, 4}), Array::of<int32_t>({2, 1}, {2, 1, 1}), {0}, {1}, 1);
  expect_same(last, Array::of<float>({8, 9, 10, 11, 16, 17, 18, 19}, {2, 1, 1, 4}));
}

TEST(Gather, ClipMovesTheStartInside) {
  Array x = counted<int32_t>({5});
  Array indices = Array::of<int64_t>({-1, 4, INT64_MIN, INT64_MAX, 3}, {5, 1});
  expect_same(gathered(x, indices, {0}, {2}),
              Array::of<int32_t>({0, 1, 3, 4, 0, 1, 3, 4, 3, 4}, {5, 2}));
  expect_same(gathered(x, indices, {0}, {2}, 0, "promise"), gathered(x, indices, {0}, {2}));
}

TEST(Gather, UnsignedIndicesAreWidened) {
  Array x = counted<int32_t>({300});
  expect_same(gathered(x, Array::of<uint8_t>({200, 255}, {2, 1}), {0}, {1}),
              Array::of<int32_t>({200, 255}, {2, 1}));
  Array huge = Array::of<uint64_t>({UINT64_MAX, uint64_t{1} << 63, 7}, {3, 1});
  expect_same(gathered(x, huge, {0}, {1}), Array::of<int32_t>({299, 299, 7}, {3, 1}));
  expect_same(gathered(x, huge, {0}, {1}, 0, "fill"),
              Array::of<int32_t>({INT32_MIN, INT32_MIN, 7}, {3, 1}));
}

TEST(Gather, WrapTakesPlacesModuloTheExtent) {
  Array x = counted<int32_t>({3});
  Array indices = Array::of<int64_t>({-1, 2, 7, INT64_MAX, INT64_MIN}, {5, 1});
  // 2^63 - 1 = 1 and -2^63 = 1 modulo 3.
  expect_same(gathered(x, indices, {0}, {2}, 0, "wrap"),
              Array::of<int32_t>({2, 0, 2, 0, 1, 2, 1, 2, 1, 2}, {5, 2}));
  // 2^64 - 1 = 0 modulo 3.
  expect_same(gathered(x, Array::of<uint64_t>({UINT64_MAX}, {1, 1}), {0}, {1}, 0, "wrap"),
              Array::of<int32_t>({0}, {1, 1}));
}

template <class T> void expect_fill(T fill) {
  Array x = Array::of<T>({T{}, T{}, T{}});
  Array result = gathered(x, Array::of<int32_t>({0, 2, -1}, {3, 1}), {0}, {2}, 0, "fill");
  expect_same(result, Array::of<T>({T{}, T{}, fill, fill, fill, fill}, {3, 2}));
}

TEST(Gather, FillGivesTheWholeWindowItsValue) {
  expect_fill<bool>(true);
  expect_fill<int8_t>(INT8_MIN);
  expect_fill<int16_t>(INT16_MIN);
  expect_fill<int32_t>(INT32_MIN);
  expect_fill<int64_t>(INT64_MIN);
  expect_fill<uint8_t>(UINT8_MAX);
  expect_fill<uint16_t>(UINT16_MAX);
  expect_fill<uint32_t>(UINT32_MAX);
  expect_fill<uint64_t>(UINT64_MAX);
  expect_fill<Float16>({0x7e00});
  expect_fill<BFloat16>({0x7fc0});
  expect_fill<float>(std::numeric_limits<float>::quiet_NaN());
  expect_fill<double>(std::numeric_limits<double>::quiet_NaN());
}

TEST(Gather, EmptyWindowsBatchesAndScalars) {
  EXPECT_EQ(gathered(counted<float>({4, 2}), Array::of<int32_t>({9, -9}, {2, 1}), {0}, {0}).shape(),
            (std::vector<int64_t>{2, 0, 2}));
  EXPECT_EQ(gathered(counted<float>({0, 2}), Array::of<int32_t>({1}, {1, 1}), {1}, {1}).shape(),
            (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(gathered(counted<float>({4, 2}), Array::zeros(DType::i32, {0, 3, 1}), {0}, {1}).shape(),
            (std::vector<int64_t>{0, 3, 1, 2}));
  expect_same(gathered(Array::scalar(5.0f), Array::zeros(DType::i32, {3, 0}), {}, {}),
              Array::of<float>({5, 5, 5}, {3}));
  expect_same(gathered(counted<int32_t>({3}), Array::of<int32_t>({2}, {1}), {0}, {1}),
              Array::of<int32_t>({2}, {1}));
}

TEST(Gather, FusesWithProducerAndConsumer) {
  auto function = [](std::vector<Tensor> v) {
    return std::vector{gather(v[0] + v[0], v[1], {0}, {1}) * 2};
  };
  std::vector<Array> arrays{counted<float>({4, 2}), Array::of<int32_t>({3, 1}, {2, 1})};
  expect_same(run_both(arrays, function)[0], Array::of<float>({24, 28, 8, 12}, {2, 1, 2}));
  Program program = trace(test::static_specs(arrays), function);
  EXPECT_EQ(program.cost().at("flops") > 0, true);
  EXPECT_NE(program.as_text("nests").find("with"), std::string::npos);
  EXPECT_EQ(program.as_text("nests").find("nest1"), std::string::npos) << program.as_text("nests");
}

TEST(Gather, SymbolicExtents) {
  Extent s = Extent::symbol("s"), n = Extent::symbol("n");
  for (int64_t extent : {2, 3, 7})
    for (int64_t batches : {0, 1, 4}) {
      Array indices = Array::uninitialized(DType::i16, {batches, 1});
      for (int64_t i = 0; i < batches; ++i)
        indices.mutable_values<int16_t>()[i] = static_cast<int16_t>(2 * i - 1);
      Array x = counted<float>({extent, 2});
      for (std::string mode : {"clip", "fill", "wrap"}) {
        auto function = [&](std::vector<Tensor> v) {
          return std::vector{gather(v[0], v[1], {0}, {1}, 0, mode)};
        };
        Array dynamic =
            run_both({{DType::f32, {s, 2}}, {DType::i16, {n, 1}}}, {x, indices}, function)[0];
        expect_same(dynamic, run_both({x, indices}, function)[0]);
      }
    }
}

TEST(Gather, CheckRaisesAtTheLowestBatch) {
  Array x = counted<float>({5, 2});
  auto function = [](std::vector<Tensor> v) {
    return std::vector{gather(v[0], v[1], {0}, {2}, 0, "check")};
  };
  Array good = Array::of<int32_t>({0, 3, 1}, {3, 1});
  EXPECT_EQ(run_both({x, good}, function)[0].shape(), (std::vector<int64_t>{3, 2, 2}));
  Array bad = Array::of<int32_t>({0, 4, -1}, {3, 1});
  Error error = run_error(test::static_specs({x, bad}), {x, bad}, function);
  EXPECT_EQ(error.slug(), "index-out-of-range");
  EXPECT_EQ(error.kind(), ErrorKind::index);
  EXPECT_EQ(error.message(), "gather: argument 'start_indices': expected every window inside the "
                             "operand [5, 2], but got one outside (first at row-major index 1)");
  EXPECT_NE(std::string(error.what()).find("gather_test.cpp:"), std::string::npos);
}

} // namespace
} // namespace kolam
