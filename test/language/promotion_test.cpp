// Common dtypes, as the array API's table has them, and what numbers without a dtype become.
#include "kolam/language/promotion.h"

#include <gtest/gtest.h>

namespace kolam::language {
namespace {

using enum DType;

TEST(Promotion, IsSymmetricAndKeepsADtypeAsItIs) {
  for (DType a : kDTypes)
    for (DType b : kDTypes) {
      const bool refused = (a == u64 && is_signed_integer(b)) || (b == u64 && is_signed_integer(a));
      if (!refused)
        EXPECT_EQ(promote(a, b), promote(b, a)) << name(a) << " " << name(b);
    }
  for (DType a : kDTypes) {
    EXPECT_EQ(promote(a, a), a);
    EXPECT_EQ(promote(a, boolean), a);
  }
}

TEST(Promotion, HoldsBothIntegers) {
  EXPECT_EQ(promote(i8, i32), i32);
  EXPECT_EQ(promote(u16, u8), u16);
  EXPECT_EQ(promote(i8, u8), i16);
  EXPECT_EQ(promote(i16, u8), i16);
  EXPECT_EQ(promote(i8, u16), i32);
  EXPECT_EQ(promote(i64, u32), i64);
  EXPECT_EQ(promote(i8, u32), i64);
}

TEST(Promotion, GivesTheFloat) {
  EXPECT_EQ(promote(i64, f16), f16);
  EXPECT_EQ(promote(u64, bf16), bf16);
  EXPECT_EQ(promote(f16, bf16), f32);
  EXPECT_EQ(promote(bf16, f32), f32);
  EXPECT_EQ(promote(f32, f64), f64);
}

TEST(Promotion, RefusesU64BesideSignedIntegers) {
  for (DType dtype : {i8, i16, i32, i64})
    try {
      promote(u64, dtype);
      ADD_FAILURE() << "expected an Error for " << name(dtype);
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "no-promotion");
      EXPECT_EQ(error.kind(), ErrorKind::type);
    }
}

TEST(WeakScalars, TakeTheKindOfWhatStandsBesideThem) {
  EXPECT_EQ(weak_dtype(true, i8), i8);
  EXPECT_EQ(weak_dtype(int64_t{1}, u8), u8);
  EXPECT_EQ(weak_dtype(int64_t{1}, f16), f16);
  EXPECT_EQ(weak_dtype(int64_t{1}, boolean), i32);
  EXPECT_EQ(weak_dtype(1.0, bf16), bf16);
  EXPECT_EQ(weak_dtype(1.0, i64), f32);
  EXPECT_EQ(weak_dtype(1.0, boolean), f32);
  EXPECT_EQ(default_dtype(true), boolean);
  EXPECT_EQ(default_dtype(int64_t{1}), i32);
  EXPECT_EQ(default_dtype(1.0), f32);
}

TEST(WeakScalars, FitToTheEndsOfTheRange) {
  EXPECT_TRUE(fits(-128, i8));
  EXPECT_FALSE(fits(-129, i8));
  EXPECT_TRUE(fits(255, u8));
  EXPECT_FALSE(fits(256, u8));
  EXPECT_FALSE(fits(-1, u8));
  EXPECT_TRUE(fits(4294967295, u32));
  EXPECT_FALSE(fits(4294967296, u32));
  EXPECT_TRUE(fits(INT64_MIN, i64));
  EXPECT_TRUE(fits(INT64_MAX, u64));
  EXPECT_FALSE(fits(-1, u64));
}

} // namespace
} // namespace kolam::language
