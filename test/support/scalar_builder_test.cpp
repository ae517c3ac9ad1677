// One text, two builders: code run through a builder with run-time types gives the host kernels'
// bits.
#include "kolam/support/elementwise_code.h"
#include "kolam/support/elementwise_host.h"
#include "test/support/dynamic_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

namespace kolam {
namespace {

ValueType value_type(DType dtype) {
  switch (dtype) {
  case DType::boolean:
    return ValueType::i1;
  case DType::f16:
    return ValueType::f16;
  case DType::bf16:
    return ValueType::bf16;
  case DType::f32:
    return ValueType::f32;
  case DType::f64:
    return ValueType::f64;
  default:
    return static_cast<ValueType>(1 + std::countr_zero(unsigned(byte_width(dtype))));
  }
}

/// Random bits; for half of the floats numbers of moderate size.
uint64_t random_element(DType dtype, std::mt19937_64& random) {
  if (dtype == DType::boolean)
    return random() & 1;
  const uint64_t bits = random();
  if (bits & 1 && is_float(dtype)) {
    const double value = static_cast<double>(static_cast<int64_t>(random())) * 0x1p-60;
    uint64_t result = 0;
    apply_cast(DType::f64, dtype, &value, &result, 1);
    return result;
  }
  return bits >> (64 - 8 * byte_width(dtype));
}

bool is_nan(DType dtype, uint64_t bits) {
  double value = 0;
  if (is_float(dtype))
    apply_cast(dtype, DType::f64, &bits, &value, 1);
  return std::isnan(value);
}

::testing::AssertionResult same(DType dtype, uint64_t dynamic, uint64_t host) {
  if (dynamic == host || (is_nan(dtype, dynamic) && is_nan(dtype, host)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hex << dynamic << " is not " << host;
}

class BuilderTest : public testing::TestWithParam<DType> {
protected:
  DynamicBuilder b_;
  std::mt19937_64 random_{7};
};

TEST_P(BuilderTest, elementwise_functions_agree) {
  const DType dtype = GetParam();
  for (const ElementwiseRow& row : kElementwiseRows) {
    for (int round = 0; round < 100 && accepts(row.fn, dtype); ++round) {
      std::array<uint64_t, 3> elements{};
      std::array<DynamicValue, 3> values;
      for (int i = 0; i < row.arity; ++i) {
        const DType operand = row.fn == Fn::where && i == 0 ? DType::boolean : dtype;
        elements[i] = random_element(operand, random_);
        values[i] = {value_type(operand), elements[i]};
      }
      const void* inputs[] = {&elements[0], &elements[1], &elements[2]};
      const int64_t strides[] = {1, 1, 1};
      uint64_t host = 0;
      apply_elementwise(row.fn, dtype, std::span(inputs, row.arity), std::span(strides, row.arity),
                        &host, 1);
      const std::span<const DynamicValue> operands(values.data(), row.arity);
      const DynamicValue dynamic = elementwise(b_, row.fn, dtype, operands);
      const DType result = result_dtype(row.fn, dtype);
      ASSERT_EQ(dynamic.type, value_type(result)) << row.name;
      ASSERT_TRUE(same(result, dynamic.bits, host)) << row.name;
    }
  }
}

TEST_P(BuilderTest, casts_agree) {
  const DType from = GetParam();
  for (DType to : kDTypes)
    for (int round = 0; round < 100; ++round) {
      const uint64_t element = random_element(from, random_);
      uint64_t host = 0;
      apply_cast(from, to, &element, &host, 1);
      const DynamicValue dynamic = cast(b_, from, to, DynamicValue{value_type(from), element});
      ASSERT_EQ(dynamic.type, value_type(to));
      ASSERT_TRUE(same(to, dynamic.bits, host)) << name(from) << " to " << name(to);
    }
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, BuilderTest, testing::ValuesIn(kDTypes),
                         [](const auto& info) { return std::string(name(info.param)); });

} // namespace
} // namespace kolam
