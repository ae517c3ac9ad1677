// Conversions of dtype and of bits: known edge cases, and all pairs of dtypes on both backends.
#include "both_backends.h"

#include <cmath>
#include <limits>

namespace kolam::test {
namespace {

using runtime::same_bits;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

Array converted(const Array& x, DType dtype) {
  return run_both(
      {x}, [=](std::vector<Tensor> t) { return std::vector<Tensor>{astype(t[0], dtype)}; })[0];
}

Array recast(const Array& x, DType dtype) {
  return run_both(
      {x}, [=](std::vector<Tensor> t) { return std::vector<Tensor>{bitcast(t[0], dtype)}; })[0];
}

TEST(Cast, FloatToIntegerSaturatesAndNanGivesZero) {
  Array x = Array::of<float>(
      {-kInfinity, -1e20f, -129, -1.9f, -0.5f, 0.9f, 127.9f, 300, 1e20f, kInfinity, kNan});
  EXPECT_TRUE(same_bits(converted(x, DType::i8),
                        Array::of<int8_t>({-128, -128, -128, -1, 0, 0, 127, 127, 127, 127, 0})));
  EXPECT_TRUE(same_bits(converted(x, DType::u8),
                        Array::of<uint8_t>({0, 0, 0, 0, 0, 0, 127, 255, 255, 255, 0})));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(same_bits(
      converted(x, DType::i64),
      Array::of<int64_t>({-most - 1, -most - 1, -129, -1, 0, 0, 127, 300, most, most, 0})));
}

TEST(Cast, IntegersWrap) {
  Array x = Array::of<int32_t>({-1, 128, 255, 256, 65537, -65536});
  EXPECT_TRUE(same_bits(converted(x, DType::i8), Array::of<int8_t>({-1, -128, -1, 0, 1, 0})));
  EXPECT_TRUE(
      same_bits(converted(x, DType::u16), Array::of<uint16_t>({65535, 128, 255, 256, 1, 0})));
  EXPECT_TRUE(
      same_bits(converted(x, DType::u64),
                Array::of<uint64_t>({~uint64_t{0}, 128, 255, 256, 65537, ~uint64_t{0} - 65535})));
}

TEST(Cast, ToBooleanIsNotZero) {
  Array x = Array::of<float>({0, -0.0f, 1e-45f, -2, kInfinity, kNan});
  EXPECT_TRUE(same_bits(converted(x, DType::boolean),
                        Array::of<bool>({false, false, true, true, true, true})));
  EXPECT_TRUE(same_bits(converted(Array::of<bool>({false, true}), DType::f16),
                        Array::of<Float16>({Float16{0}, Float16{0x3c00}})));
}

TEST(Cast, NarrowFloatsRoundToNearestEven) {
  // 1 + 2^-8 and 1 + 3 2^-8 lie halfway between bf16 numbers; 65520 is halfway to f16's infinity.
  Array x = Array::of<float>({1 + 1 / 256.0f, 1 + 3 / 256.0f, 65519, 65520, kNan, -0.0f, 3e-8f});
  EXPECT_TRUE(
      same_bits(recast(converted(x, DType::bf16), DType::u16),
                Array::of<uint16_t>({0x3f80, 0x3f82, 0x4780, 0x4780, 0x7fc0, 0x8000, 0x3301})));
  EXPECT_TRUE(
      same_bits(recast(converted(x, DType::f16), DType::u16),
                Array::of<uint16_t>({0x3c04, 0x3c0c, 0x7bff, 0x7c00, 0x7e00, 0x8000, 0x0001})));
}

TEST(Cast, AllPairsAreEqualOnBothBackends) {
  Array x = Array::of<double>({-1e300, -4294967297.5, -70000, -1.5, -0.0, 0, 0.4999999, 1, 2.5,
                               255.5, 65519.99, 2147483647, 9.3e18, 1.9e19, 1e300, std::nan("")});
  for (DType from : kDTypes) {
    Array source = converted(x, from);
    for (DType to : kDTypes)
      EXPECT_EQ(converted(source, to).dtype(), to);
  }
}

TEST(Cast, ScalarsTakeTheDtypeWithoutADetour) {
  EXPECT_EQ(astype(4294967295, DType::u32).item<uint32_t>(), 4294967295u);
  EXPECT_EQ(astype(2.75, DType::i32).item<int32_t>(), 2);
  EXPECT_EQ(astype(true, DType::f32).item<float>(), 1.0f);
}

TEST(Bitcast, KeepsBitsAndMakesNansOne) {
  Array words = Array::of<uint32_t>({0, 0x80000000, 0x3f800000, 0x7f800000, 0xffc00001});
  Array floats = recast(words, DType::f32);
  EXPECT_EQ(floats.values<float>()[2], 1.0f);
  EXPECT_TRUE(same_bits(recast(floats, DType::i32),
                        Array::of<int32_t>({0, std::numeric_limits<int32_t>::min(), 0x3f800000,
                                            0x7f800000, 0x7fc00000})));
  Array halves = Array::of<uint16_t>({0x7c01, 0xfe00, 0xfc00, 0x0001});
  EXPECT_TRUE(same_bits(recast(recast(halves, DType::f16), DType::i16),
                        Array::of<int16_t>({0x7e00, 0x7e00, -0x400, 1})));
  EXPECT_TRUE(same_bits(recast(recast(halves, DType::bf16), DType::u16),
                        Array::of<uint16_t>({0x7c01, 0xfe00, 0xfc00, 0x0001})));
  Array doubles = Array::of<double>({1, std::nan("7"), -kInfinity});
  EXPECT_TRUE(
      same_bits(recast(doubles, DType::u64),
                Array::of<uint64_t>({0x3ff0000000000000, 0x7ff8000000000000, 0xfff0000000000000})));
}

} // namespace
} // namespace kolam::test
