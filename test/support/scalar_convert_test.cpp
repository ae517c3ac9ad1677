// Casts: f16 and bf16 exhaustively, saturation, rounding once.
#include "kolam/support/scalar/convert.h"
#include "kolam/support/scalar/host_builder.h"
#include "test/support/apply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace kolam {
namespace {

/// The value of narrow bits by the definition of the format.
double value_of_bits(uint16_t bits, int mantissa_bits, int bias) {
  const int exponent = (bits & 0x7fff) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const int special = (1 << (15 - mantissa_bits)) - 1;
  double magnitude = 0;
  if (exponent == special)
    magnitude = mantissa ? std::nan("") : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  else
    magnitude = std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return bits & 0x8000 ? -magnitude : magnitude;
}
double value_of(Float16 x) { return value_of_bits(x.bits, 10, 15); }
double value_of(BFloat16 x) { return value_of_bits(x.bits, 7, 127); }

template <class T> class NarrowFloat : public testing::Test {};
using NarrowTypes = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(NarrowFloat, NarrowTypes);

template <class T> TestArray<T> all_values() {
  TestArray<T> all(65536);
  for (int64_t i = 0; i < 65536; ++i)
    all[i].bits = static_cast<uint16_t>(i);
  return all;
}

TYPED_TEST(NarrowFloat, widens_exactly) {
  const auto all = all_values<TypeParam>();
  const auto wide = cast_array<float>(all);
  const auto wider = cast_array<double>(all);
  for (int64_t i = 0; i < 65536; ++i) {
    const double expected = value_of(all[i]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide[i]) && std::isnan(wider[i]));
    } else {
      ASSERT_EQ(std::bit_cast<uint64_t>(double{wide[i]}), std::bit_cast<uint64_t>(expected));
      ASSERT_EQ(std::bit_cast<uint64_t>(wider[i]), std::bit_cast<uint64_t>(expected));
    }
  }
}

TYPED_TEST(NarrowFloat, comes_back_unchanged) {
  const auto all = all_values<TypeParam>();
  const auto back = cast_array<TypeParam>(cast_array<float>(all));
  const auto back_from_f64 = cast_array<TypeParam>(cast_array<double>(all));
  for (int64_t i = 0; i < 65536; ++i)
    if (std::isnan(value_of(all[i]))) {
      // Quiet, with sign and payload kept.
      const uint16_t quiet_bit = std::is_same_v<TypeParam, Float16> ? 0x200 : 0x40;
      ASSERT_EQ(back[i].bits, all[i].bits | quiet_bit);
      ASSERT_TRUE(std::isnan(value_of(back_from_f64[i])));
    } else {
      ASSERT_EQ(back[i].bits, all[i].bits);
      ASSERT_EQ(back_from_f64[i].bits, all[i].bits);
    }
}

/// Rounds by comparing with the midpoint of neighbours: x lies between `low` and the next value.
template <class T, class From> void check_between(uint16_t low_bits) {
  const T low{low_bits};
  const T high{static_cast<uint16_t>(low_bits + 1)};
  const double step = value_of(high) - value_of(low);
  // Beyond the largest finite value the next would be one step up.
  const bool is_last = std::isinf(value_of(high));
  const double width =
      is_last ? value_of(low) - value_of(T{static_cast<uint16_t>(low_bits - 1)}) : step;
  const From middle = static_cast<From>(value_of(low) + width / 2);
  const From below = std::nextafter(middle, From{0});
  const From above = std::nextafter(middle, std::numeric_limits<From>::infinity());
  for (From sign : {From{1}, From{-1}}) {
    const uint16_t sign_bit = sign < 0 ? 0x8000 : 0;
    ASSERT_EQ(cast_one<T>(sign * below).bits, low.bits | sign_bit) << below;
    ASSERT_EQ(cast_one<T>(sign * above).bits, high.bits | sign_bit) << above;
    ASSERT_EQ(cast_one<T>(sign * middle).bits, (low_bits % 2 ? high : low).bits | sign_bit)
        << middle;
  }
}

TYPED_TEST(NarrowFloat, rounds_to_nearest_even) {
  const int infinity = std::is_same_v<TypeParam, Float16> ? 0x7c00 : 0x7f80;
  for (int bits = 0; bits < infinity; ++bits) {
    check_between<TypeParam, float>(static_cast<uint16_t>(bits));
    check_between<TypeParam, double>(static_cast<uint16_t>(bits));
  }
}

TYPED_TEST(NarrowFloat, overflows_to_infinity) {
  const uint16_t infinity = std::is_same_v<TypeParam, Float16> ? 0x7c00 : 0x7f80;
  EXPECT_EQ(cast_one<TypeParam>(std::numeric_limits<float>::infinity()).bits, infinity);
  EXPECT_EQ(cast_one<TypeParam>(std::numeric_limits<double>::max()).bits, infinity);
  EXPECT_EQ(cast_one<TypeParam>(-std::numeric_limits<double>::infinity()).bits, infinity | 0x8000);
  EXPECT_EQ(cast_one<TypeParam>(std::numeric_limits<double>::denorm_min()).bits, 0);
}

TYPED_TEST(NarrowFloat, arithmetic_rounds_once) {
  const auto all = all_values<TypeParam>();
  const TestArray<TypeParam> y(std::vector<TypeParam>{cast_one<TypeParam>(1.0f / 3)});
  const auto product = apply<TypeParam>(Fn::multiply, all, y);
  for (int64_t i = 0; i < 65536; ++i) {
    const double expected = value_of(all[i]) * value_of(y[0]);
    if (!std::isnan(expected)) {
      ASSERT_EQ(product[i].bits, cast_one<TypeParam>(expected).bits);
    }
  }
}

TEST(Cast, f64_to_f16_does_not_round_twice) {
  // Through f32 this would become a tie and round down.
  EXPECT_EQ(cast_one<Float16>(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(cast_one<BFloat16>(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
}

TEST(Cast, wide_integers_to_narrow_floats_round_once) {
  EXPECT_EQ(cast_one<BFloat16>((int64_t{1} << 62) + (int64_t{1} << 54) + 1).bits, 0x5e81);
  EXPECT_EQ(cast_one<BFloat16>(-(int64_t{1} << 62) - (int64_t{1} << 54) - 1).bits, 0xde81);
  EXPECT_EQ(cast_one<BFloat16>((int64_t{1} << 62) + (int64_t{1} << 54)).bits, 0x5e80);
  EXPECT_EQ(cast_one<BFloat16>((uint64_t{1} << 63) + (uint64_t{1} << 55) + 1).bits, 0x5f01);
  EXPECT_EQ(cast_one<BFloat16>(std::numeric_limits<uint64_t>::max()).bits, 0x5f80);
  EXPECT_EQ(cast_one<BFloat16>(std::numeric_limits<int64_t>::min()).bits, 0xdf00);
  EXPECT_EQ(cast_one<Float16>(int32_t{2049}).bits, 0x6800);
  EXPECT_EQ(cast_one<Float16>(int32_t{2051}).bits, 0x6802);
  EXPECT_EQ(cast_one<Float16>(int32_t{65519}).bits, 0x7bff);
  EXPECT_EQ(cast_one<Float16>(int32_t{65520}).bits, 0x7c00);
  EXPECT_EQ(cast_one<float>((int64_t{1} << 62) + (int64_t{1} << 38) + 1), 0x1.000002p62f);
}

/// What saturating truncation means, in long double (which holds every 64-bit integer).
template <class To> To saturate(long double x) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(x))
    return 0;
  x = std::trunc(x);
  if (x <= static_cast<long double>(Limits::min()))
    return Limits::min();
  if (x >= static_cast<long double>(Limits::max()))
    return Limits::max();
  return static_cast<To>(x);
}

template <class From, class To> void check_saturation() {
  using Limits = std::numeric_limits<From>;
  std::vector<From> values = {0,
                              From(-0.0),
                              From(0.9),
                              From(-0.9),
                              From(1.5),
                              From(-1.5),
                              Limits::max(),
                              Limits::lowest(),
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::denorm_min()};
  for (int exponent = 5; exponent < 66; ++exponent)
    for (From sign : {From{1}, From{-1}})
      for (From end : {From{0}, Limits::infinity(), std::ldexp(From{1}, exponent)})
        values.push_back(sign * std::nextafter(std::ldexp(From{1}, exponent), end));
  for (From x : values)
    EXPECT_EQ((cast_one<To>(x)), saturate<To>(x)) << x;
}

template <class From> void check_saturations() {
  check_saturation<From, int8_t>();
  check_saturation<From, int16_t>();
  check_saturation<From, int32_t>();
  check_saturation<From, int64_t>();
  check_saturation<From, uint8_t>();
  check_saturation<From, uint16_t>();
  check_saturation<From, uint32_t>();
  check_saturation<From, uint64_t>();
}

TEST(Cast, f32_to_integers_saturates) { check_saturations<float>(); }
TEST(Cast, f64_to_integers_saturates) { check_saturations<double>(); }

TEST(Cast, narrow_floats_to_integers_saturate) {
  EXPECT_EQ(cast_one<int8_t>(BFloat16{0x7f80}), 127);
  EXPECT_EQ(cast_one<uint32_t>(BFloat16{0xff80}), 0u);
  EXPECT_EQ(cast_one<int64_t>(Float16{0x7e00}), 0);
  EXPECT_EQ(cast_one<int16_t>(Float16{0xc100}), -2);
}

TEST(Cast, booleans) {
  EXPECT_TRUE(cast_one<bool>(std::nan("")));
  EXPECT_FALSE(cast_one<bool>(-0.0f));
  EXPECT_TRUE(cast_one<bool>(int64_t{1} << 40));
  EXPECT_TRUE(cast_one<bool>(BFloat16{0x0001}));
  EXPECT_EQ(cast_one<float>(true), 1.0f);
  EXPECT_EQ(cast_one<Float16>(true).bits, 0x3c00);
  EXPECT_EQ(cast_one<uint64_t>(true), 1u);
}

TEST(Cast, integers_wrap_and_extend) {
  EXPECT_EQ(cast_one<int8_t>(int32_t{300}), 44);
  EXPECT_EQ(cast_one<uint64_t>(int8_t{-1}), ~uint64_t{0});
  EXPECT_EQ(cast_one<int64_t>(uint32_t{0xffffffff}), 0xffffffff);
  EXPECT_EQ(cast_one<int32_t>(uint8_t{200}), 200);
}

TEST(Bitcast, makes_nan_positive_and_quiet) {
  scalar::HostBuilder b;
  EXPECT_EQ(scalar::canonical_bits<DType::f32>(b, std::bit_cast<float>(0xff800001u)), 0x7fc00000u);
  EXPECT_EQ(scalar::canonical_bits<DType::f64>(b, -std::nan("7")), 0x7ff8000000000000u);
  EXPECT_EQ(scalar::canonical_bits<DType::bf16>(b, BFloat16{0xffff}), 0x7fc0);
  EXPECT_EQ(scalar::canonical_bits<DType::f16>(b, Float16{0xfc00}), 0xfc00);
  EXPECT_EQ(scalar::canonical_bits<DType::f32>(b, -0.0f), 0x80000000u);
}

} // namespace
} // namespace kolam
