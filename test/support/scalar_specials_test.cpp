// What the float functions give at zeros, infinities, NaN, overflow and denormals.
#include "test/support/apply.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace kolam {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Unary {
  Fn fn;
  double x;
  double expected;
};
constexpr Unary unary[] = {
    {Fn::exp, -inf, 0},
    {Fn::exp, inf, inf},
    {Fn::exp, nan, nan},
    {Fn::exp, 0, 1},
    {Fn::exp, 1e10, inf},
    {Fn::exp, -1e10, 0},
    {Fn::exp2, -inf, 0},
    {Fn::exp2, inf, inf},
    {Fn::exp2, nan, nan},
    {Fn::exp2, 10, 1024},
    {Fn::exp2, -126, 0x1p-126},
    {Fn::exp2, -149, 0x1p-149},
    {Fn::expm1, -0.0, -0.0},
    {Fn::expm1, -inf, -1},
    {Fn::expm1, inf, inf},
    {Fn::expm1, nan, nan},
    {Fn::expm1, 0x1p-149, 0x1p-149},
    {Fn::expm1, 1e5, inf},
    {Fn::log, 0, -inf},
    {Fn::log, -0.0, -inf},
    {Fn::log, 1, 0},
    {Fn::log, -1, nan},
    {Fn::log, inf, inf},
    {Fn::log, -inf, nan},
    {Fn::log, nan, nan},
    {Fn::log2, 0, -inf},
    {Fn::log2, 8, 3},
    {Fn::log2, 0x1p-149, -149},
    {Fn::log2, inf, inf},
    {Fn::log2, -2, nan},
    {Fn::log10, 1000, 3},
    {Fn::log10, 0, -inf},
    {Fn::log10, 1, 0},
    {Fn::log1p, -0.0, -0.0},
    {Fn::log1p, -1, -inf},
    {Fn::log1p, -2, nan},
    {Fn::log1p, inf, inf},
    {Fn::log1p, -inf, nan},
    {Fn::log1p, nan, nan},
    {Fn::tanh, -0.0, -0.0},
    {Fn::tanh, inf, 1},
    {Fn::tanh, -inf, -1},
    {Fn::tanh, nan, nan},
    {Fn::tanh, 0x1p-149, 0x1p-149},
    {Fn::tanh, -100, -1},
    {Fn::erf, -0.0, -0.0},
    {Fn::erf, inf, 1},
    {Fn::erf, -inf, -1},
    {Fn::erf, nan, nan},
    {Fn::cbrt, -0.0, -0.0},
    {Fn::cbrt, -27, -3},
    {Fn::cbrt, -inf, -inf},
    {Fn::cbrt, 0x1p-147, 0x1p-49},
    {Fn::cbrt, nan, nan},
    {Fn::erfc, 0, 1},
    {Fn::erfc, inf, 0},
    {Fn::erfc, -inf, 2},
    {Fn::erfc, nan, nan},
    {Fn::lgamma, 1, 0},
    {Fn::lgamma, 2, 0},
    {Fn::lgamma, 0, inf},
    {Fn::lgamma, -0.0, inf},
    {Fn::lgamma, -3, inf},
    {Fn::lgamma, inf, inf},
    {Fn::lgamma, -inf, inf},
    {Fn::lgamma, nan, nan},
    {Fn::erf_inv, -0.0, -0.0},
    {Fn::erf_inv, 1, inf},
    {Fn::erf_inv, -1, -inf},
    {Fn::erf_inv, 1.5, nan},
    {Fn::erf_inv, nan, nan},
    {Fn::sin, -0.0, -0.0},
    {Fn::sin, inf, nan},
    {Fn::sin, -inf, nan},
    {Fn::sin, nan, nan},
    {Fn::sin, 0x1p-149, 0x1p-149},
    {Fn::cos, 0, 1},
    {Fn::cos, inf, nan},
    {Fn::cos, nan, nan},
    {Fn::sqrt, -1, nan},
    {Fn::sqrt, -0.0, -0.0},
    {Fn::rsqrt, 0, inf},
    {Fn::rsqrt, -0.0, -inf},
    {Fn::rsqrt, inf, 0},
    {Fn::reciprocal, -0.0, -inf},
    {Fn::sign, -0.0, 0.0},
    {Fn::sign, nan, nan},
    {Fn::sign, -inf, -1},
    {Fn::round, 0.5, 0},
    {Fn::round, -0.5, -0.0},
    {Fn::round, 2.5, 2},
    {Fn::round, 3.5, 4},
    {Fn::round, inf, inf},
    {Fn::trunc, -1.5, -1},
    {Fn::floor, -0.5, -1},
    {Fn::ceil, -0.5, -0.0},
    {Fn::negative, 0, -0.0},
    {Fn::abs, -0.0, 0},
    {Fn::abs, -inf, inf},
    {Fn::tan, -0.0, -0.0},
    {Fn::tan, inf, nan},
    {Fn::tan, nan, nan},
    {Fn::tan, 0x1p-149, 0x1p-149},
    {Fn::asin, -0.0, -0.0},
    {Fn::asin, 1, M_PI / 2},
    {Fn::asin, 2, nan},
    {Fn::asin, nan, nan},
    {Fn::acos, 1, 0},
    {Fn::acos, -1, M_PI},
    {Fn::acos, 2, nan},
    {Fn::atan, -0.0, -0.0},
    {Fn::atan, inf, M_PI / 2},
    {Fn::atan, -inf, -M_PI / 2},
    {Fn::atan, nan, nan},
    {Fn::atan, 0x1p-149, 0x1p-149},
    {Fn::sinh, -0.0, -0.0},
    {Fn::sinh, -inf, -inf},
    {Fn::sinh, 1e5, inf},
    {Fn::sinh, nan, nan},
    {Fn::sinh, 0x1p-149, 0x1p-149},
    {Fn::cosh, -0.0, 1},
    {Fn::cosh, -inf, inf},
    {Fn::cosh, 1e5, inf},
    {Fn::cosh, nan, nan},
    {Fn::asinh, -0.0, -0.0},
    {Fn::asinh, -inf, -inf},
    {Fn::asinh, nan, nan},
    {Fn::asinh, 0x1p-149, 0x1p-149},
    {Fn::acosh, 1, 0},
    {Fn::acosh, 0.5, nan},
    {Fn::acosh, -2, nan},
    {Fn::acosh, inf, inf},
    {Fn::acosh, nan, nan},
    {Fn::atanh, -0.0, -0.0},
    {Fn::atanh, 1, inf},
    {Fn::atanh, -1, -inf},
    {Fn::atanh, 2, nan},
    {Fn::atanh, nan, nan},
    {Fn::atanh, 0x1p-149, 0x1p-149},
};

struct Binary {
  Fn fn;
  double x, y;
  double expected;
};
constexpr Binary binary[] = {
    {Fn::maximum, -0.0, 0.0, 0.0},
    {Fn::maximum, 0.0, -0.0, 0.0},
    {Fn::minimum, -0.0, 0.0, -0.0},
    {Fn::minimum, 0.0, -0.0, -0.0},
    {Fn::maximum, nan, 1, nan},
    {Fn::maximum, 1, nan, nan},
    {Fn::minimum, nan, 1, nan},
    {Fn::minimum, 1, nan, nan},
    {Fn::maximum, -inf, 1, 1},
    {Fn::minimum, -inf, 1, -inf},
    {Fn::logaddexp, -inf, -inf, -inf},
    {Fn::logaddexp, inf, inf, inf},
    {Fn::logaddexp, inf, -inf, inf},
    {Fn::logaddexp, -inf, 2, 2},
    {Fn::logaddexp, nan, 2, nan},
    {Fn::copysign, 3, -0.0, -3},
    {Fn::pow, 0, 0, 1},
    {Fn::pow, nan, 0, 1},
    {Fn::pow, 1, nan, 1},
    {Fn::pow, nan, 2, nan},
    {Fn::pow, 2, nan, nan},
    {Fn::pow, -8, 1.0 / 3, nan},
    {Fn::pow, -1, inf, 1},
    {Fn::pow, -1, -inf, 1},
    {Fn::pow, -0.0, 3, -0.0},
    {Fn::pow, -0.0, 2, 0},
    {Fn::pow, -0.0, -3, -inf},
    {Fn::pow, 0, -2, inf},
    {Fn::pow, -0.0, 0.5, 0},
    {Fn::pow, inf, -0.5, 0},
    {Fn::pow, -inf, 3, -inf},
    {Fn::pow, -inf, -3, -0.0},
    {Fn::pow, -inf, 0.5, inf},
    {Fn::pow, 0.5, inf, 0},
    {Fn::pow, 0.5, -inf, inf},
    {Fn::pow, -3, 3, -27},
    {Fn::pow, 10, 6, 1e6},
    {Fn::pow, 0x1p-149, 0.5, M_SQRT1_2 * 0x1p-74},
    {Fn::pow, 1e30, 1e30, inf},
    {Fn::pow, 1e30, -1e30, 0},
    {Fn::hypot, inf, nan, inf},
    {Fn::hypot, nan, -inf, inf},
    {Fn::hypot, nan, 1, nan},
    {Fn::hypot, -0.0, 0, 0},
    {Fn::hypot, 3 * 0x1p-149, 4 * 0x1p-149, 5 * 0x1p-149},
    {Fn::hypot, 3 * 0x1p120, -4 * 0x1p120, 5 * 0x1p120},
    {Fn::atan2, -0.0, -1, -M_PI},
    {Fn::atan2, -0.0, 1, -0.0},
    {Fn::atan2, 0, -0.0, M_PI},
    {Fn::atan2, -0.0, 0, -0.0},
    {Fn::atan2, 1, 0, M_PI / 2},
    {Fn::atan2, inf, -inf, 3 * M_PI / 4},
    {Fn::atan2, -inf, inf, -M_PI / 4},
    {Fn::atan2, 1, -inf, M_PI},
    {Fn::atan2, nan, 1, nan},
    {Fn::atan2, 0, nan, nan},
    {Fn::fmod, 5, -3, 2},
    {Fn::fmod, 0x1p127, 3, 2},
    {Fn::fmod, -0x1p127, 3 * 0x1p-149, -0x1p-149},
    {Fn::fmod, -0.0, 2, -0.0},
    {Fn::fmod, -5, 3, -2},
    {Fn::fmod, -6, 3, -0.0},
    {Fn::fmod, 1, 0, nan},
    {Fn::fmod, inf, 1, nan},
    {Fn::fmod, 1, -inf, 1},
    {Fn::fmod, nan, 1, nan},
    // The remainder has the divisor's sign; the quotient is rounded down.
    {Fn::scale, 0, inf, 0},
    {Fn::scale, -0.0, nan, 0},
    {Fn::scale, -0.0, 3, -0.0},
    {Fn::scale, inf, 0, nan},
    {Fn::scale, nan, 0, nan},
    {Fn::scale_either, 0, inf, 0},
    {Fn::scale_either, nan, -0.0, 0},
    {Fn::scale_either, -0.0, 3, -0.0},
    {Fn::scale_either, inf, inf, inf},
    {Fn::scale_either, nan, 2, nan},
    {Fn::scale, 2, -inf, -inf},
    {Fn::remainder, 5, 3, 2},
    {Fn::remainder, -5, 3, 1},
    {Fn::remainder, 5, -3, -1},
    {Fn::remainder, -5, -3, -2},
    {Fn::remainder, -6, 3, 0},
    {Fn::remainder, 6, -3, -0.0},
    {Fn::remainder, 1, 0, nan},
    {Fn::remainder, inf, 1, nan},
    {Fn::remainder, 1, inf, 1},
    {Fn::remainder, 1, -inf, -inf},
    {Fn::remainder, nan, 1, nan},
    {Fn::floor_divide, 5, 3, 1},
    {Fn::floor_divide, -5, 3, -2},
    {Fn::floor_divide, 5, -3, -2},
    {Fn::floor_divide, -5, -3, 1},
    {Fn::floor_divide, 1, 0, inf},
    {Fn::floor_divide, -1, 0, -inf},
    {Fn::floor_divide, 0, 0, nan},
    {Fn::floor_divide, 1, inf, 0},
    {Fn::floor_divide, -1, inf, -1},
    {Fn::floor_divide, -0.0, 2, -0.0},
    {Fn::floor_divide, 1, 0.125, 8},
};

/// Equal bits, or both NaN.
template <class T> bool is_same(T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return (std::isnan(x) && std::isnan(y)) || std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y);
}

template <class T> void check_specials() {
  for (const auto& [fn, x, expected] : unary) {
    const T result = apply_one(fn, static_cast<T>(x));
    EXPECT_TRUE(is_same(result, static_cast<T>(expected)))
        << elementwise_row(fn).name << "(" << x << ") = " << result << ", not " << expected;
  }
  for (const auto& [fn, x, y, expected] : binary) {
    const T result = apply_one(fn, static_cast<T>(x), static_cast<T>(y));
    EXPECT_TRUE(is_same(result, static_cast<T>(expected)))
        << elementwise_row(fn).name << "(" << x << ", " << y << ") = " << result << ", not "
        << expected;
  }
}

TEST(Specials, f32) { check_specials<float>(); }
TEST(Specials, f64) { check_specials<double>(); }

TEST(Specials, comparisons_with_nan) {
  for (Fn fn : {Fn::less, Fn::less_equal, Fn::greater, Fn::greater_equal, Fn::equal})
    EXPECT_FALSE(apply_one<bool>(fn, nan, nan));
  EXPECT_TRUE(apply_one<bool>(Fn::not_equal, nan, nan));
  EXPECT_TRUE(apply_one<bool>(Fn::equal, -0.0, 0.0));
}

TEST(Specials, tests_of_kind) {
  EXPECT_TRUE(apply_one<bool>(Fn::isnan, nan));
  EXPECT_FALSE(apply_one<bool>(Fn::isnan, inf));
  EXPECT_TRUE(apply_one<bool>(Fn::isinf, -inf));
  EXPECT_FALSE(apply_one<bool>(Fn::isfinite, nan));
  EXPECT_TRUE(apply_one<bool>(Fn::signbit, -0.0));
  EXPECT_TRUE(apply_one<bool>(Fn::signbit, -1.0f));
  EXPECT_FALSE(apply_one<bool>(Fn::isinf, int8_t{1}));
  EXPECT_TRUE(apply_one<bool>(Fn::isfinite, int64_t{1}));
}

TEST(Specials, exp_rounds_once_into_denormals) {
  for (float x = -103.9f; x < -87; x += 0.01f)
    EXPECT_NEAR(apply_one(Fn::exp, x), std::exp(static_cast<double>(x)),
                0.51 * 0x1p-149 + 1.1 * 0x1p-150)
        << x;
}

TEST(Specials, powers_of_integers_are_exact) {
  for (int x = 1; x <= 40; ++x) {
    double exact = 1;
    for (int y = 0; exact < 0x1p24; ++y, exact *= x == 1 ? 0x1p24 : x) {
      EXPECT_EQ(apply_one(Fn::pow, static_cast<float>(x), static_cast<float>(y)), exact);
      EXPECT_EQ(apply_one(Fn::pow, static_cast<double>(-x), static_cast<double>(y)),
                y % 2 ? -exact : exact);
      EXPECT_EQ(apply_one(Fn::pow, exact, 1.0), exact);
    }
  }
}

TEST(Specials, fma_rounds_once) {
  const double x = 1 + 0x1p-30;
  EXPECT_EQ(apply_one(Fn::fma, x, x, -1 - 0x1p-29), 0x1p-60);
}

TEST(Specials, scalar_operands_broadcast) {
  TestArray<float> x(1500);
  for (int64_t i = 0; i < x.count; ++i)
    x[i] = static_cast<float>(i);
  const auto sum = apply<float>(Fn::subtract, x, TestArray<float>(std::vector{2.0f}));
  for (int64_t i = 0; i < x.count; ++i)
    EXPECT_EQ(sum[i], static_cast<float>(i - 2));
}

} // namespace
} // namespace kolam
