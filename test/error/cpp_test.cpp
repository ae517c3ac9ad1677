// What only C++ can ask: members of Array and Tensor, calls of jitted functions, memory of the
// caller's. Each error names the line of this file that asked.
#include "test/error/expect_words.h"

#include <vector>

namespace kolam {
namespace {

using test::expect_words;

TEST(CppErrors, EmptyTensor) {
  expect_words([] { Array().values<float>(); }, ErrorKind::value,
               "values: [empty-tensor] expected an array, but got an empty handle");
  expect_words([] { Array().mutable_values<float>(); }, ErrorKind::value,
               "mutable_values: [empty-tensor]");
  expect_words([] { Array().item<float>(); }, ErrorKind::value, "item: [empty-tensor]");
  expect_words([] { Array().reshaped({1}); }, ErrorKind::value, "reshaped: [empty-tensor]");
  expect_words([] { Array().slice_outer(0); }, ErrorKind::value, "slice_outer: [empty-tensor]");
  expect_words([] { Array().extent(0); }, ErrorKind::value, "extent: [empty-tensor]");
  expect_words([] { Tensor().dtype(); }, ErrorKind::value,
               "dtype: [empty-tensor] expected a tensor, but got an empty handle");
  expect_words([] { Tensor().shape(); }, ErrorKind::value, "shape: [empty-tensor]");
  expect_words([] { Tensor().item<float>(); }, ErrorKind::value, "item: [empty-tensor]");
  expect_words([] { Tensor().numel(); }, ErrorKind::value, "shape: [empty-tensor]");
}

TEST(CppErrors, EmptyTensorInACall) {
  auto f = jit([](Tensor x) { return x + 1; });
  expect_words([&] { f(Tensor()); }, ErrorKind::value,
               "jit: [empty-tensor] argument 0: expected a tensor, but got an empty handle");
  auto none = jit([](Tensor) { return Tensor(); });
  expect_words([&] { none(1.0f); }, ErrorKind::value,
               "jit: [empty-tensor] expected a tensor, but got an empty handle");
}

TEST(CppErrors, DtypeMismatch) {
  expect_words([] { Array({1, 2}).values<float>(); }, ErrorKind::type,
               "values: [dtype-mismatch] expected an array of dtype float32, but got int32");
  expect_words([] { Tensor(1.0f).item<double>(); }, ErrorKind::type,
               "item: [dtype-mismatch] expected an array of dtype float64, but got float32");
}

TEST(CppErrors, ItemSize) {
  expect_words([] { Array({1, 2}).item<int>(); }, ErrorKind::type,
               "item: [item-size] expected an array of one element, but got shape [2]");
}

TEST(CppErrors, ShapeMismatch) {
  expect_words(
      [] { Array({1, 2}).reshaped({3}); }, ErrorKind::value,
      "reshaped: [shape-mismatch] expected a shape of 2 elements, as [2] has, but got [3]");
  expect_words([] { Array::of<float>({1, 2}, {3}); }, ErrorKind::value,
               "Array: [shape-mismatch] expected 3 values for shape [3], but got 2");
}

TEST(CppErrors, IndexOutOfRange) {
  expect_words([] { Array({1, 2}).slice_outer(2); }, ErrorKind::index,
               "slice_outer: [index-out-of-range] expected an index into dim 0 of shape [2], but "
               "got 2");
}

TEST(CppErrors, RaggedNest) {
  expect_words([] { Array({{1, 2}, {3}}); }, ErrorKind::value,
               "Array: [ragged-nest] expected rows of 2 values, but got one of 1");
  expect_words([] { array<float>({{1, 2}, {3}}); }, ErrorKind::value, "Array: [ragged-nest]");
}

TEST(CppErrors, ExtentNegative) {
  expect_words([] { Array::zeros(DType::f32, {-1}); }, ErrorKind::value,
               "Array: [extent-negative] expected extents >= 0, but got shape [-1]");
}

TEST(CppErrors, NullData) {
  bool is_released = false;
  expect_words([&] { Array::adopt(DType::f32, {2}, nullptr, [&] { is_released = true; }); },
               ErrorKind::value,
               "Array: [null-data] expected 2 elements in memory, but got a null pointer");
  EXPECT_TRUE(is_released);
  expect_words([] { Array::copy_of(DType::f32, {2}, nullptr); }, ErrorKind::value,
               "Array: [null-data]");
  expect_words([] { View(static_cast<float*>(nullptr), {2}); }, ErrorKind::value,
               "View: [null-data]");
  EXPECT_EQ(Array::adopt(DType::f32, {0}, nullptr, {}).to_string(), "[]");
}

TEST(CppErrors, RankMismatch) {
  float data[4] = {};
  expect_words([&] { View(data, {2, 2}, std::vector<int64_t>{1}); }, ErrorKind::value,
               "View: [rank-mismatch] expected a stride for each of 2 dims, but got 1");
  expect_words([&] { Array::copy_strided(DType::f32, {2}, data, {}); }, ErrorKind::value,
               "Array: [rank-mismatch] expected a stride for each of 1 dims, but got 0");
}

TEST(CppErrors, BufferMismatch) {
  expect_words([] { Array::view(Array({1}).buffer(), 0, DType::i32, {2}); }, ErrorKind::value,
               "Array: [buffer-mismatch] expected a buffer that holds an array of shape [2] and "
               "dtype int32 at a multiple of 4 bytes, but got one of 4 bytes and offset 0");
}

TEST(CppErrors, TracedValue) {
  auto f = jit([](Tensor x) { return x * x.item<float>(); });
  expect_words([&] { f(1.0f); }, ErrorKind::type,
               "item: [traced-value] expected an array, but got a traced value");
  auto g = jit([](Tensor x) {
    Array now = x;
    return Tensor(now);
  });
  expect_words([&] { g(1.0f); }, ErrorKind::type, "jit: [traced-value]");
  auto h = jit([&](Tensor x) {
    float y = 0;
    f.into(y, x);
    return x;
  });
  expect_words([&] { h(1.0f); }, ErrorKind::type,
               "into: [traced-value] expected arrays, but got traced values");
}

TEST(CppErrors, IntegerDivision) {
  const Tensor wide = Array::of<int64_t>({5});
  const std::string end =
      "; write floor_divide(x, y) for whole numbers, or divide(x, y) for a float32";
  expect_words([&] { wide / 2; }, ErrorKind::type,
               "operator/: [integer-division] expected a float on one side, but got int64 and an "
               "integer" +
                   end);
  expect_words([&] { 2 / wide; }, ErrorKind::type,
               "operator/: [integer-division] expected a float on one side, but got an integer and "
               "int64" +
                   end);
  expect_words([&] { wide / Tensor(Array::of<uint8_t>({2})); }, ErrorKind::type,
               "operator/: [integer-division] expected a float on one side, but got int64 and "
               "uint8");
  expect_words([&] { jit([](Tensor x) { return x / x.shape()[0]; })(wide); }, ErrorKind::type,
               "operator/: [integer-division]");
  EXPECT_EQ((wide / 2.0).item<float>(), 2.5f);
  EXPECT_EQ(floor_divide(wide, 2).item<int64_t>(), 2);
  EXPECT_EQ(divide(wide, 2).item<float>(), 2.5f);
}

TEST(CppErrors, UnknownName) {
  NamedArrays arrays;
  arrays.emplace("w", Array({1}));
  expect_words([&] { arrays["v"]; }, ErrorKind::index,
               "load_npz: [unknown-name] expected the name of an array of the archive, one of 'w', "
               "but got 'v'");
  expect_words([&] { arrays.at("v"); }, ErrorKind::index, "load_npz: [unknown-name]");
}

TEST(CppErrors, OfOutputs) {
  auto f = jit([](Tensor x) { return std::pair(x, sum(x)); });
  const std::vector<float> x{1, 2};
  std::vector<float> y(3);
  std::vector<double> wide(2);
  float total = 0;
  expect_words([&] { f.into(y, x); }, ErrorKind::value,
               "into: [output-count] expected memory for 2 results, but got 1");
  expect_words(
      [&] { f.into(std::tie(wide, total), x); }, ErrorKind::type,
      "into: [dtype-mismatch] output 0: expected memory of float32, as the result has, but "
      "got float64");
  expect_words([&] { f.into(std::tie(y, total), x); }, ErrorKind::value,
               "into: [shape-mismatch] output 0: expected memory of 2 elements, as the result "
               "float32[2] has, but got 3");
  expect_words([&] { f.into(std::tuple(View(y.data(), {1, 2}), std::span(&total, 1)), x); },
               ErrorKind::value,
               "into: [shape-mismatch] output 0: expected memory of shape [2], as the result has, "
               "but got [1, 2]");
  expect_words([&] { f.into(std::tuple(View(y.data(), {2}), std::span(y.data() + 1, 1)), x); },
               ErrorKind::value,
               "into: [overlapping-outputs] output 1: expected memory of its own, but it overlaps "
               "that of output 0");
  expect_words([&] { f.into(std::tuple(View(y.data(), {2}, {0}), std::span(&total, 1)), x); },
               ErrorKind::value,
               "into: [overlapping-outputs] output 0: expected elements that lie apart, but got "
               "strides with which some share memory");
  Array held = Array::zeros(DType::f32, {2}), other = held;
  expect_words([&] { f.into(std::tie(held, total), x); }, ErrorKind::value,
               "into: [shared-output] expected an array whose memory no other handle shares, as "
               "arrays never change for those who hold them, but got one of 2 handles");
}

TEST(CppErrors, ArgumentMismatchNamesTheLineOfTheCall) {
  auto f = jit([](Tensor x, Tensor y) { return x + y; }, {.dynamic = {{0, {0}}, {1, {0}}}});
  const std::vector<float> two{1, 2}, three{1, 2, 3};
  try {
    f(two, three);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "shape-mismatch");
  }
  JitOptions far;
  far.dynamic = {{3, {0}}};
  auto g = jit([](Tensor x) { return x; }, far);
  int line = 0;
  try {
    line = __LINE__ + 1;
    g(two);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().line, line) << error.what();
    EXPECT_EQ(error.slug(), "bad-option");
  }
}

} // namespace
} // namespace kolam
