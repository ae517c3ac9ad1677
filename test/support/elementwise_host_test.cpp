// Elementwise functions over arrays: strides, results in place, every row on every dtype it takes.
#include "kolam/support/elementwise_host.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace kolam {
namespace {

TEST(ApplyElementwise, TakesArraysAndScalars) {
  const std::vector<int32_t> x = {1, 2, 3};
  const int32_t ten = 10;
  const void* inputs[] = {x.data(), &ten};
  const int64_t strides[] = {1, 0};
  std::vector<int32_t> result(3);
  apply_elementwise(Fn::multiply, DType::i32, inputs, strides, result.data(), 3);
  EXPECT_EQ(result, (std::vector<int32_t>{10, 20, 30}));
}

TEST(ApplyElementwise, WritesOverAnOperand) {
  std::vector<float> x = {1, 2, 3};
  const std::vector<float> y = {4, 5, 6};
  const void* inputs[] = {x.data(), y.data()};
  const int64_t strides[] = {1, 1};
  apply_elementwise(Fn::add, DType::f32, inputs, strides, x.data(), 3);
  EXPECT_EQ(x, (std::vector<float>{5, 7, 9}));
}

TEST(ApplyElementwise, TakesAConditionBesideAnyDtype) {
  const bool condition[] = {true, false};
  const std::vector<double> x = {1, 2}, y = {3, 4};
  const void* inputs[] = {condition, x.data(), y.data()};
  const int64_t strides[] = {1, 1, 1};
  std::vector<double> result(2);
  apply_elementwise(Fn::where, DType::f64, inputs, strides, result.data(), 2);
  EXPECT_EQ(result, (std::vector<double>{1, 4}));
}

TEST(ApplyElementwise, LeavesAllAloneForNoElements) {
  const int64_t strides[] = {1, 1};
  const void* inputs[] = {nullptr, nullptr};
  apply_elementwise(Fn::add, DType::f32, inputs, strides, nullptr, 0);
}

bool is_nan(DType dtype, const void* x) {
  const void* inputs[] = {x};
  const int64_t strides[] = {1};
  bool result = false;
  apply_elementwise(Fn::isnan, dtype, inputs, strides, &result, 1);
  return result;
}

/// The function on -18, -17, ... 18 at once, and on each alone.
void expect_single_alike(const ElementwiseRow& row, DType dtype) {
  constexpr int64_t kCount = 37;
  const DType out = result_dtype(row.fn, dtype);
  std::vector<int32_t> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), -18);
  std::vector<std::byte> x(kCount * 8), all(kCount * 8), single(8);
  apply_cast(DType::i32, dtype, numbers.data(), x.data(), kCount);
  const int64_t strides[] = {1, 1, 1};
  const auto arity = static_cast<size_t>(row.arity);
  const void* inputs[] = {x.data(), x.data(), x.data()};
  apply_elementwise(row.fn, dtype, {inputs, arity}, {strides, arity}, all.data(), kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    const std::byte* element = x.data() + i * byte_width(dtype);
    const void* at[] = {element, element, element};
    apply_elementwise(row.fn, dtype, {at, arity}, {strides, arity}, single.data(), 1);
    const std::byte* among = all.data() + i * byte_width(out);
    const bool both_nan = is_float(out) && is_nan(out, single.data()) && is_nan(out, among);
    EXPECT_TRUE(both_nan || std::memcmp(single.data(), among, byte_width(out)) == 0)
        << row.name << " " << name(dtype) << " of " << numbers[i];
  }
}

// Long arrays may take other code than single elements: each must give the same bits.
TEST(ApplyElementwise, IsTheSameForLongArraysAndSingleElements) {
  for (const ElementwiseRow& row : kElementwiseRows)
    for (DType dtype : kDTypes)
      if (accepts(row.fn, dtype) && row.fn != Fn::where)
        expect_single_alike(row, dtype);
}

TEST(ApplyCast, ConvertsInPlaceWhereWidthsAreEqual) {
  std::vector<int32_t> x = {1, -1};
  apply_cast(DType::i32, DType::f32, x.data(), x.data(), 2);
  float first = 0, second = 0;
  std::memcpy(&first, &x[0], sizeof first);
  std::memcpy(&second, &x[1], sizeof second);
  EXPECT_EQ(first, 1.0f);
  EXPECT_EQ(second, -1.0f);
}

} // namespace
} // namespace kolam
